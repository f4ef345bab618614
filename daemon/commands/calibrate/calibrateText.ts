import type { CalibrationReport } from '../../control/calibration.ts'
import { money, plural, tokenCount } from '../amounts.ts'
import { columns } from '../statusText.ts'
import { printable } from '../terminal.ts'

/** The history for a person: its groups as a table and what they are too small for, as lines that end with a line feed. */
export function calibrationText(report: CalibrationReport, only: string | null): string {
  const { healthyTasks, haltedTasks, leastTasks } = report
  const halted =
    haltedTasks === 0 ? '' : ` ${plural(haltedTasks, 'halted task')} ${haltedTasks === 1 ? 'is' : 'are'} left out.`
  const lines = [`${plural(healthyTasks, 'healthy task')} since ${report.since.slice(0, 10)}.${halted}`]
  const groups = report.groups.filter(({ plan }) => only === null || plan === only)
  if (groups.length > 0) {
    const rows = groups.map(({ client, project, plan, tasks, p99, proposal }) => [
      printable(client === '' ? '-' : client),
      printable(project ?? '-'),
      printable(plan),
      String(tasks),
      String(p99.iterations),
      tokenCount(p99.inputTokens),
      `${Math.ceil(p99.wallSeconds)} s`,
      money(p99.eur, report.currency),
      proposal === null ? `nothing proposed below ${leastTasks} tasks` : '',
    ])
    const head = ['client', 'project', 'plan', 'tasks', 'p99 calls', 'input', 'wall', 'spent', '']
    lines.push('', ...columns([head, ...rows]))
  }
  return `${lines.join('\n')}\n`
}
