import path from 'node:path'
import type { Invocation } from './arguments.ts'
import { CommandFailure } from './daemonClient.ts'
import { defaultDataDir } from './dataDir.ts'
import type { Terminal } from './terminal.ts'

/** A command that talks to a running daemon. */
export type ClientInvocation = Extract<
  Invocation,
  {
    readonly command:
      | 'status'
      | 'watch'
      | 'run'
      | 'kill'
      | 'resume'
      | 'grant'
      | 'calibrate'
      | 'report'
      | 'reconcile'
      | 'prices'
      | 'doctor'
      | 'env'
  }
>

/** The terminal that this process runs in. */
function processTerminal(): Terminal {
  // A reader that has seen enough, such as `head`, is no fault.
  process.stdout.on('error', () => process.exit(0))
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    env: process.env,
    platform: process.platform,
    // Some terminals do not know their width and say 0.
    columns: () => (process.stdout.isTTY ? process.stdout.columns || 80 : null),
    onInterrupt: (listener) => {
      process.once('SIGINT', listener).once('SIGTERM', listener)
      return () => void process.off('SIGINT', listener).off('SIGTERM', listener)
    },
  }
}

/** Runs it and resolves with the exit code: 0, or 1 after a sentence on stderr. */
export async function runClientCommand(
  invocation: ClientInvocation,
  terminal: Terminal = processTerminal(),
): Promise<number> {
  const dataDir = path.resolve(invocation.dataDir ?? defaultDataDir(terminal.env, terminal.platform))
  try {
    return await run(invocation, dataDir, terminal)
  } catch (failure) {
    if (!(failure instanceof CommandFailure)) throw failure
    terminal.err(`${failure.message}\n`)
    return 1
  }
}

async function run(invocation: ClientInvocation, dataDir: string, terminal: Terminal): Promise<number> {
  switch (invocation.command) {
    case 'status': {
      const { runStatus } = await import('./status.ts')
      return runStatus(dataDir, invocation.json, terminal)
    }
    case 'watch': {
      const { runWatch } = await import('./watch/watch.ts')
      return runWatch(dataDir, terminal)
    }
    case 'run': {
      const { runTask } = await import('./run/run.ts')
      return runTask(dataDir, invocation.ask, terminal)
    }
    case 'kill': {
      const { runKill } = await import('./kill.ts')
      return runKill(dataDir, invocation.request, terminal)
    }
    case 'resume': {
      const { runResume } = await import('./kill.ts')
      return runResume(dataDir, invocation.request, terminal)
    }
    case 'calibrate': {
      const { runCalibrate } = await import('./calibrate/calibrate.ts')
      return runCalibrate(dataDir, invocation.ask, terminal)
    }
    case 'prices': {
      const { runPrices } = await import('./prices/prices.ts')
      return runPrices(dataDir, invocation.ask, terminal, Date.now())
    }
    case 'reconcile': {
      const { runReconcile } = await import('./reconcile/reconcile.ts')
      return runReconcile(dataDir, invocation.ask, terminal)
    }
    case 'report': {
      const { runReport } = await import('./report/report.ts')
      return runReport(dataDir, invocation.ask, terminal)
    }
    case 'grant': {
      const { runGrant } = await import('./grant/grant.ts')
      return runGrant(dataDir, invocation.request, terminal)
    }
    case 'doctor': {
      const { runDoctor } = await import('./doctor/doctor.ts')
      return runDoctor(dataDir, invocation.ask, terminal)
    }
    case 'env': {
      const { runEnv } = await import('./env.ts')
      return runEnv(dataDir, invocation, terminal)
    }
  }
}
