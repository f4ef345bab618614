import { parseArgs } from 'node:util'
import type { GrantRequest, KillRequest } from '../../shared/protocol.ts'
import { pathPart, projectSlug } from '../../shared/addresses.ts'
import { readCalibrate } from './calibrate/calibrateArguments.ts'
import type { CalibrateAsk } from './calibrate/calibrateArguments.ts'
import { readDoctor } from './doctor/doctorArguments.ts'
import type { DoctorAsk } from './doctor/doctorArguments.ts'
import { readGrant } from './grant/grantArguments.ts'
import { commandHelp } from './help.ts'
import type { CommandName } from './help.ts'
import { readReconcile } from './reconcile/reconcileArguments.ts'
import type { ReconcileAsk } from './reconcile/reconcileArguments.ts'
import { readPrices } from './prices/pricesArguments.ts'
import type { PricesAsk } from './prices/pricesArguments.ts'
import { readReport } from './report/reportArguments.ts'
import type { ReportAsk } from './report/reportArguments.ts'
import { readRun } from './run/runArguments.ts'
import type { RunAsk } from './run/runArguments.ts'

/** A shell that `env` writes for. */
export const shells = ['sh', 'fish', 'powershell', 'cmd'] as const

/** One of `shells`. */
export type Shell = (typeof shells)[number]

/** What the words of the command line ask for. `dataDir` is null where the default place is meant. */
export type Invocation =
  | {
      readonly command: 'serve'
      readonly port: number | null
      readonly dataDir: string | null
      readonly config: string | null
      readonly noKey: boolean
      readonly hints: boolean
      readonly replace: number | null
    }
  | { readonly command: 'status'; readonly dataDir: string | null; readonly json: boolean }
  | { readonly command: 'watch'; readonly dataDir: string | null }
  | { readonly command: 'run'; readonly dataDir: string | null; readonly ask: RunAsk }
  | { readonly command: 'kill' | 'resume'; readonly dataDir: string | null; readonly request: KillRequest }
  | { readonly command: 'calibrate'; readonly dataDir: string | null; readonly ask: CalibrateAsk }
  | { readonly command: 'report'; readonly dataDir: string | null; readonly ask: ReportAsk }
  | { readonly command: 'reconcile'; readonly dataDir: string | null; readonly ask: ReconcileAsk }
  | { readonly command: 'prices'; readonly dataDir: string | null; readonly ask: PricesAsk }
  | { readonly command: 'doctor'; readonly dataDir: string | null; readonly ask: DoctorAsk }
  | { readonly command: 'grant'; readonly dataDir: string | null; readonly request: GrantRequest }
  | {
      readonly command: 'env'
      readonly dataDir: string | null
      readonly shell: Shell | null
      readonly project: string | null
      readonly task: string | null
    }
  | { readonly command: 'help'; readonly about: CommandName | null }
  | { readonly command: 'version' }
  /** One sentence for stderr; the exit code is 2. */
  | { readonly command: 'mistake'; readonly problem: string }

type Options = Readonly<Record<string, { readonly type: 'string' | 'boolean'; readonly short?: string }>>

const common: Options = { 'data-dir': { type: 'string' }, help: { type: 'boolean', short: 'h' } }
const killOptions: Options = { ...common, scope: { type: 'string' }, ref: { type: 'string' } }

