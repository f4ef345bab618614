/** One change to a JSON body: the field at `path` gets `value`, and is inserted where it is missing. */
export interface FieldEdit {
  readonly path: readonly string[]
  readonly value: number | boolean | string | { readonly [key: string]: number | boolean | string }
}
