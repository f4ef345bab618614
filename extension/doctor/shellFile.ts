import { ShellBlocks } from './shellBlocks.ts'
import { shellCommands } from './shellWords.ts'
import type { ShellWord } from './shellWords.ts'

/** A file in which variables are set, as far as the doctor looks at it: names and places, no values. */
export interface SetVariable {
  readonly name: string
  /** From 1. */
  readonly line: number
  /** What its value leads to. Only this is kept of it. */
  readonly leads: 'gate' | 'elsewhere' | 'unset'
}

const quoted = /^"((?:[^"\\]|\\.)*)"|^'([^']*)'/

/** The variables of a `.env` file. `isGate` tells addresses of the gate apart. */
export function readEnvFile(text: string, isGate: (address: string) => boolean): readonly SetVariable[] {
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .flatMap((row, at): SetVariable[] => {
      const found = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*[=:]\s*(.*)$/.exec(row)
      const [, name = '', written = ''] = found ?? []
      const inQuotes = quoted.exec(written.trim())
      const value = inQuotes === null ? written.replace(/(?:^|\s+)[#;].*$/, '') : (inQuotes[1] ?? inQuotes[2] ?? '')
      if (name === '' || keeps(name, value.trim())) return []
      return [{ name, line: at + 1, leads: isGate(value) ? 'gate' : 'elsewhere' }]
    })
}

/** The variables that a start file of a shell, or an `.envrc`, sets or takes away: bash, zsh and fish. */
export function readShellFile(text: string, isGate: (address: string) => boolean): readonly SetVariable[] {
  let before: readonly string[] = []
  const blocks = new ShellBlocks()
  return shellCommands(text.replace(/^\uFEFF/, '')).flatMap((command): readonly SetVariable[] => {
    const { words, joined } = command
    const label = words[0]?.text === 'case' ? words.findIndex(({ text: word }) => caseLabel.test(word)) : -1
    const opens = words.findIndex(({ text: word }, at) => at > label && !opening.test(word))
    const said = words.slice(0, opens < 0 ? words.length : opens).map((word) => word.text)
    blocks.next(command, said, words[opens]?.text)
    // A line that is only `{` belongs to the test before it.
    if (opens < 0) {
      before = [...before, ...said]
      return []
    }
    const condition = [...before, joined, ...said]
    before = words.map((word) => word.text)
    return changes(words.slice(opens)).flatMap(({ name, line, value }): readonly SetVariable[] => {
      if (value === null) return [{ name, line, leads: 'unset' }]
      if (keeps(name, value) || onlyWhereUnset(name, condition)) return []
      if (blocks.areGuardedBy((test) => tellsAbsence(name, test) === true)) return []
      return [{ name, line, leads: isGate(value) ? 'gate' : 'elsewhere' }]
    })
  })
}

/** Words that stand before a command and are none. */
const opening =
  /^(?:if|elif|while|until|then|do|else|and|or|not|begin|time|builtin|command|!|\{|\}|fi|done|end|[^()=]+\))$/

const caseLabel = /^[^()=]+\)$/

/** A variable that a command changes for all that comes after it; null: it is taken away. */
interface Change {
  readonly name: string
  readonly line: number
  readonly value: string | null
}

/** What a command changes. An assignment before a program counts for that program only. */
function changes([head, ...rest]: readonly ShellWord[]): readonly Change[] {
  if (head === undefined) return []
  const isFlag = ({ text }: ShellWord): boolean => /^[-+]/.test(text)
  const flags = rest.filter(isFlag).map(({ text }) => text)
  const operands = rest.filter((word) => !isFlag(word))
  const has = (letter: string, long: string): boolean =>
    flags.some((flag) => flag === long || (/^-\w+$/.test(flag) && flag.includes(letter)))
  const away = (): readonly Change[] =>
    operands.flatMap(({ text, line }): Change[] => {
      const name = /^([A-Za-z_]\w*)(?:=|$)/.exec(text)?.[1]
      return name === undefined ? [] : [{ name, line, value: null }]
    })
  switch (head.text) {
    case 'export':
      return has('n', '') ? away() : assignments(operands)
    case 'declare':
    case 'typeset':
    case 'readonly':
      return flags.some((flag) => /^\+\w*x/.test(flag)) ? away() : assignments(operands)
    case 'unset':
      return has('f', '') ? [] : away()
    case 'set': {
      if (has('e', '--erase') || has('u', '--unexport')) return away()
      if (has('q', '--query') || has('l', '--local') || has('n', '--names') || has('S', '--show')) return []
      const [name, ...values] = operands
      if (name === undefined || values.length === 0 || !/^[A-Za-z_]\w*$/.test(name.text)) return []
      return [{ name: name.text, line: name.line, value: values.map(({ text }) => text).join(' ') }]
    }
    default:
      return [head, ...rest].every(({ text }) => assignment.test(text)) ? assignments([head, ...rest]) : []
  }
}

const assignment = /^([A-Za-z_]\w*)=(.*)$/s

function assignments(words: readonly ShellWord[]): readonly Change[] {
  return words.flatMap(({ text, line }): Change[] => {
    const [, name = '', value = ''] = assignment.exec(text) ?? []
    return name === '' ? [] : [{ name, line, value }]
  })
}

/** `${NAME:-other}` keeps what is there already. */
function keeps(name: string, value: string): boolean {
  return new RegExp(`^\\$\\{${name}:?[-=]`).test(value) || value === `$${name}` || value === `\${${name}}`
}

/** Whether a command runs only where the variable is not there: `[ -z "$NAME" ] &&`, `set -q NAME; or`. Terminals have set it. */
function onlyWhereUnset(name: string, condition: readonly string[]): boolean {
  const absent = tellsAbsence(name, condition)
  if (absent === undefined) return false
  const has = (...words: readonly string[]): boolean => words.some((word) => condition.includes(word))
  return has('||', 'or') ? !absent : absent && has('&&', 'and')
}

/** Whether a test holds where the variable is not there (true) or where it is (false); undefined where it tests something else. */
function tellsAbsence(name: string, test: readonly string[]): boolean | undefined {
  if (!test.some((word) => new RegExp(`^(?:\\$\\{?)?${name}\\b`).test(word))) return undefined
  const has = (...words: readonly string[]): boolean => words.some((word) => test.includes(word))
  const isNegated = has('!', 'not')
  return has('-z') ? !isNegated : has('-n', '-v', '-q', '--query') ? isNegated : undefined
}
