import type { GrantAnswer, GrantRequest } from '../../../shared/protocol.ts'
import type { Status } from '../../../shared/status.ts'
import { grantedText, money, tokenCount } from '../amounts.ts'
import { control, findDaemon } from '../daemonClient.ts'
import { printable } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'

/** `tollgate grant`: gives room and says what the limit is now. Throws a CommandFailure. */
export async function runGrant(dataDir: string, request: GrantRequest, terminal: Terminal): Promise<number> {
  const record = await findDaemon(dataDir)
  const answer = (await control(record, { method: 'POST', path: '/api/grants', body: request })) as GrantAnswer
  const { currency } = (await control(record, { method: 'GET', path: '/api/status' })) as Status
  const given = grantedText((name) => request[name] ?? 0, currency)
  terminal.out(`${given} granted to ${answer.scope} ${printable(answer.ref)} ${untilText(answer)}.\n`)
  const limits = limitText(request, answer, currency)
  if (limits !== null) terminal.out(`${limits}\n`)
  return 0
}

function untilText({ until, window }: GrantAnswer): string {
  if (until !== null) return `until ${until}`
  return window === 'life' ? 'as long as the task lives' : `until the end of the ${window}`
}

/** What a window may come to now; a grant to one without a cap is said to change nothing. */
function limitText(request: GrantRequest, answer: GrantAnswer, currency: string): string | null {
  if (answer.window === 'life') return null
  const limits: string[] = []
  const uncapped: string[] = []
  if ((request.eur ?? 0) > 0) {
    if (answer.limitEur === null) uncapped.push('euros')
    else limits.push(money(answer.limitEur, currency))
  }
  if ((request.tokens ?? 0) > 0) {
    if (answer.limitTokens === null) uncapped.push('tokens')
    else limits.push(`${tokenCount(answer.limitTokens)} tokens`)
  }
  const now = limits.length === 0 ? '' : `The limit of the ${answer.window} is ${limits.join(' and ')} now.`
  const free =
    uncapped.length === 0 ? '' : `There is no cap of ${uncapped.join(' and ')}, so that part changes nothing.`
  return `${now}${now !== '' && free !== '' ? ' ' : ''}${free}`
}
