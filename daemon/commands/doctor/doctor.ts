import path from 'node:path'
import { nativeBindingPath } from '../../lifecycle/nativeBinding.ts'
import { defaultDataDir } from '../dataDir.ts'
import type { Terminal } from '../terminal.ts'
import { exitCodeOf, worstOf, type Section } from './check.ts'
import { checkConfiguration } from './configChecks.ts'
import { checkDaemon } from './daemonChecks.ts'
import type { DoctorAsk } from './doctorArguments.ts'
import { doctorText } from './doctorText.ts'
import { checkFiles } from './fileChecks.ts'
import { backUp, exportLedger, repair } from './ledgerActions.ts'
import { checkLedger } from './ledgerChecks.ts'
import { lookAround, type DoctorWorld } from './world.ts'

/**
 * `tollgate doctor`: looks at everything that a gate needs and says what is wrong and what to do, or does one thing with the
 * ledger. Resolves with the exit code. Throws a CommandFailure.
 */
export async function runDoctor(dataDir: string, ask: DoctorAsk, terminal: Terminal): Promise<number> {
  const world = await lookAround({
    dataDir,
    config: ask.config,
    terminal,
    nowMs: Date.now(),
    systemTimezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    nativeBinding: nativeBindingPath(),
    isUsualDir: dataDir === path.resolve(defaultDataDir(terminal.env, terminal.platform)),
  })
  switch (ask.action?.kind) {
    case 'backup':
      return backUp(world, path.resolve(ask.action.file), terminal)
    case 'export':
      return exportLedger(world, path.resolve(ask.action.file), terminal)
    case 'repair':
      return repair(world, terminal)
    case undefined:
      return diagnose(world, ask, terminal)
  }
}

/** Runs the checks and writes them. */
export async function diagnose(world: DoctorWorld, ask: DoctorAsk, terminal: Terminal): Promise<number> {
  const { findings, checks } = checkLedger(world)
  const sections: Section[] = [{ title: `Ledger ${world.ledger.path}`, checks }]
  if (!ask.ledger) {
    sections.push(
      { title: 'Files', checks: checkFiles(world) },
      { title: 'Daemon', checks: await checkDaemon(world) },
      { title: 'Configuration', checks: checkConfiguration(world) },
    )
  }
  const verdict = worstOf(sections)
  const report = { verdict, checks: sections.flatMap((section) => section.checks), ledger: findings }
  terminal.out(ask.json ? `${JSON.stringify(report, null, 2)}\n` : doctorText(sections))
  return exitCodeOf(verdict)
}
