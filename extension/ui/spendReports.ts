import type { Report } from '../../shared/report.ts'
import { reportGroups } from '../../shared/report.ts'

/** Address of today's report, by the daemon's own day. */
export function todaysReport(by: 'project' | 'model'): string {
  return `/api/report?by=${by}&days=1&limit=200`
}

/** An answer to `GET /api/report`; null for anything else. The daemon is ours, so a row that has its figures is trusted. */
export function readReport(answer: unknown): Report | null {
  if (typeof answer !== 'object' || answer === null) return null
  const { by, to, rows } = answer as Record<string, unknown>
  if (!reportGroups.some((group) => group === by) || typeof to !== 'string' || !Array.isArray(rows)) return null
  return rows.every(isRow) ? (answer as Report) : null
}

function isRow(row: unknown): boolean {
  if (typeof row !== 'object' || row === null) return false
  const { name, calls, eur, listPriceEur } = row as Record<string, unknown>
  return (
    (name === null || typeof name === 'string') &&
    [calls, eur, listPriceEur].every((figure) => typeof figure === 'number')
  )
}
