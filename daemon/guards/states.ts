import type { StateChange, TaskCounter } from '../tasks/task.ts'

/**
 * An amount of a counter as a person reads it: `25 iterations` (an iteration is one call to a model, K16), `850,000 input
 * tokens`, `300 s`, `5.00 EUR`.
 */
export function amountOf(counter: TaskCounter, amount: number, currency: string): string {
  return `${figureOf(counter, amount)} ${unitOf(counter, amount, currency)}`
}

function figureOf(counter: TaskCounter, amount: number): string {
  if (counter === 'eur') return amount.toFixed(amount !== 0 && amount < 0.01 ? 4 : 2)
  return Math.floor(amount).toLocaleString('en')
}

function unitOf(counter: TaskCounter, amount: number, currency: string): string {
  switch (counter) {
    case 'iterations':
      return amount === 1 ? 'iteration' : 'iterations'
    case 'inputTokens':
      return 'input tokens'
    case 'wallSeconds':
      return 's'
    case 'eur':
      return currency
  }
}

/** One sentence about a state change, for the event, the log and the status bar. */
export function stateText(change: StateChange, currency: string): string {
  const name = `${change.scope === 'task' ? 'Task' : 'Session'} ${change.ref}`
  const { counter, cause } = change
  switch (cause) {
    case 'person':
      return `${name} was halted by a person. Its calls are refused until it is resumed.`
    case 'pause':
      return `${name} is paused. Its calls are refused until it is resumed; its clock stands still.`
    case 'resume':
      return `${name} was resumed and may go on.`
    case 'room':
      return `${name} has been given more room and may go on.`
    case 'ceiling':
      return `${name} ${ceilingWords(change.to)}${counter === null ? '' : `: ${shareText(change, counter, currency)}`}.`
  }
}

function ceilingWords(to: StateChange['to']): string {
  switch (to) {
    case 'ok':
      return 'is far from its ceiling'
    case 'warn':
      return 'comes near its ceiling'
    case 'constrained':
      return 'is close to its ceiling, and its next calls are made smaller'
    case 'halted':
      return 'has reached its ceiling, and its calls are refused'
  }
}

function shareText({ value, limit }: StateChange, counter: TaskCounter, currency: string): string {
  return `${figureOf(counter, value)} of ${amountOf(counter, limit, currency)}`
}
