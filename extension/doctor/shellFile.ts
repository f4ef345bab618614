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
  return variablesOf(text, (line) => /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*[=:]\s*(.*)$/.exec(line), isGate)
}

/** The variables that a start file of a shell, or an `.envrc`, sets or takes away: bash, zsh and fish. */
export function readShellFile(text: string, isGate: (address: string) => boolean): readonly SetVariable[] {
  const set =
    /^\s*(?:(?:export|typeset -x|declare -x)\s+)?([A-Za-z_]\w*)=(.*)$|^\s*set\s+(?:-{1,2}[a-z]+\s+)*(?:-{1,2}\w*x\w*)\s+(?:-{1,2}[a-z]+\s+)*([A-Za-z_]\w*)\s+(.*)$/
  const found = variablesOf(
    text,
    (line) => {
      const match = set.exec(line)
      return match === null ? null : [match[0], match[1] ?? match[3] ?? '', match[2] ?? match[4] ?? '']
    },
    isGate,
  )
  const unset = text.split('\n').flatMap((line, at) => {
    const names = /^\s*(?:unset|set\s+(?:-e|--erase)\w*)\s+([^#;&|]+)/.exec(line)?.[1] ?? ''
    return names
      .split(/\s+/)
      .filter((name) => /^[A-Za-z_]\w*$/.test(name))
      .map((name): SetVariable => ({ name, line: at + 1, leads: 'unset' }))
  })
  return [...found, ...unset]
}

function variablesOf(
  text: string,
  match: (line: string) => readonly (string | undefined)[] | null,
  isGate: (address: string) => boolean,
): readonly SetVariable[] {
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .flatMap((line, at): SetVariable[] => {
      const found = match(line)
      const name = found?.[1] ?? ''
      const written = found?.[2]?.trim() ?? ''
      const inQuotes = quoted.exec(written)
      const value = inQuotes === null ? written.replace(/(?:^|\s+)[#;].*$/, '') : (inQuotes[1] ?? inQuotes[2] ?? '')
      // `${NAME:-other}` keeps what is there already.
      if (name === '' || new RegExp(`^\\$\\{${name}:?[-=]`).test(value) || value === `$${name}`) return []
      return [{ name, line: at + 1, leads: isGate(value) ? 'gate' : 'elsewhere' }]
    })
}
