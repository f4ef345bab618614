import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { defaultPort, protocolVersion, version } from '../../shared/build.ts'
import type { Config } from '../../shared/config.ts'
import { clientVariables } from '../../shared/clientVariables.ts'
import { portFaultSentence } from '../../shared/portFault.ts'
import type { ListeningLine } from '../../shared/protocol.ts'
import { configFile } from '../config/configFile.ts'
import { Configuration } from '../config/configuration.ts'
import { loadConfig } from '../config/load.ts'
import { recap, storedPersonalCaps } from '../control/caps.ts'
import { ControlSocket } from '../control/socket.ts'
import { createDoor } from '../door.ts'
import type { Doors } from '../door.ts'
import { LedgerUnavailable } from '../ledger/ledger.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { openSqliteLedger } from '../ledger/sqlite.ts'
import { unavailableLedger } from '../ledger/unavailableLedger.ts'
import { removeDiscovery, writeDiscovery } from '../lifecycle/discovery.ts'
import { stopWhenIdle } from '../lifecycle/idleness.ts'
import { nativeBindingPath } from '../lifecycle/nativeBinding.ts'
import { createShutdown } from '../lifecycle/shutdown.ts'
import { createLog, describeFault } from '../observe/log.ts'
import { reasonOf } from './attempt.ts'
import { defaultDataDir } from './dataDir.ts'
import { takePlace } from './place.ts'
import { compose, takeUp } from '../composition.ts'

/** What `serve` was asked for; null takes the default. */
export interface ServeArguments {
  readonly port: number | null
  readonly dataDir: string | null
  readonly config: string | null
  readonly noKey: boolean
  /** Print for a person how to go on; the lines hold the local key. */
  readonly hints: boolean
  /** Process id of the instance whose place is taken when it is idle; null: an instance that is there stays. */
  readonly replace: number | null
}

const exitClean = 0
const exitBadConfiguration = 2
const exitNotOurs = 3
const exitPredecessorBusy = 4

