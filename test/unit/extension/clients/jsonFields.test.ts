import assert from 'node:assert/strict'
import fc from 'fast-check'
import { planClaudeFile, planClaudeSetting } from '../../../../extension/clients/claude.ts'
import { planCline } from '../../../../extension/clients/cline.ts'
import { planContinueJson } from '../../../../extension/clients/continueJson.ts'
import { planCopilot } from '../../../../extension/clients/copilot.ts'
import type { Plan } from '../../../../extension/clients/plan.ts'
import { at, edited, gate } from './support.ts'

const address = fc.constantFrom(
  'https://api.openai.com/v1',
  'https://api.anthropic.com',
  'https://lab.example/v1',
  'http://127.0.0.1:5000/k/old/openai/v1',
  `${at('openai')}/v1/`,
  '',
)
const text = fc.constantFrom('x', 'openai', 'anthropic', 'mistral', 'azure', 'ollama')
/** The same with any field missing, null, or of another kind. */
const loose = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 8, arbitrary: value },
    { weight: 2, arbitrary: fc.constant(null) },
    fc.constantFrom(7, [], {}, 'x'),
  )
const record = (fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<object> =>
  fc.record(Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, loose(value)])), {
    requiredKeys: [],
  })
const list = (entry: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> => fc.array(loose(entry), { maxLength: 3 })

const model = record({ provider: text, title: text, apiBase: address })
const endpoint = record({ id: text, url: address, apiType: fc.constantFrom('messages', 'responses') })
const variables = ['ANTHROPIC_BASE_URL', 'ENABLE_TOOL_SEARCH', 'CLAUDE_CODE_USE_BEDROCK', 'A']
const provider = record({ settings: record({ baseUrl: address, apiKey: text }) })

const files: Readonly<
  Record<string, readonly [fc.Arbitrary<unknown>, (text: string) => Plan, fields: readonly string[]]>
> = {
  'Claude Code’s file': [
    record({
      env: record({ ANTHROPIC_BASE_URL: address, ENABLE_TOOL_SEARCH: text, CLAUDE_CODE_USE_VERTEX: text, A: text }),
      permissions: record({ allow: list(text) }),
    }),
    (present) => planClaudeFile(present, gate),
    ['ANTHROPIC_BASE_URL', 'ENABLE_TOOL_SEARCH'],
  ],
  'Claude Code’s setting': [
    list(fc.record({ name: fc.constantFrom(...variables), value: loose(address) }, { requiredKeys: ['name'] })),
    (present) => planClaudeSetting(present, gate),
    ['value'],
  ],
  Copilot: [
    list(
      record({
        vendor: fc.constantFrom('customendpoint', 'ollama', 'azure', 'openrouter', 'copilot'),
        name: text,
        url: address,
        models: list(endpoint),
      }),
    ),
    (present) => planCopilot(present, gate),
    ['url'],
  ],
  'Continue’s older file': [
    record({ models: list(model), tabAutocompleteModel: model, reranker: model, name: text }),
    (present) => planContinueJson(present, gate),
    ['apiBase'],
  ],
  Cline: [
    record({
      providers: fc.dictionary(fc.constantFrom('anthropic', 'openai', 'openrouter', 'constructor'), loose(provider)),
      version: text,
    }),
    (present) => planCline(present, gate),
    ['baseUrl'],
  ],
}

/** The same without what an edit may change. An object that is empty without it may have been missing. */
function rest(value: unknown, fields: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((inner) => rest(inner, fields)).filter((inner) => !isMade(inner))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !fields.includes(name))
      .map(([name, inner]): [string, unknown] => [name, rest(inner, fields)])
      .filter(([name, inner]) => name !== 'env' || Object.keys(inner ?? {}).length > 0),
  )
}

/** A row that Tollgate writes, without its value. */
function isMade(value: unknown): boolean {
  const name = (value as { readonly name?: unknown } | null)?.name
  return name === 'ANTHROPIC_BASE_URL' || name === 'ENABLE_TOOL_SEARCH'
}

describe('settings in JSON in which any field may be missing, null or of another kind', () => {
  for (const [name, [values, plan, fields]] of Object.entries(files)) {
    it(`of ${name} stay JSON, get addresses and nothing else, and need no second change`, () => {
      let edits = 0
      fc.assert(
        fc.property(values, fc.constantFrom(undefined, 2, '\t'), (value, indent) => {
          const before = JSON.stringify(value, null, indent)
          const planned = plan(before)
          if (planned.kind !== 'edit') return
          edits++
          const after = edited(before, planned)
          assert.deepEqual(rest(JSON.parse(after), fields), rest(JSON.parse(before), fields))
          assert.deepEqual(plan(after), { kind: 'already', left: planned.left })
        }),
        { numRuns: 600 },
      )
      assert.ok(edits > 5, String(edits))
    })
  }
})
