/** An amount that one click allows. */
export interface Allowance {
  readonly unit: 'eur' | 'iterations' | 'minutes'
  readonly amount: number
}

const callStep = 20
const minuteStep = 10
/** Minutes that an allowance of time leaves at least, however far the task is past its ceiling. */
const leastMinutesLeft = 5
/** Share of a limit in euros that one click allows. */
const eurShare = 0.2
const leastEur = 0.01

/**
 * The step that a person is offered for a counter: a fifth of a ceiling in euros, 20 calls, 10 minutes; more where the task is
 * further past its ceiling than that, because a grant that lets no call through would only ask again. `value` and `limit` are
 * in the counter's own unit: calls, seconds, euros. Null for input tokens, which nobody grants, and for unknown counters.
 */
export function allowanceFor(counter: string, value: number, limit: number): Allowance | null {
  const over = Math.max(0, value - limit)
  switch (counter) {
    case 'eur':
      return { unit: 'eur', amount: eurStep(limit, over) }
    case 'iterations':
      return { unit: 'iterations', amount: callStep * Math.max(1, Math.ceil(over / callStep)) }
    case 'wallSeconds':
      return { unit: 'minutes', amount: minuteStep * Math.ceil((over / 60 + leastMinutesLeft) / minuteStep) }
    default:
      return null
  }
}

/** A fifth of a limit in euros as 1, 2 or 5 of a decimal place, at least a cent and at least `over`; 1 for a limit of 0. */
export function eurStep(limit: number, over = 0): number {
  const share = limit > 0 ? nearest(Math.max(leastEur, limit * eurShare)) : 1
  return share >= over ? share : atLeast(over)
}

function nearest(amount: number): number {
  return steps(amount).reduce((best, step) => (Math.abs(step - amount) < Math.abs(best - amount) ? step : best))
}

function atLeast(amount: number): number {
  return steps(amount).find((step) => step >= amount) ?? amount
}

/** 1, 2, 5 and 10 of the decimal place of an amount > 0. */
function steps(amount: number): readonly [number, ...number[]] {
  const place = Math.floor(Math.log10(amount))
  const step = (digit: number): number => Number(`${digit}e${place}`)
  return [step(1), step(2), step(5), step(10)]
}
