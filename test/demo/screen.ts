import { styleText } from 'node:util'
import type { Status } from '../../shared/status.ts'

/** Where the demo writes: a terminal with a live last line, or a plain log where the output is no terminal. */
export interface Screen {
  heading(text: string): void
  say(text: string): void
  /** One finished call. */
  call(row: CallLine): void
  /** What belongs to the line before. */
  detail(text: string): void
  /** A refusal or a broken answer, with the sentence that the client's SDK showed. */
  refused(client: string, sentence: string): void
  /** The live counter below everything that was said. */
  counter(status: Status): void
  /** Leaves the counter where it is and ends the line. */
  close(): void
}

/** A finished call as the demo shows it. */
export interface CallLine {
  readonly client: string
  readonly model: string
  readonly inputTokens: number
  readonly outputTokens: number
  readonly eur: number
  readonly note: string
  /** State of its task, where the scene is about that. */
  readonly state?: string
}

const stateColours: Readonly<Record<string, 'green' | 'yellow' | 'magenta' | 'red'>> = {
  ok: 'green',
  warn: 'yellow',
  constrained: 'magenta',
  halted: 'red',
}

/** Columns before the text of a refusal. */
const indent = 13

/** Clears a line of the terminal and returns to its begin. */
const clearLine = '\r\u001b[2K'

/** A screen on a stream. The counter is redrawn in place on a terminal and left out elsewhere. */
export function makeScreen(output: NodeJS.WriteStream): Screen {
  const live = output.isTTY
  let counter = ''
  const print = (text: string): void => void output.write(live ? `${clearLine}${text}\n${counter}` : `${text}\n`)
  const columns = (): number => (live ? output.columns : Infinity)
  const paint = (format: Parameters<typeof styleText>[0], text: string): string =>
    styleText(format, text, { stream: output })
  return {
    heading: (text) => print(`\n${paint('bold', text)}`),
    say: (text) => {
      const [first = '', ...rest] = wrapped(text, columns() - 4)
      print(`  ${first}`)
      for (const line of rest) print(`    ${line}`)
    },
    call: ({ client, model, inputTokens, outputTokens, eur, note, state }) => {
      const tokens = `${grouped(inputTokens).padStart(7)} in ${grouped(outputTokens).padStart(6)} out`
      const money = eur === 0 ? '     free' : `€${eur.toFixed(4)}`.padStart(9)
      const stated = state === undefined ? '' : `  ${paint(stateColours[state] ?? 'dim', state)}`
      print(
        `  ${paint('cyan', client.padEnd(10))} ${model.padEnd(17)} ${tokens} ${money}  ${paint('dim', note)}${stated}`,
      )
    },
    detail: (text) => print(`${' '.repeat(indent)}${paint('magenta', text)}`),
    refused: (client, sentence) => {
      const [first = '', ...rest] = wrapped(sentence, columns() - indent)
      print(`  ${paint('red', client.padEnd(10))} ${paint('yellow', first)}`)
      for (const line of rest) print(`${' '.repeat(indent)}${paint('yellow', line)}`)
    },
    counter: (status) => {
      counter = counterLine(status, paint)
      if (live) output.write(`${clearLine}${counter}`)
    },
    close: () => void output.write(live ? '\n' : ''),
  }
}

/** A sentence in lines of at most so many characters, broken at blanks. */
function wrapped(sentence: string, columns: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of sentence.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > columns) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}

function counterLine(
  status: Status,
  paint: (format: 'red' | 'yellow' | 'green' | 'dim', text: string) => string,
): string {
  const { spentEur, reservedEur, capEur, tokens, calls } = status.today
  const total = tokens.input + tokens.cacheRead + tokens.cacheWrite + tokens.output
  const share = capEur === null ? 0 : Math.min(1, spentEur / capEur)
  const width = 24
  const filled = Math.round(share * width)
  const held = Math.min(width - filled, capEur === null ? 0 : Math.round((reservedEur / capEur) * width))
  const colour = share >= 0.95 ? 'red' : share >= 0.8 ? 'yellow' : 'green'
  const bar = `${paint(colour, '█'.repeat(filled))}${paint('dim', '▒'.repeat(held) + '░'.repeat(width - filled - held))}`
  const cap = capEur === null ? '' : ` of ${capEur.toFixed(2)}`
  const state = status.killed
    ? paint('red', '  KILLED')
    : status.inFlight.length > 0
      ? `  ${status.inFlight.length} in flight`
      : ''
  return `  ${bar}  €${spentEur.toFixed(3)}${cap} · ${grouped(total)} tokens · ${calls} calls${state}`
}

/** A whole number with thousands apart, whatever the system's locale. */
export function grouped(value: number): string {
  return value.toLocaleString('en-US')
}
