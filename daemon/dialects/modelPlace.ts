import type { DialectName } from '../call.ts'
import type { FieldEdit } from './edit.ts'
import { dialectByName } from './registry.ts'

/** Changes of the body that give a request another model; none where its path names it. */
export function modelEdits(dialect: DialectName, model: string): readonly FieldEdit[] {
  return dialectByName(dialect).modelInPath === undefined ? [{ path: ['model'], value: model }] : []
}

/** The path of a request with another model; as it is where the body names it. */
export function pathWithModel(dialect: DialectName, path: string, model: string): string {
  return dialectByName(dialect).modelInPath?.withModel(path, model) ?? path
}
