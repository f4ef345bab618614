/**
 * What may be said of an address or an error: keys stand in query strings, in `/k/<key>` and in the text of many errors, so
 * those parts never leave this file (N04, N05).
 */

/** An address or path without its query, its fragment, its user name and password, and its local key. */
export function redactUrl(url: string): string {
  const end = url.search(/[?#]/)
  const kept = end < 0 ? url : url.slice(0, end)
  return kept.replace(/\/\/[^/@]*@/g, '//').replace(/(^|\/)(k|%6b)\/+[^/]+/gi, '$1k/…')
}

const keyShapes = [
  /\b(?:Bearer|Basic)\s+[^\s"',;]+/gi,
  /\b(?:sk|pk|rk|gsk|xai|key|AIza|ghp|or|hf|r8|nvapi)[-_A-Za-z0-9]{16,}/g,
  // Anything long and unbroken that mixes letters and digits could be a key; call ids and paths are shorter or broken.
  /\b(?=[A-Za-z0-9_-]*\d)(?=[A-Za-z0-9_-]*[A-Za-z])[A-Za-z0-9_-]{40,}/g,
]

/** Longest value of a field that is written, in characters. */
const longestText = 500

/**
 * Text that is safe for a line of the log: control characters escaped, addresses redacted, whatever looks like a key taken
 * out, cut to 500 characters. The second line of defence: nothing secret should get here.
 */
export function redactText(text: string): string {
  const cut = text.length > longestText ? `${text.slice(0, longestText)}…` : text
  let clean = cut.replace(/[a-z][a-z0-9+.-]{0,20}:\/\/[^\s"'<>]+/gi, redactUrl)
  clean = clean.replace(/(\/k\/)[^/\s"']+/gi, '$1…').replace(/([?&][\w.-]{1,40}=)[^\s"'&]+/g, '$1…')
  for (const shape of keyShapes) clean = clean.replace(shape, '…')
  return clean.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, ' ')
}

/** What is known about a fault without its message: an error of a parser or a client library may quote what it read. */
export interface Fault {
  /** Class of the error: `TypeError`. */
  readonly fault: string
  /** Code of a system or library error: `ENOSPC`, `UND_ERR_SOCKET`. */
  readonly code?: string
  /** Function and line where it was thrown. */
  readonly at?: string
}

/** Class, code and place of a fault, never its message. */
export function describeFault(error: unknown): Fault {
  if (!(error instanceof Error)) return { fault: typeof error }
  const code: unknown = 'code' in error ? error.code : undefined
  const frame = /^ {4}at (.{1,200})$/m.exec(error.stack ?? '')?.[1]
  // Only the end of the path: where somebody keeps their programs is theirs.
  const at = frame?.replace(/(?:file:\/\/)?[^\s()]*[\\/]([^\\/\s()]+:\d+:\d+)/, '$1')
  return {
    fault: error.name,
    ...(typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code) ? { code } : {}),
    ...(at === undefined ? {} : { at }),
  }
}
