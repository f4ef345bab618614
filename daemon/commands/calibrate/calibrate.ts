import path from 'node:path'
import { loadConfig } from '../../config/load.ts'
import type { CalibrationReport } from '../../control/calibration.ts'
import type { CalibrateAsk } from './calibrateArguments.ts'
import { diffText, withCeilings } from './calibrateEdit.ts'
import type { PlanCeilings } from './calibrateEdit.ts'
import { calibrationText } from './calibrateText.ts'
import { attempt } from '../attempt.ts'
import { readConfig, writeConfig } from '../configWrite.ts'
import { CommandFailure, control, findDaemon } from '../daemonClient.ts'
import { printable } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'

const exitBadConfiguration = 2

/** A file that is not there yet. */
const emptyConfig = '{}\n'

/**
 * `tollgate calibrate`: what the history says of each client and project, and the lines of the configuration that would
 * change; with `apply` they are written. Resolves with the exit code. Throws a CommandFailure.
 */
export async function runCalibrate(dataDir: string, ask: CalibrateAsk, terminal: Terminal): Promise<number> {
  const record = await findDaemon(dataDir)
  const query = ask.days === null ? '' : `?days=${ask.days}`
  const report = (await control(record, { method: 'GET', path: `/api/calibration${query}` })) as CalibrationReport
  if (ask.plan !== null && !report.plans.some(({ plan }) => plan === ask.plan)) {
    const known = report.plans.map(({ plan }) => printable(plan)).join(', ')
    throw new CommandFailure(`There is no plan "${printable(ask.plan)}". Plans: ${known}.`)
  }
  terminal.out(ask.json ? `${JSON.stringify(report, null, 2)}\n` : calibrationText(report, ask.plan))
  if (ask.json && !ask.apply) return 0
  // Where stdout is for a program, what was done to the file is said on stderr.
  const say = ask.json ? terminal.err : (text: string): void => terminal.out(`\n${text}`)
  const wanted = report.plans.flatMap(({ plan, proposal }): PlanCeilings[] =>
    proposal === null || (ask.plan !== null && plan !== ask.plan) ? [] : [{ plan, ceilings: proposal }],
  )
  if (wanted.length === 0) {
    say(`No client and project has ${report.leastTasks} healthy tasks, so nothing is proposed.\n`)
    return 0
  }
  return propose(path.resolve(ask.config ?? path.join(dataDir, 'config.json')), wanted, ask.apply, say, terminal)
}

function propose(
  file: string,
  wanted: readonly PlanCeilings[],
  isToApply: boolean,
  say: (text: string) => void,
  terminal: Terminal,
): number {
  const before = attempt(`${file} cannot be read`, () => readConfig(file))
  const systemTimezone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const edit = withCeilings(before ?? emptyConfig, wanted, (text) =>
    loadConfig({ text, env: terminal.env, systemTimezone }),
  )
  if (!edit.ok) {
    terminal.err(`${file} is not changed: ${edit.problems.join(' ')}\n`)
    return exitBadConfiguration
  }
  const notes = edit.notes.map((note) => `${printable(note)}\n`).join('')
  if (edit.text === (before ?? emptyConfig)) {
    say(`${notes}${file} has these ceilings already.\n`)
    return 0
  }
  say(diffText(file, before ?? '', edit.text))
  if (!isToApply) {
    say(`${notes}Nothing is written yet: run the same command with --apply.\n`)
    return 0
  }
  attempt(`${file} cannot be written`, () => writeConfig(file, edit.text))
  say(`${notes}${file} is changed. A daemon that runs on it takes the ceilings over by itself.\n`)
  return 0
}
