/** What `tollgate prices` is asked to do. `config` is the configuration as it was typed; null: the one in the data directory. */
export type PricesAsk =
  | {
      readonly verb: 'list'
      /** A name, or a pattern with `*`; null: all that the table lists. */
      readonly model: string | null
      readonly provider: string | null
      readonly config: string | null
      readonly json: boolean
    }
  | { readonly verb: 'age'; readonly config: string | null; readonly json: boolean }
  | {
      readonly verb: 'set'
      readonly model: string
      readonly provider: string | null
      readonly usd: NewPrices
      readonly yes: boolean
      readonly config: string | null
    }
  | { readonly verb: 'unset'; readonly model: string; readonly provider: string | null; readonly config: string | null }
  | {
      readonly verb: 'update'
      readonly file: string
      /** Date of the prices; null: what the file says, else its own date. */
      readonly asOf: string | null
      readonly yes: boolean
      readonly config: string | null
    }
  | { readonly verb: 'reset' }

/** Prices in dollars per million tokens; null where they are left out. */
export interface NewPrices {
  readonly input: number
  readonly output: number
  readonly cacheRead: number | null
  readonly cacheWrite: number | null
  readonly cacheWrite1h: number | null
}

/** What each verb takes besides `--data-dir`. */
const optionsOf = {
  list: ['model', 'provider', 'config', 'json'],
  age: ['config', 'json'],
  set: ['provider', 'input', 'output', 'cache-read', 'cache-write', 'cache-write-hour', 'yes', 'config'],
  unset: ['provider', 'config'],
  update: ['as-of', 'yes', 'config'],
  reset: [],
} as const satisfies Readonly<Record<PricesAsk['verb'], readonly string[]>>

const verbs = Object.keys(optionsOf) as PricesAsk['verb'][]

/** A verb that needs a word behind it. */
const operands: Readonly<Record<string, string>> = { set: 'a model', unset: 'a model', update: 'a file' }

/** Dollars per million tokens beyond which a price is a typing error. */
const dearestUsd = 100_000

/** Reads verb and options of `prices`; a string is what is wrong with them, in one sentence. */
export function readPrices(
  words: readonly string[],
  option: (name: string) => string | null,
  isSet: (name: string) => boolean,
): PricesAsk | string {
  const [word = 'list', operand, extra] = words
  const verb = verbs.find((one) => one === word)
  if (verb === undefined) return `prices takes one of ${verbs.join(', ')}, not "${word}".`
  const stray = extra ?? (operands[verb] === undefined ? operand : undefined)
  if (stray !== undefined) return `prices ${verb} takes no "${stray}". See: tollgate help prices`
  const known: readonly string[] = optionsOf[verb]
  const foreign = Object.values(optionsOf)
    .flat()
    .find((name) => !known.includes(name) && isSet(name))
  if (foreign !== undefined) return `prices ${verb} has no option --${foreign}. See: tollgate help prices`
  const config = option('config')
  const provider = option('provider')
  switch (verb) {
    case 'list':
      return { verb, model: option('model'), provider, config, json: isSet('json') }
    case 'age':
      return { verb, config, json: isSet('json') }
    case 'reset':
      return { verb }
    case 'set': {
      if (operand === undefined) return needs(verb)
      const usd = readUsd(option)
      return typeof usd === 'string' ? usd : { verb, model: operand, provider, usd, yes: isSet('yes'), config }
    }
    case 'unset':
      return operand === undefined ? needs(verb) : { verb, model: operand, provider, config }
    case 'update': {
      if (operand === undefined) return needs(verb)
      const asOf = option('as-of')
      if (asOf !== null && !isDate(asOf)) return `--as-of must be a date such as 2026-11-01, not "${asOf}".`
      return { verb, file: operand, asOf, yes: isSet('yes'), config }
    }
  }
}

function needs(verb: 'set' | 'unset' | 'update'): string {
  return `prices ${verb} needs ${operands[verb] ?? ''}. See: tollgate help prices`
}

function readUsd(option: (name: string) => string | null): NewPrices | string {
  const usd: Record<string, number | null> = {}
  for (const name of ['input', 'output', 'cache-read', 'cache-write', 'cache-write-hour']) {
    const text = option(name)
    const value = text === null ? null : Number(text)
    if (text !== null && !(/^\d+(\.\d+)?$/.test(text) && value !== null && value <= dearestUsd)) {
      return `--${name} must be dollars per million tokens, from 0 to ${dearestUsd}, not "${text}".`
    }
    usd[name] = value
  }
  const { input = null, output = null } = usd
  if (input === null || output === null) return 'prices set needs --input and --output, in dollars per million tokens.'
  return {
    input,
    output,
    cacheRead: usd['cache-read'] ?? null,
    cacheWrite: usd['cache-write'] ?? null,
    cacheWrite1h: usd['cache-write-hour'] ?? null,
  }
}

function isDate(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && Number.isFinite(Date.parse(text))
}
