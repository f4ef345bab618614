import type { ShellCommand } from './shellWords.ts'

/** Commands that are joined by `&&`, `||` or fish's `and` and `or`. */
interface Test {
  readonly commands: (readonly string[])[]
  hasOr: boolean
}

interface Block {
  readonly isIf: boolean
  /** A `then` was there, which fish does not have. */
  isBash: boolean
  part: 'head' | 'then' | 'else'
  /** What stands in the head. Without a `then`, all after the first one is the body. */
  tests: Test[]
}

/** The blocks that are open while the commands of a shell's file are read one after the other, and what guards each. */
export class ShellBlocks {
  #open: Block[] = []

  /** The next command. `said`: words at its beginning that are no part of it; `head`: its own first word, where it has one. */
  next({ words, joined }: ShellCommand, said: readonly string[], head: string | undefined): void {
    for (const [at, word] of said.entries()) this.#say(word, said[at - 1])
    if (head === undefined) return
    const block = this.#open.at(-1)
    if (block?.isIf === true && block.part === 'head') {
      const command = words.map(({ text }) => text)
      const goesOn = joined !== ';' || said[0] === 'and' || said[0] === 'or'
      const test = goesOn ? block.tests.at(-1) : undefined
      if (test === undefined) block.tests.push({ commands: [command], hasOr: false })
      else {
        test.commands.push(command)
        test.hasOr ||= joined === '||' || said[0] === 'or'
      }
    }
    if (/^(?:for|foreach|function|switch)$/.test(head)) this.#enter(false)
  }

  /** Whether the command that was read last runs only where a command holds that is one of these. */
  areGuardedBy(isGuard: (command: readonly string[]) => boolean): boolean {
    return this.#open.some((block, at) => {
      const test = this.#testOf(block, at === this.#open.length - 1)
      return test !== undefined && !test.hasOr && test.commands.some(isGuard)
    })
  }

  #testOf({ part, isBash, tests }: Block, isInnermost: boolean): Test | undefined {
    if (part === 'then') return tests.at(-1)
    if (part === 'else' || isBash) return undefined
    return isInnermost && tests.length < 2 ? undefined : tests[0]
  }

  #enter(isIf: boolean): void {
    this.#open.push({ isIf, isBash: false, part: 'head', tests: [] })
  }

  #say(word: string, before: string | undefined): void {
    switch (word) {
      case 'if':
        // In fish, `else if` opens no block of its own.
        if (before === 'else' && this.#open.at(-1)?.isBash === false) this.#turn('head')
        else this.#enter(true)
        break
      case 'then':
        this.#turn('then')
        break
      case 'elif':
        this.#turn('head')
        break
      case 'else':
        this.#turn('else')
        break
      case 'while':
      case 'until':
      case 'begin':
        this.#enter(false)
        break
      case 'fi':
        this.#toIf()
        this.#open.pop()
        break
      case 'end':
        this.#open.pop()
    }
  }

  #turn(part: Block['part']): void {
    const block = this.#toIf()
    if (block === undefined) return
    block.part = part
    block.isBash ||= part === 'then'
    if (part !== 'then') block.tests = []
  }

  /** The innermost `if`. Loops in it are over: what ends one in bash says nothing that is needed here. */
  #toIf(): Block | undefined {
    const at = this.#open.findLastIndex(({ isIf }) => isIf)
    this.#open.length = at + 1
    return this.#open[at]
  }
}
