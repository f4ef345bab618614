import { homedir } from 'node:os'
import { lookAround } from '../../../../extension/doctor/lookAround.ts'
import type { Lookout } from '../../../../extension/doctor/lookAround.ts'
import { judge } from '../../../../extension/doctor/judge.ts'
import type { Finding } from '../../../../extension/doctor/finding.ts'
import type { Surroundings } from '../../../../extension/doctor/surroundings.ts'
import { gate, memoryFiles } from '../clients/support.ts'
import { text } from '../support.ts'

/** A home folder that is nobody's. */
export const home = '/home/ada'

/** A workspace with one folder. */
export const shop = { name: 'shop', path: '/src/shop' }

/** What the window knows, with everything in order. */
export function window(
  changes: Partial<Surroundings> = {},
): Omit<Surroundings, keyof Awaited<ReturnType<typeof lookAround>>> {
  return {
    version: '0.1.0',
    time: 'Nov 30, 2026, 12:00 PM',
    host: null,
    gate: {
      kind: 'up',
      version: '0.1.0',
      origin: 'http://127.0.0.1:4141',
      pid: 77,
      killed: false,
      ledgerAvailable: true,
    },
    terminals: { enabled: true, bypassed: false, wrongHost: false, hasKey: true, skipped: [] },
    inject: { openai: true, anthropic: true, ollama: true, ollamaHost: false, gemini: true },
    extensions: new Set(),
    checks: [],
    ...changes,
  }
}

/** A look around a machine with these files. */
export async function surroundings(
  contents: Readonly<Record<string, string | { readonly broken: string }>>,
  changes: Partial<Surroundings> = {},
  lookout: Partial<Lookout> = {},
): Promise<Surroundings & { readonly reads: readonly string[] }> {
  const { files, reads } = memoryFiles(contents)
  const sight = await lookAround({
    files,
    settings: { isKnown: () => false, read: () => null, write: () => Promise.reject(new Error('not here')) },
    workspaceSetting: () => null,
    home,
    environment: { SHELL: '/bin/zsh', PATH: '/usr/bin' },
    userDir: `${home}/Code/User`,
    platform: 'linux',
    gate,
    folders: [shop],
    ...lookout,
  })
  if (reads.some((path) => path.startsWith(homedir()))) throw new Error('The real home was read.')
  return { ...sight, ...window(changes), ...pick(changes), reads }
}

function pick(changes: Partial<Surroundings>): Partial<Surroundings> {
  return changes
}

/** The finding of one client on such a machine. */
export async function findingOf(
  client: keyof typeof text.doctor,
  contents: Readonly<Record<string, string | { readonly broken: string }>>,
  changes: Partial<Surroundings> = {},
  lookout: Partial<Lookout> = {},
): Promise<Finding> {
  const name = text.doctor[client]
  const found = judge(await surroundings(contents, changes, lookout), text).find((one) => one.client === name)
  if (found === undefined) throw new Error(`No finding of ${client}.`)
  return found
}
