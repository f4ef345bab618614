import { afterHereDocument } from './hereDocument.ts'
import type { HereDocument } from './hereDocument.ts'

/** One word of a shell's command. */
export interface ShellWord {
  /** Without its quotes. */
  readonly text: string
  /** From 1. */
  readonly line: number
}

/** One simple command, with what joins it to the one before. */
export interface ShellCommand {
  readonly words: readonly ShellWord[]
  /** `&&` and `||` make it depend on the one before. */
  readonly joined: '&&' | '||' | ';'
}

/**
 * The commands of a start file of bash, zsh or fish, as far as they can be told apart without running them. A quote that is left
 * open ends with its line: what a shell's own syntax hides in one line must not hide the rest of the file. Here-documents are left out.
 */
export function shellCommands(text: string): readonly ShellCommand[] {
  const commands: ShellCommand[] = []
  let words: ShellWord[] = []
  let joined: ShellCommand['joined'] = ';'
  let word: string | undefined
  let quote = ''
  let line = 1
  let wordLine = 1
  /** Here-documents that begin with the next line. */
  let documents: HereDocument[] = []
  /** The `<<` or `<<-` whose word comes next. */
  let redirection: string | undefined
  const add = (part: string): void => {
    if (word === undefined) wordLine = line
    word = (word ?? '') + part
  }
  const endWord = (): void => {
    if (word === undefined) return
    if (redirection === undefined) words.push({ text: word, line: wordLine })
    else documents.push({ word, isIndented: redirection === '<<-' })
    word = redirection = undefined
  }
  const endCommand = (next: ShellCommand['joined']): void => {
    endWord()
    redirection = undefined
    if (words.length > 0) commands.push({ words, joined })
    // An operator at the end of a line joins the next line.
    if (words.length > 0 || next !== ';') joined = next
    words = []
  }
  const endLine = (): void => {
    quote = ''
    endCommand(';')
    line++
    for (const document of documents) {
      const from = tokens.lastIndex
      tokens.lastIndex = afterHereDocument(text, from, document)
      line += text.slice(from, tokens.lastIndex).split('\n').length - 1
    }
    documents = []
  }
  const tokens = /\\\r?\n|\\.|\r?\n|&&|\|\||<<<|<<-?|[ \t]+|[^\\ \t\r\n"'#;&|<]+|./gs
  for (let found = tokens.exec(text); found !== null; found = tokens.exec(text)) {
    const [token] = found
    if (token.endsWith('\n')) {
      if (token.startsWith('\\') && (quote === '' || quote === '"')) line++
      else endLine()
    } else if (quote === '#') continue
    else if (token === "\\'" && quote === "'") {
      add('\\')
      quote = ''
    } else if (token.startsWith('\\')) add(quote === "'" ? token : token.slice(1))
    else if (token === quote) quote = ''
    else if (quote !== '') add(token)
    else if (token === '"' || token === "'") {
      quote = token
      add('')
    } else if (/^[ \t]/.test(token)) endWord()
    else if (token === '#' && word === undefined) quote = '#'
    else if (token === '&&' || token === '||') endCommand(token)
    else if (/^[;&|]$/.test(token)) endCommand(';')
    else if (token === '<<' || token === '<<-') {
      endWord()
      redirection = token
    } else add(token)
  }
  endCommand(';')
  return commands
}
