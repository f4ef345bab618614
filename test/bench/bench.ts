import path from 'node:path'
import { parseArgs } from 'node:util'
import { history } from './figures/history.ts'
import { latency } from './figures/latency.ts'
import { ledgerSize } from './figures/ledgerSize.ts'
import { loopBlock } from './figures/loopBlock.ts'
import { kill, memory } from './figures/openStreams.ts'
import { streaming } from './figures/streaming.ts'
import { throughput } from './figures/throughput.ts'
import { machine, rowText, writeReport } from './report.ts'
import { startRig } from './rig.ts'
import type { Figure, Row } from './row.ts'

/**
 * The benchmark: a direct call, a proxy that only forwards, the peer gateway and Tollgate with everything on, side by side
 * against one upstream. Ratios and medians count; milliseconds are those of one machine.
 *
 *   npm run bench -- [--quick] [--only latency,kill] [--dist DIR]
 */
const figures: Readonly<Record<string, Figure>> = {
  latency,
  throughput,
  streaming,
  history,
  loop: loopBlock,
  memory,
  kill,
  ledger: ledgerSize,
}

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    dist: { type: 'string', default: path.join(import.meta.dirname, '..', '..', 'dist') },
  },
})
const chosen = values.only?.split(',') ?? Object.keys(figures)
const unknown = chosen.filter((name) => !Object.hasOwn(figures, name))
if (unknown.length > 0) {
  console.error(`There is no figure ${unknown.join(', ')}. There are: ${Object.keys(figures).join(', ')}.`)
  process.exit(2)
}

const startedMs = performance.now()
const { system, processor, cores, node, peer } = machine()
console.log(`${String(processor)}, ${String(cores)} cores, ${String(system)}, Node ${String(node)}, ${String(peer)}\n`)
const options = { distDir: path.resolve(values.dist) }
const rig = await startRig(options)
const rows: Row[] = []
try {
  for (const name of chosen) {
    const measured = (await figures[name]?.({ rig, options, quick: values.quick })) ?? []
    for (const row of measured) console.log(rowText(row))
    rows.push(...measured)
  }
} finally {
  await rig.stop()
}
const seconds = Math.round((performance.now() - startedMs) / 1000)
const missed = rows.filter((row) => row.ok === false).length
const file = writeReport(rows, { quick: values.quick, seconds })
console.log(
  `\n${missed === 0 ? 'Every goal is met' : `${missed} goals are missed`}, after ${seconds} s. Written to ${file}.`,
)
