import { mkdirSync, writeFileSync } from 'node:fs'
import { arch, cpus, platform, release, totalmem } from 'node:os'
import path from 'node:path'
import { peerVersion } from './peer.ts'
import type { Row } from './row.ts'

/** One row as text, in columns that line up with the others. */
export function rowText(row: Row): string {
  const value = Math.abs(row.value) >= 1000 ? row.value.toFixed(0) : row.value.toPrecision(3)
  const columns = [
    row.what.padEnd(58),
    `${value} ${row.unit}`.padStart(16),
    (row.compared ?? '').padEnd(30),
    (row.goal ?? '').padEnd(24),
    row.ok === undefined ? '' : row.ok ? 'ok' : 'MISS',
  ]
  return columns.join('  ').trimEnd()
}

/** The machine that the figures come from; they mean nothing without it. */
export function machine(): Readonly<Record<string, unknown>> {
  const processors = cpus()
  return {
    system: `${platform()} ${release()} ${arch()}`,
    processor: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    memoryGb: Math.round(totalmem() / 1e8) / 10,
    node: process.version,
    peer: `@portkey-ai/gateway ${peerVersion}`,
  }
}

/** Writes the run to `artifacts/bench.json` and returns where that is. */
export function writeReport(rows: readonly Row[], run: { readonly quick: boolean; readonly seconds: number }): string {
  const folder = path.join(import.meta.dirname, '..', '..', 'artifacts')
  mkdirSync(folder, { recursive: true })
  const file = path.join(folder, 'bench.json')
  const report = { at: new Date().toISOString(), machine: machine(), ...run, figures: rows }
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`)
  return file
}
