import type { TaskTurns, Turn } from '../data.ts'
import type { ChartPart } from '../page.ts'
import { columnsOf, moneyCell, moneySaid, moneyText, noTable, numberCell, textCell } from './cells.ts'
import type { ChartWords, Money } from './cells.ts'

const steps = [1, 2, 5, 10, 20, 50, 100]

/**
 * The turns of a task: what the model read and wrote in each, and what they cost together. An agent sends its conversation again
 * each turn, so that the bars climb and the line bends upwards. `nameOf` tells what a task is called. `areTasksKnown`: where there is no
 * task, that says that none made calls.
 */
export function turnsChart(
  task: string | null,
  found: TaskTurns | null,
  areTasksKnown: boolean,
  nameOf: (task: string) => string,
  words: ChartWords,
): ChartPart {
  const { text, numbers } = words
  const title = text.turnsTitle
  const nothing = { title, about: [], summary: '', chart: null, table: noTable }
  if (task === null) return { ...nothing, empty: areTasksKnown ? text.turnsNoTask : words.unread }
  if (found?.task !== task) return { ...nothing, empty: words.unread }
  const { turns, isCut } = found
  const [first, last] = [turns[0], turns.at(-1)]
  if (first === undefined || last === undefined) return { ...nothing, empty: text.turnsNone(nameOf(task)) }

  const paid = sumsSoFar(turns, ({ eur }) => eur)
  const listed = sumsSoFar(turns, ({ listPriceEur }) => listPriceEur)
  const isListed = (paid.at(-1)?.eur ?? 0) === 0 && (listed.at(-1)?.eur ?? 0) > 0
  const soFar = isListed ? listed : paid
  const all = soFar.at(-1) ?? { eur: 0, unpricedCalls: 0 }
  const cost = moneyText(all, words)
  const count = text.turns(turns.length, numbers.of('whole', turns.length))
  const values = (pick: (turn: Turn) => number): number[] => turns.map(pick)
  const series = [
    { name: text.cachedInput, values: values(({ cachedInput }) => cachedInput) },
    { name: text.newInput, values: values(({ newInput }) => newInput) },
    { name: text.output, values: values(({ output }) => output) },
  ]
  const unpriced = all.unpricedCalls
  const lineName = isListed ? text.listSoFar : text.spentSoFar
  return {
    title,
    about: [
      [
        text.turnsAbout(nameOf(task), count, cost),
        ...(unpriced > 0 ? [text.unpriced(unpriced, numbers.of('whole', unpriced))] : []),
      ].join(' · '),
      text.turnsWhy,
      ...(isCut ? [text.turnsCut(numbers.of('whole', turns.length))] : []),
    ],
    summary: text.turnsSummary(count, numbers.of('tokens', read(first)), numbers.of('tokens', read(last))),
    empty: '',
    chart: {
      kind: 'stacked',
      numbers: 'tokens',
      labels: turns.map(({ time, model }, at) => text.turnAt(numbers.of('whole', at + 1), numbers.time(time), model)),
      ticks: turns.map((_, at) => numbers.of('whole', at + 1)),
      steps,
      series: series.map((one) => ({
        ...one,
        said: [],
        total: numbers.of(
          'tokens',
          one.values.reduce((sum, value) => sum + value, 0),
        ),
      })),
      said: [],
      line:
        all.eur > 0
          ? {
              name: lineName,
              total: cost,
              numbers: 'eur',
              values: soFar.map(({ eur }) => eur),
              said: moneySaid(soFar, words),
            }
          : null,
    },
    table: {
      columns: columnsOf(
        [text.turn, text.time, text.model],
        [...series.map(({ name }) => name), isListed ? text.measures.listPriceEur : text.cost, lineName],
      ),
      rows: turns.map((turn, at) => [
        numberCell(numbers, 'whole', at + 1),
        { text: numbers.time(turn.time), raw: turn.time },
        textCell(turn.model),
        ...[turn.cachedInput, turn.newInput, turn.output].map((tokens) => numberCell(numbers, 'whole', tokens)),
        moneyCell(moneyOf(turn, isListed ? turn.listPriceEur : turn.eur), words),
        moneyCell(soFar[at] ?? all, words),
      ]),
    },
  }
}

function read({ cachedInput, newInput }: Turn): number {
  return cachedInput + newInput
}

function moneyOf({ isUnpriced }: Turn, eur: number): Money {
  return { eur, unpricedCalls: isUnpriced ? 1 : 0 }
}

/** Running sums; noise in the last digits of a double is cut off. */
function sumsSoFar(turns: readonly Turn[], pick: (turn: Turn) => number): Money[] {
  let sum: Money = { eur: 0, unpricedCalls: 0 }
  return turns.map((turn) => {
    const { eur, unpricedCalls } = moneyOf(turn, pick(turn))
    sum = { eur: Math.round((sum.eur + eur) * 1e9) / 1e9, unpricedCalls: sum.unpricedCalls + unpricedCalls }
    return sum
  })
}
