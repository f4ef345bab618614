import type { DiscoveryRecord } from '../../shared/protocol.ts'
import { DaemonAnswer } from './api.ts'

/** True where another daemon answers by now at the address of the one that was meant: it does not know that one's token. */
export function isReplaced(error: unknown): boolean {
  return error instanceof DaemonAnswer && error.status === 401
}

/**
 * A control call that one daemon may have to answer in the place of another: a successor keeps what it is asked meanwhile until
 * it is ready, and refuses the token of its predecessor, so that nothing was done. The call is repeated then, once, with what
 * `findAgain` finds. Throws what the last call or `findAgain` threw.
 */
export async function acrossHandOver<Answer>(
  record: DiscoveryRecord,
  findAgain: () => Promise<DiscoveryRecord | undefined>,
  call: (record: DiscoveryRecord) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await call(record)
  } catch (error) {
    const current = isReplaced(error) ? await findAgain() : undefined
    if (current === undefined) throw error
    return call(current)
  }
}
