/** Something that is made when it is asked for first, and kept: a start does not pay for what nobody may need. */
export function lazily<Made extends object>(make: () => Made): () => Made {
  let made: Made | undefined
  return () => (made ??= make())
}