/** Runs the daemon until it is told to end. Resolves with the exit code. */
export async function runServe(args: ServeArguments): Promise<number> {
  const dataDir = path.resolve(args.dataDir ?? defaultDataDir(process.env, process.platform))
  const say = (line: string): void => void process.stderr.write(`tollgate: ${line}\n`)
  const file = configFile(path.resolve(args.config ?? path.join(dataDir, 'config.json')), args.config !== null)
  const load = (): ReturnType<typeof loadConfig> => {
    const systemTimezone = Intl.DateTimeFormat().resolvedOptions().timeZone
    try {
      return loadConfig({ text: file.read(), env: process.env, systemTimezone })
    } catch (fault) {
      return { ok: false, problems: [`${file.path} cannot be read: ${reasonOf(fault)}.`] }
    }
  }
  const loaded = load()
  if (!loaded.ok) {
    for (const problem of loaded.problems) say(problem)
    return exitBadConfiguration
  }
  const withFlags = (config: Config): Config => (args.noKey ? { ...config, requireKey: false } : config)

  // Until there is something to settle, there is nothing to wait for.
  let onSignal = (): void => process.exit(exitClean)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => onSignal())

  let openDoors: (doors: Doors) => void = () => undefined
  const doorsOpen = new Promise<Doors>((resolve) => (openDoors = resolve))
  const port = args.port ?? defaultPort
  const place = await takePlace({ dataDir, port, replace: args.replace, createDoor: () => createDoor(doorsOpen) })
  switch (place.kind) {
    case 'taken':
      break
    case 'busy':
      say(`the instance that owns ${dataDir} has calls in flight, so it goes on.`)
      return exitPredecessorBusy
    case 'owned':
      say(`another instance owns ${dataDir}. Use it ("tollgate status"), or give this one its own --data-dir.`)
      return exitNotOurs
    case 'late':
      say(`the instance that owns ${dataDir} did not let go of it in time. Try again.`)
      return exitNotOurs
    case 'noDirectory':
      say(`the data directory ${dataDir} cannot be used: ${place.reason}.`)
      return exitBadConfiguration
    case 'noPort':
      say(portFaultSentence({ port, kind: place.fault === 'EADDRINUSE' ? 'taken' : 'unusable' }))
      return exitBadConfiguration
  }
  const { lock, secrets, listening } = place

  const nowMs = Date.now
  const log = createLog({ write: (line) => void process.stderr.write(`${line}\n`), nowMs, format: 'plain' })
  for (const problem of loaded.warnings) log.warn('a part of the configuration is not used', { problem })
  const ledger = openLedger(dataDir, log)
  const configuration = new Configuration(
    withFlags(loaded.config),
    storedPersonalCaps(dataDir),
    ledger.capOverrides(),
    nowMs(),
  )
  const composition = compose({
    nowMs,
    dataDir,
    secrets,
    ledger,
    configuration,
    log,
    programFile: __filename,
    port: () => listening.port,
    stopping: () => shutdown.begun(),
  })
  const { gate } = composition
  const { config, events, inFlight } = gate
  takeUp(gate)
  let handsOver = false

  const control = new ControlSocket(gate)
  const shutdown = createShutdown(
    {
      stopAccepting: () => listening.close(),
      running: () => inFlight.size,
      abortRest: () =>
        void inFlight.cancel(() => true, {
          code: 'shutting_down',
          message: 'The gate is stopping and ended this call. It was settled.',
        }),
      finish: async () => {
        control.close(handsOver)
        composition.stop()
        closeLedger(ledger, log)
        removeDiscovery(dataDir, process.pid)
        listening.closeIdle()
        await Promise.all([gate.describer.close(), gate.dispatcher.destroy()])
        lock.release()
      },
    },
    () => config().drainSeconds * 1000,
    wait,
  )

  // One request must not end everybody else's; what it held is settled at its worst case at the next start.
  process.on('uncaughtException', (fault) => log.error('a fault was not handled', describeFault(fault)))
  process.on('unhandledRejection', (fault) => log.error('a fault was not handled', describeFault(fault)))
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

  const ended = new Promise<number>((resolve) => {
    const stop = (): void => {
      // Whatever fails on the way out: a daemon that was told to end ends.
      const onFault = (fault: unknown): void => log.error('the end was not orderly', { problem: reasonOf(fault) })
      void shutdown
        .begin()
        .catch(onFault)
        .then(() => resolve(exitClean))
    }
    onSignal = stop
    const shutDown = (forSuccessor: boolean): void => {
      handsOver ||= forSuccessor
      stop()
    }
    openDoors({ gate, control, actions: { shutDown } })
    const usage = { active: () => inFlight.size + control.size, calls: () => inFlight.total }
    stopWhenIdle(usage, () => config().idleExitMinutes * 60_000, nowMs, stop)
  })

  const url = `http://127.0.0.1:${listening.port}`
  const shared = { url, key: secrets.key, token: secrets.token, pid: process.pid, version }
  try {
    const { startedAtMs } = gate
    writeDiscovery(dataDir, { ...shared, port: listening.port, protocol: protocolVersion, startedAtMs })
  } catch (fault) {
    // A full disk: clients that know the address are still told what is wrong.
    log.error('the discovery file cannot be written, so windows and commands will not find this daemon', {
      problem: reasonOf(fault),
    })
  }
  watchConfiguration()
  const line: ListeningLine = { event: 'listening', ...shared, dataDir }
  process.stdout.write(`${JSON.stringify(line)}\n`)
  if (args.hints) process.stderr.write(hintText(url, config().requireKey ? secrets.key : null))
  composition.start()

  /** A change of the file holds at once; a bad one leaves the last good configuration and says why. */
  function watchConfiguration(): void {
    const reload = (): void => {
      const next = load()
      if (!next.ok) {
        log.warn('the changed configuration was rejected; the last good one holds', {
          problem: next.problems.join(' '),
        })
        events.emit('config_rejected', { problems: next.problems })
        return
      }
      configuration.replaceFile(withFlags(next.config), nowMs())
      recap(gate)
      events.emit('caps_changed', { caps: config().budgets, until: null })
    }
    try {
      file.watch(reload)
    } catch {
      log.warn('changes of the configuration cannot be watched here; they hold after a restart')
    }
  }

  return ended
}

/** Writes what is queued and closes the file. What a broken disk does not take counts at its worst case after the next start. */
function closeLedger(ledger: Ledger, log: ReturnType<typeof createLog>): void {
  for (const step of [() => ledger.flush(), () => ledger.close()]) {
    try {
      step()
    } catch (fault) {
      log.error('the last settlements could not be written', { problem: reasonOf(fault) })
    }
  }
}

/** A ledger that cannot be opened refuses every call with the reason, instead of keeping the port closed. */
function openLedger(dataDir: string, log: ReturnType<typeof createLog>): Ledger {
  try {
    return openSqliteLedger({
      path: path.join(dataDir, 'ledger.db'),
      nativeBinding: nativeBindingPath(),
      nowMs: Date.now,
      epoch: randomUUID(),
      log: (problem) => log.warn('the ledger has a problem', { problem }),
    })
  } catch (fault) {
    if (!(fault instanceof LedgerUnavailable)) throw fault
    log.error('the ledger cannot be opened, so calls are refused', { problem: fault.message })
    return unavailableLedger(fault.message)
  }
}

/** What somebody who started the daemon by hand wants to know next. */
function hintText(origin: string, key: string | null): string {
  const variables = clientVariables({ origin, key })
  const named = ['OPENAI_BASE_URL', 'ANTHROPIC_BASE_URL', 'OLLAMA_BASE_URL'] as const
  return [
    '',
    `Tollgate accepts calls at ${origin}. In another terminal, point a client at it:`,
    '',
    ...named.map((name) => `  export ${name}=${variables[name] ?? ''}`),
    '',
    'then run your agent as always. "tollgate watch" shows the spend, "tollgate kill" stops everything, Ctrl+C ends this.',
    '("tollgate" is "node dist/daemon.js" here.)',
    '',
    '',
  ].join('\n')
}
