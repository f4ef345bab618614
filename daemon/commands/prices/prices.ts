import { builtInPricesAsOf } from '../../money/builtInPrices.ts'
import type { Terminal } from '../terminal.ts'
import { runAge } from './age.ts'
import { openDesk } from './desk.ts'
import { runSet, runUnset } from './edit.ts'
import { runList } from './list.ts'
import type { PricesAsk } from './pricesArguments.ts'
import { runReset, runUpdate } from './update.ts'

/**
 * `tollgate prices`: what models cost, prices of one's own, and how old all of it is. Works on the files, whether a daemon
 * runs or not. Resolves with the exit code. Throws a CommandFailure.
 */
export async function runPrices(dataDir: string, ask: PricesAsk, terminal: Terminal, nowMs: number): Promise<number> {
  if (ask.verb === 'reset') return runReset(dataDir, builtInPricesAsOf, terminal)
  const desk = await openDesk(dataDir, ask.config, terminal, nowMs)
  switch (ask.verb) {
    case 'list':
      return runList(desk, ask, terminal)
    case 'age':
      return runAge(desk, ask.json, terminal)
    case 'set':
      return runSet(desk, ask, terminal)
    case 'unset':
      return runUnset(desk, ask, terminal)
    case 'update':
      return runUpdate(dataDir, desk, ask, terminal)
  }
}
