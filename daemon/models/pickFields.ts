import { skipSpace, walkObject } from '../dialects/jsonScan.ts'

/**
 * A JSON object with only those fields of a request that are named, their values byte for byte as they came: what is
 * counted is what will be sent, and a long prompt is not parsed a second time. Of duplicate keys the last is taken, as
 * parsers do. The body must be a valid JSON object, with or without a byte order mark.
 */
export function pickFields(body: Buffer, names: ReadonlySet<string>): Buffer {
  const text = body.toString('latin1')
  const found = new Map<string, Buffer>()
  walkObject(text, skipSpace(text, text.startsWith(byteOrderMark) ? byteOrderMark.length : 0), (member) => {
    const { keyStart, keyEnd, valueStart, valueEnd } = member
    const name = JSON.parse(body.toString('utf8', keyStart, keyEnd)) as string
    if (names.has(name)) found.set(name, body.subarray(valueStart, valueEnd))
  })
  const pieces: Buffer[] = []
  for (const [name, value] of found) {
    pieces.push(Buffer.from(`${pieces.length === 0 ? '{' : ','}${JSON.stringify(name)}:`), value)
  }
  return pieces.length === 0 ? Buffer.from('{}') : Buffer.concat([...pieces, Buffer.from('}')])
}

/** U+FEFF in UTF-8, read as latin1. */
const byteOrderMark = '\u00ef\u00bb\u00bf'
