import type { Text } from '../text/text.ts'
import { verdicts } from './finding.ts'
import type { Finding } from './finding.ts'
import { judge } from './judge.ts'
import type { Surroundings } from './surroundings.ts'
import { terminalsUnguarded } from './terminalVerdict.ts'

/** The report as a document: the gate first, then each client that was found, worst news included. */
export function reportOf(around: Surroundings, text: Text): string {
  const { doctor } = text
  const findings = judge(around, text)
  const here = findings.filter(({ verdict }) => verdict !== 'notInstalled')
  const missing = findings.filter(({ verdict }) => verdict === 'notInstalled')
  const where = around.host === null ? text.thisMachine : text.thisHost(around.host)
  const blocks: (readonly string[])[] = [
    [`# ${doctor.title}`],
    [doctor.head(around.time, where, around.version), doctor.sum(countsOf(here, text))],
    ...gateBlocks(around, text),
    ...here.map((finding) => section(finding, text)),
  ]
  if (missing.length > 0) {
    blocks.push([`## ${doctor.notFound}`], [missing.map(({ client }) => client).join(', ')])
  }
  return `${blocks.map((block) => block.join('\n')).join('\n\n')}\n`
}

function countsOf(findings: readonly Finding[], { doctor }: Text): string {
  return verdicts
    .map((verdict) => [verdict, findings.filter((one) => one.verdict === verdict).length] as const)
    .filter(([, count]) => count > 0)
    .map(([verdict, count]) => `${count} ${doctor.verdicts[verdict]}`)
    .join(', ')
}

function section({ client, verdict, why, fix }: Finding, { doctor }: Text): readonly string[] {
  return [
    `## ${client}: ${doctor.verdicts[verdict]}`,
    '',
    ...(why === '' ? [] : [why]),
    ...(fix === null ? [] : [`→ ${fix}`]),
  ]
}

function gateBlocks(around: Surroundings, text: Text): readonly (readonly string[])[] {
  const { doctor } = text
  const { gate, terminals, checks } = around
  const lines: string[] = []
  switch (gate.kind) {
    case 'off':
      lines.push(`## ${doctor.gateOff}`, '', doctor.whyOff, `→ ${doctor.fixOn}`)
      break
    case 'starting':
      lines.push(`## ${doctor.gateStarting}`, '', doctor.fixStarting)
      break
    case 'down':
      lines.push(`## ${doctor.gateDown}`, '', `${doctor.whyDown} ${gate.reason}`, `→ ${doctor.fixDown}`)
      break
    case 'unfollowed':
      lines.push(`## ${doctor.gateUp}`, '', doctor.answers(gate.version, gate.origin))
      lines.push(text.unfollowed, `→ ${gate.reason}`)
      break
    case 'up':
      lines.push(`## ${doctor.gateUp}`, '')
      lines.push(
        gate.pid === null
          ? doctor.answers(gate.version, gate.origin)
          : doctor.answersAs(gate.version, gate.origin, gate.pid),
      )
      if (gate.version !== around.version) lines.push(`→ ${doctor.fixVersion(around.version)}`)
      if (gate.killed) lines.push(doctor.killed, `→ ${doctor.fixKilled}`)
      if (!gate.ledgerAvailable) lines.push(doctor.ledgerAway, `→ ${doctor.fixLedger}`)
  }
  lines.push(terminals.hasKey ? doctor.keyKnown : doctor.whyNoKey)
  const unguarded = terminalsUnguarded(around, text)
  if (unguarded === undefined)
    lines.push(doctor.terminalsGuarded, ...(around.readsShell ? [] : [doctor.startFilesUnread]))
  // Without a key, and switched off, that was said above.
  else if (terminals.enabled && terminals.hasKey) lines.push(unguarded.why, `→ ${unguarded.fix ?? ''}`)
  if (checks === null) return [lines]
  const said = checks.flatMap(({ verdict, says, next }) => [
    `- ${verdict === 'fail' ? doctor.failed : doctor.warned}: ${says}`,
    ...(next === null ? [] : [`  → ${next}`]),
  ])
  return [lines, checks.length === 0 ? [doctor.checksGood] : [doctor.checksBad, '', ...said]]
}
