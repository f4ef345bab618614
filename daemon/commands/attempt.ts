import { CommandFailure } from './daemonClient.ts'

/** What went wrong, without a stack and without a full stop: the end of a sentence. */
export function reasonOf(fault: unknown): string {
  return fault instanceof Error ? fault.message.replace(/\.$/, '') : String(fault)
}

/** Does what the file system may refuse. Throws a CommandFailure that begins with `what` and ends with the reason. */
export function attempt<Result>(what: string, body: () => Result): Result {
  try {
    return body()
  } catch (fault) {
    throw new CommandFailure(`${what}: ${reasonOf(fault)}.`)
  }
}
