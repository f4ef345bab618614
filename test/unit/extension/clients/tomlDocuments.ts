import fc from 'fast-check'
import { at } from './support.ts'

/** One way to write a table of tables. */
type Style = 'tables' | 'dots' | 'dots below' | 'braces' | 'braces each'

/** What decides where Codex calls, and something else that has to stay as it is. */
export interface CodexSettings {
  readonly model_provider?: string
  readonly profile?: string
  readonly openai_base_url?: string
  readonly profiles: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly model_providers: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** A document and what it says. */
export interface CodexDocument {
  readonly text: string
  readonly settings: CodexSettings
  readonly styles: readonly Style[]
}

const styles = fc.constantFrom<Style>('tables', 'dots', 'dots below', 'braces', 'braces each')
const provider = fc.constantFrom('openai', 'openai', 'tollgate', 'lab', 'azure')
const address = fc.constantFrom(
  `${at('openai')}/v1`,
  'http://127.0.0.1:5000/k/old/openai/v1',
  'https://api.openai.com/v1',
  'https://lab.example/v1',
)
const table = fc.dictionary(fc.constantFrom('name', 'wire_api'), fc.constantFrom('x', 'a # "b"', 'responses'))
const optional = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined })

function withField(field: string, value: fc.Arbitrary<string>): fc.Arbitrary<Record<string, string>> {
  return fc.tuple(table, optional(value)).map(([one, text]) => (text === undefined ? one : { ...one, [field]: text }))
}

/** Codex's configuration in every way that TOML has to write it. */
export const codexDocuments: fc.Arbitrary<CodexDocument> = fc
  .record({
    top: fc.record({
      model_provider: optional(provider),
      profile: optional(fc.constantFrom('work', 'a b')),
      openai_base_url: optional(address),
    }),
    profiles: fc.dictionary(fc.constantFrom('work', 'a b', 'other'), withField('model_provider', provider)),
    model_providers: fc.dictionary(fc.constantFrom('lab', 'tollgate', 'openai'), withField('base_url', address)),
    styles: fc.tuple(styles, styles),
    quotes: fc.infiniteStream(fc.nat(3)),
    remarks: fc.infiniteStream(fc.constantFrom('', '', ' # a note', '\t#"x" = {')),
    end: fc.constantFrom('', '\n', '\r\n', '\n# the end\n'),
  })
  .map(({ top, profiles, model_providers, styles: [ofProfiles, ofProviders], quotes, remarks, end }) => {
    const quoted = (text: string): string =>
      quotes.next().value === 0 && !text.includes("'") ? `'${text}'` : JSON.stringify(text)
    const key = (name: string): string => (/^[\w-]+$/.test(name) && quotes.next().value !== 1 ? name : quoted(name))
    const line = (text: string): string => `${text}${String(remarks.next().value)}`
    const assigned = (path: readonly string[], value: string): string => `${path.map(key).join('.')} = ${value}`
    const braces = (fields: Readonly<Record<string, string>>): string =>
      `{ ${Object.entries(fields)
        .map(([name, text]) => assigned([name], quoted(text)))
        .join(', ')} }`
    const dots = (path: readonly string[], fields: Readonly<Record<string, string>>): string[] =>
      Object.entries(fields).map(([name, text]) => line(assigned([...path, name], quoted(text))))
    const header = (path: readonly string[]): string => line(`[${path.map(key).join('.')}]`)
    /** Lines that have to stand above the first header, and lines that may not. */
    const group = (
      name: string,
      tables: Readonly<Record<string, Readonly<Record<string, string>>>>,
      style: Style,
    ): readonly [string[], string[]] => {
      const entries = Object.entries(tables)
      switch (style) {
        case 'tables':
          return [[], entries.flatMap(([one, fields]) => [header([name, one]), ...dots([], fields)])]
        case 'dots':
          return [entries.flatMap(([one, fields]) => dots([name, one], fields)), []]
        case 'dots below':
          return [[], [header([name]), ...entries.flatMap(([one, fields]) => dots([one], fields))]]
        case 'braces each':
          return [entries.map(([one, fields]) => line(assigned([name, one], braces(fields)))), []]
        case 'braces':
          return [
            [line(`${name} = { ${entries.map(([one, fields]) => assigned([one], braces(fields))).join(', ')} }`)],
            [],
          ]
      }
    }
    const [profilesAbove, profilesBelow] = group('profiles', profiles, ofProfiles)
    const [providersAbove, providersBelow] = group('model_providers', model_providers, ofProviders)
    const settings = Object.fromEntries(Object.entries(top).filter(([, text]) => text !== undefined))
    const lines = [
      '# mine',
      ...Object.entries(settings).map(([name, text]) => line(assigned([name], quoted(text ?? '')))),
      ...profilesAbove,
      ...providersAbove,
      line('[tools]'),
      line('model_provider = "openai"'),
      ...profilesBelow,
      ...providersBelow,
    ]
    return {
      text: lines.join(end === '\r\n' ? '\r\n' : '\n') + end,
      settings: { ...settings, profiles, model_providers },
      styles: [ofProfiles, ofProviders],
    }
  })