const optionsOf: Readonly<Record<CommandName, Options>> = {
  serve: {
    ...common,
    port: { type: 'string' },
    config: { type: 'string' },
    'no-key': { type: 'boolean' },
    hints: { type: 'boolean' },
    replace: { type: 'string' },
  },
  status: { ...common, json: { type: 'boolean' } },
  watch: common,
  run: {
    ...common,
    eur: { type: 'string' },
    iterations: { type: 'string' },
    minutes: { type: 'string' },
    project: { type: 'string' },
    task: { type: 'string' },
  },
  kill: killOptions,
  resume: killOptions,
  grant: {
    ...killOptions,
    window: { type: 'string' },
    eur: { type: 'string' },
    tokens: { type: 'string' },
    iterations: { type: 'string' },
    minutes: { type: 'string' },
    until: { type: 'string' },
  },
  calibrate: {
    ...common,
    days: { type: 'string' },
    plan: { type: 'string' },
    apply: { type: 'boolean' },
    config: { type: 'string' },
    json: { type: 'boolean' },
  },
  report: {
    ...common,
    by: { type: 'string' },
    from: { type: 'string' },
    to: { type: 'string' },
    days: { type: 'string' },
    limit: { type: 'string' },
    csv: { type: 'boolean' },
    json: { type: 'boolean' },
  },
  reconcile: {
    ...common,
    provider: { type: 'string' },
    from: { type: 'string' },
    to: { type: 'string' },
    map: { type: 'string' },
    'apply-factor': { type: 'boolean' },
    config: { type: 'string' },
    json: { type: 'boolean' },
    csv: { type: 'boolean' },
  },
  prices: {
    ...common,
    model: { type: 'string' },
    provider: { type: 'string' },
    input: { type: 'string' },
    output: { type: 'string' },
    'cache-read': { type: 'string' },
    'cache-write': { type: 'string' },
    'cache-write-hour': { type: 'string' },
    'as-of': { type: 'string' },
    yes: { type: 'boolean' },
    config: { type: 'string' },
    json: { type: 'boolean' },
  },
  doctor: {
    ...common,
    ledger: { type: 'boolean' },
    backup: { type: 'string' },
    export: { type: 'string' },
    repair: { type: 'boolean' },
    config: { type: 'string' },
    json: { type: 'boolean' },
  },
  env: { ...common, shell: { type: 'string' }, project: { type: 'string' }, task: { type: 'string' } },
  help: { help: { type: 'boolean', short: 'h' } },
}

/** Names of the options of a command, as `docs/cli.md` has to list them. */
export function optionNames(command: CommandName): readonly string[] {
  return Object.keys(optionsOf[command]).filter((name) => name !== 'help')
}

function mistake(problem: string): Invocation {
  return { command: 'mistake', problem }
}

/** Values of a command's options: texts and switches, none of them given more than once. */
type Values = ReturnType<typeof parseArgs>['values']

function text(values: Values, name: string): string | null {
  const value = values[name]
  return typeof value === 'string' ? value : null
}

/** Reads the words after the program's name. Unknown commands and options are mistakes with a sentence that says what exists. */
export function readArguments(argv: readonly string[]): Invocation {
  const [word, ...rest] = argv
  if (word === undefined || word === '--help' || word === '-h') return { command: 'help', about: null }
  if (word === '--version' || word === '-v') return { command: 'version' }
  const command = commandNamed(word)
  if (command === null) {
    const kind = word.startsWith('-') ? 'option' : 'command'
    return mistake(`There is no ${kind} "${word}". Commands: ${Object.keys(commandHelp).join(', ')}.`)
  }
  // What stands behind `--` belongs to the command that is run, whatever it looks like.
  const end = command === 'run' ? rest.indexOf('--') : -1
  const own = end === -1 ? rest : rest.slice(0, end)
  let values: Values
  let positionals: readonly string[]
  try {
    ;({ values, positionals } = parseArgs({
      args: own,
      options: optionsOf[command],
      allowPositionals: true,
    }))
  } catch (error) {
    // The library's first sentence says which option and why; the rest explains how to quote.
    const reason = error instanceof Error ? error.message.split(/\.\s/, 1)[0] : ''
    return mistake(`${reason ?? ''}. See: tollgate help ${command}`)
  }
  if (values['help'] === true) return { command: 'help', about: command }
  if (command === 'help') return help(positionals)
  if (command === 'run' && end === -1)
    return mistake('run needs "--" and after it the command, as in: tollgate run --eur 2 -- node agent.js')
  // What the words of `prices` may be depends on the first.
  const extra = command === 'prices' ? undefined : positionals[command === 'grant' || command === 'reconcile' ? 1 : 0]
  if (extra !== undefined) return mistake(`${command} takes no "${extra}". See: tollgate help ${command}`)
  for (const [name, value] of Object.entries(values)) if (value === '') return mistake(`--${name} needs a value.`)
  const option = (name: string): string | null => text(values, name)
  if (command === 'grant') {
    const request = readGrant(positionals[0] ?? null, option)
    return typeof request === 'string' ? mistake(request) : { command, dataDir: option('data-dir'), request }
  }
  if (command === 'prices') {
    const ask = readPrices(positionals, option, (name) => values[name] !== undefined)
    return typeof ask === 'string' ? mistake(ask) : { command, dataDir: option('data-dir'), ask }
  }
  if (command === 'reconcile') {
    const ask = readReconcile(positionals[0] ?? null, option, (name) => values[name] === true)
    return typeof ask === 'string' ? mistake(ask) : { command, dataDir: option('data-dir'), ask }
  }
  if (command !== 'run') return readCommand(command, values)
  const ask = readRun(option, rest.slice(end + 1))
  return typeof ask === 'string' ? mistake(ask) : { command, dataDir: option('data-dir'), ask }
}

