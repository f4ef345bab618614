/**
 * A function that remembers its results by name, for work that comes out the same for each call of a client: what a path
 * means, what a model is. Names come from clients, so at most `most` are kept; one more starts anew.
 */
export function remembering<Value>(most: number, work: (name: string) => Value): (name: string) => Value {
  const known = new Map<string, Value>()
  return (name) => {
    const found = known.get(name)
    if (found !== undefined) return found
    const value = work(name)
    if (known.size >= most) known.clear()
    known.set(name, value)
    return value
  }
}
