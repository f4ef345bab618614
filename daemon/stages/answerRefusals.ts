import type { AdmittedCall, CallOutcome, Refusal } from '../call.ts'

/** The sentences of an exchange with a provider that did not come to its end. */

/** How a call ended that was stopped with this refusal. */
export function outcomeOf(refusal: Refusal): CallOutcome {
  switch (refusal.code) {
    case 'overrun':
      return 'overrun'
    case 'shutting_down':
      return 'shutting_down'
    default:
      return 'killed'
  }
}

/** An answer passed what was reserved for it. */
export function overrunRefusal(call: AdmittedCall): Refusal {
  const reserved = (call.outputCeiling ?? 0) * call.facts.choices
  const message = `The provider ignored the output ceiling of ${reserved} tokens and was cut, because no more was reserved for this call. Raise the ceiling of the request if the answer is wanted.`
  return { code: 'overrun', message, unit: 'tokens', limit: reserved }
}

/** No connection, or one that broke before an answer. */
export function unreachableRefusal(call: AdmittedCall, detail: string): Refusal {
  const message = `${call.upstreamName} at ${new URL(call.upstream.baseUrl).origin} cannot be reached (${detail}). Check the connection and upstreams.${call.upstreamName}.baseUrl in config.json.`
  return { code: 'upstream_unreachable', message }
}

/** An answer in an encoding that cannot be undone. */
export function unreadableRefusal(call: AdmittedCall): Refusal {
  const message = `${call.upstreamName} sent an answer whose content-encoding cannot be undone. The call was made and is charged by estimate.`
  return { code: 'upstream_unreachable', message }
}

/** One of the plan's four limits of time. */
export function timeoutRefusal(call: AdmittedCall, phase: NonNullable<Refusal['phase']>): Refusal {
  const { timeouts } = call.identity.plan
  const limit = {
    connect: timeouts.connectMs,
    first_byte: timeouts.firstByteMs,
    idle: timeouts.idleMs,
    total: timeouts.totalMs,
  }[phase]
  const words = {
    connect: 'did not accept a connection',
    first_byte: 'sent no answer',
    idle: 'fell silent',
    total: 'did not finish',
  }[phase]
  const field = { connect: 'connectMs', first_byte: 'firstByteMs', idle: 'idleMs', total: 'totalMs' }[phase]
  const message = `${call.upstreamName} ${words} within ${limit ?? 0} ms. Raise plans.${call.identity.planName}.timeouts.${field} if it needs longer.`
  return { code: 'upstream_timeout', message, phase }
}
