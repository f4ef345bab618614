/** Characters at each end of a result in which a failure names itself. */
const endChars = 1024

/** Exit status as shells, Claude Code, Codex and CI logs write it: `exit code 128`, `Exit code: 1`, `"exit_code":2`. */
const exitStatus =
  /\b(?:exit(?:ed)?[ _-]?(?:with )?(?:code|status)?|returncode|status code)["']?\s?[:=]?\s?(-?\d{1,3})\b/i

/** Kinds of failure that name themselves at the start of a result, or anywhere in one that the client calls an error. */
const kinds: readonly (readonly [RegExp, string])[] = [
  [/\btim(?:ed|e)[ -]?out\b|\bETIMEDOUT\b|\bdeadline exceeded\b/i, 'timeout'],
  [/\bcommand not found\b|\bis not recognized as\b/i, 'no command'],
  [/\bno such file\b|\bENOENT\b|\bfile (?:does not exist|not found)\b/i, 'no file'],
  [/\bpermission denied\b|\bEACCES\b|\bEPERM\b/i, 'permission'],
  [/\bconnection (?:refused|reset)\b|\bECONNREFUSED\b|\bECONNRESET\b/i, 'connection'],
]

const namedError = /\b([A-Z][A-Za-z]{2,40}(?:Error|Exception))\b/

/** How a result begins that reports a failure without any flag. */
const failureStart = /^\W{0,8}(?:error|fatal|failed|failure|exception|traceback|panic)\b/i

/**
 * The class of a failure (`exit 128`, `timeout`, `TypeError`), so that different commands which fail in the same way can be
 * seen to do so (K07). Null for a success. `isError` is the client's own word; few formats have one.
 */
export function errorClass(result: string, isError: boolean): string | null {
  const head = result.slice(0, endChars)
  const ends = result.length > 2 * endChars ? `${head}\n${result.slice(-endChars)}` : result
  const status = exitStatus.exec(ends)?.[1]
  if (status !== undefined && Number(status) !== 0) return `exit ${Number(status)}`
  if (!isError && !failureStart.test(head)) return null
  // A status of 0 is the command's own word against a word in its output.
  if (!isError && status !== undefined) return null
  const kind = kinds.find(([pattern]) => pattern.test(ends))?.[1]
  return kind ?? namedError.exec(ends)?.[1] ?? 'error'
}
