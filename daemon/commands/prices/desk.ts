import path from 'node:path'
import type { Config } from '../../../shared/config.ts'
import { loadConfig } from '../../config/load.ts'
import type { LoadedConfig } from '../../config/load.ts'
import { storedPrices } from '../../config/priceFile.ts'
import type { StoredPrices } from '../../config/priceFile.ts'
import { loadBuiltInPrices } from '../../money/builtInPrices.ts'
import type { InstalledPrices, PriceTable } from '../../money/priceTable.ts'
import { tableWith } from '../../money/priceTable.ts'
import { createPriceList } from '../../money/table.ts'
import type { TieredPriceList } from '../../money/table.ts'
import { reasonOf } from '../attempt.ts'
import { readConfig } from '../configWrite.ts'
import { CommandFailure } from '../daemonClient.ts'
import type { Terminal } from '../terminal.ts'

/** An upstream whose calls cost. */
export interface PaidUpstream {
  readonly name: string
  readonly baseUrl: string
}

/** Everything that says what a model costs, read the way the daemon reads it. No daemon has to run. */
export interface PriceDesk {
  readonly file: string
  /** What stands in the file; null where there is none. */
  readonly text: string | null
  readonly config: Config
  readonly stored: StoredPrices
  readonly builtIn: PriceTable
  readonly nowMs: number
  /** Reads another text as the configuration. */
  readonly load: (text: string) => LoadedConfig
}

/** Reads the configuration and the tables. Throws a CommandFailure for a configuration that the daemon would refuse. */
export async function openDesk(
  dataDir: string,
  config: string | null,
  terminal: Terminal,
  nowMs: number,
): Promise<PriceDesk> {
  const file = path.resolve(config ?? path.join(dataDir, 'config.json'))
  let text: string | null
  try {
    text = readConfig(file)
  } catch (fault) {
    throw new CommandFailure(`${file} cannot be read: ${reasonOf(fault)}.`)
  }
  if (text === null && config !== null) throw new CommandFailure(`${file} is not there.`)
  const systemTimezone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const load = (content: string): LoadedConfig => loadConfig({ text: content, env: terminal.env, systemTimezone })
  const loaded = load(text ?? '{}')
  if (!loaded.ok) throw new CommandFailure(`${file} is not valid: ${loaded.problems.join(' ')}`)
  const stored = storedPrices(dataDir)
  const builtIn = await loadBuiltInPrices()
  return { file, text, config: loaded.config, stored, builtIn, nowMs, load }
}

/** The prices that hold; with `installed`, as if those lay beside the ledger. */
export function priceListOf(
  desk: PriceDesk,
  config: Config = desk.config,
  installed: InstalledPrices | null = desk.stored.kind === 'found' ? desk.stored.prices : null,
): TieredPriceList {
  return createPriceList(config.prices, config.currency, tableWith(desk.builtIn, installed))
}

/**
 * The upstreams whose calls cost, or the one that `provider` names. Throws a CommandFailure for a name that no upstream has,
 * and for one that is free.
 */
export function paidUpstreams({ config }: PriceDesk, provider: string | null): readonly PaidUpstream[] {
  const paid = Object.entries(config.upstreams)
    .filter(([, { free }]) => !free)
    .map(([name, { baseUrl }]) => ({ name, baseUrl }))
  if (provider === null) return paid
  const named = paid.filter(({ name }) => name === provider)
  if (named.length > 0) return named
  if (Object.hasOwn(config.upstreams, provider)) {
    throw new CommandFailure(`The upstream ${provider} is free: its calls have no price.`)
  }
  throw new CommandFailure(`There is no upstream "${provider}". Upstreams: ${paid.map(({ name }) => name).join(', ')}.`)
}