function commandNamed(word: string): CommandName | null {
  return Object.hasOwn(commandHelp, word) ? (word as CommandName) : null
}

function help(positionals: readonly string[]): Invocation {
  const [about] = positionals
  if (about === undefined) return { command: 'help', about: null }
  const command = commandNamed(about)
  return command === null ? mistake(`There is no command "${about}".`) : { command: 'help', about: command }
}

function readCommand(
  command: Exclude<CommandName, 'help' | 'run' | 'grant' | 'reconcile' | 'prices'>,
  values: Values,
): Invocation {
  const dataDir = text(values, 'data-dir')
  switch (command) {
    case 'serve': {
      const port = text(values, 'port')
      if (port !== null && !(/^\d{1,5}$/.test(port) && Number(port) <= 65_535)) {
        return mistake(`--port must be a number from 0 to 65535, not "${port}".`)
      }
      const replace = text(values, 'replace')
      if (replace !== null && !/^[1-9]\d{0,9}$/.test(replace)) {
        return mistake(`--replace must be the process id of a running instance, not "${replace}".`)
      }
      return {
        command,
        port: port === null ? null : Number(port),
        dataDir,
        config: text(values, 'config'),
        noKey: values['no-key'] === true,
        hints: values['hints'] === true,
        replace: replace === null ? null : Number(replace),
      }
    }
    case 'status':
      return { command, dataDir, json: values['json'] === true }
    case 'watch':
      return { command, dataDir }
    case 'kill':
    case 'resume':
      return readKill(command, dataDir, text(values, 'scope') ?? 'global', text(values, 'ref'))
    case 'calibrate': {
      const ask = readCalibrate(
        (name) => text(values, name),
        (name) => values[name] === true,
      )
      return typeof ask === 'string' ? mistake(ask) : { command, dataDir, ask }
    }
    case 'report': {
      const ask = readReport(
        (name) => text(values, name),
        (name) => values[name] === true,
      )
      return typeof ask === 'string' ? mistake(ask) : { command, dataDir, ask }
    }
    case 'doctor': {
      const ask = readDoctor(
        (name) => text(values, name),
        (name) => values[name] === true,
      )
      return typeof ask === 'string' ? mistake(ask) : { command, dataDir, ask }
    }
    case 'env':
      return readEnv(dataDir, text(values, 'shell'), text(values, 'project'), text(values, 'task'))
  }
}

const killScopes = ['global', 'tenant', 'key', 'task'] as const satisfies readonly KillRequest['scope'][]

function readKill(command: 'kill' | 'resume', dataDir: string | null, asked: string, ref: string | null): Invocation {
  const scope = killScopes.find((one) => one === asked)
  if (scope === undefined) return mistake(`--scope must be one of ${killScopes.join(', ')}, not "${asked}".`)
  if (scope === 'global') {
    // `kill --ref t1` without a scope would stop everything where one task was meant.
    if (ref !== null) return mistake('--ref names a tenant, key or task: say which with --scope.')
    return { command, dataDir, request: { scope } }
  }
  if (ref === null) return mistake(`--scope ${scope} needs --ref with the name of the ${scope}.`)
  return { command, dataDir, request: { scope, ref } }
}

function readEnv(
  dataDir: string | null,
  asked: string | null,
  project: string | null,
  task: string | null,
): Invocation {
  const shell = asked === null ? null : shells.find((one) => one === asked)
  if (shell === undefined) return mistake(`--shell must be one of ${shells.join(', ')}, not "${asked ?? ''}".`)
  const slug = project === null ? null : projectSlug(project)
  if (slug === '') return mistake('--project needs at least one letter, digit, "-" or "_".')
  if (task !== null && !pathPart.test(task)) return mistake('--task must be 1 to 128 letters, digits, "-" or "_".')
  return { command: 'env', dataDir, shell, project: slug, task }
}
