import type { CallRow } from '../shared/status.ts'
import type { Supervisor } from './daemon/supervisor.ts'

/** Calls of an answer to `GET /api/calls`; nothing for any other answer. The daemon is ours, so a row that has its parts is trusted. */
export function readCalls(answer: unknown): readonly CallRow[] {
  const { calls } = (answer ?? {}) as { calls?: unknown }
  if (!Array.isArray(calls)) return []
  return calls.filter((row: unknown): row is CallRow => {
    if (typeof row !== 'object' || row === null) return false
    const { time, model, usage, warnings } = row as Record<string, unknown>
    return (
      typeof time === 'string' &&
      typeof model === 'string' &&
      typeof usage === 'object' &&
      usage !== null &&
      Array.isArray(warnings)
    )
  })
}

/** Whether nobody knows the price of a call. Where the provider said what it charged, no price of ours is needed. */
export function isUnpriced({ warnings }: Pick<CallRow, 'warnings'>): boolean {
  return warnings.includes('unpriced_call') && !warnings.includes('price_reported')
}

/** One call by its id, among those since `sinceMs`; undefined where the ledger does not have it. Throws what `Supervisor.call` throws. */
export async function findCall(
  supervisor: Pick<Supervisor, 'call'>,
  id: string,
  sinceMs: number,
): Promise<CallRow | undefined> {
  const query = new URLSearchParams({ call: id, since: String(sinceMs), limit: '1' })
  return readCalls(await supervisor.call('GET', `/api/calls?${query.toString()}`)).find((row) => row.id === id)
}
