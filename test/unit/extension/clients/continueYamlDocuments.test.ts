import assert from 'node:assert/strict'
import fc from 'fast-check'
import { planContinueYaml } from '../../../../extension/clients/continueYaml.ts'
import { at, edited, gate } from './support.ts'

/** Where an address leads once it is configured; null: it stays. */
const addresses: readonly (readonly [written: string, through: string | null])[] = [
  ['https://api.openai.com/v1', `${at('openai')}/v1/`],
  ['http://127.0.0.1:5000/k/old/openai/v1/', `${at('openai')}/v1/`],
  ['http://localhost:11434', `${at('ollama')}/`],
  [`${at('openai')}/v1/`, null],
  ['https://lab.example/v1', null],
  ['https://generativelanguage.googleapis.com/v1beta/openai/', null],
]

/** What a provider calls where no address is written, through the gate; null: it stays. */
const providers: readonly (readonly [name: string, through: string | null])[] = [
  ['openai', `${at('openai')}/v1/`],
  ['ollama', `${at('ollama')}/`],
  ['mistral', null],
  ['constructor', null],
]

const quotes = fc.constantFrom('', '"', "'")
const remark = fc.constantFrom('', '', '  # a: note', ' # "x"')

/** One key with the lines of its value: as they are, and as they are to be. `{}` is the column of the keys. */
interface Part {
  readonly before: string
  readonly after: string
}

const addressPart = fc
  .tuple(fc.constantFrom(...addresses), quotes, remark)
  .map(([[written, through], quote, behind]): Part => {
    const before = `apiBase: ${quote}${written}${quote}${behind}`
    return { before, after: through === null ? before : `apiBase: ${through}${behind}` }
  })

const otherParts: readonly string[] = [
  'name: A model # mine',
  'apiKey: "sk-canary"',
  'roles:\n{}- chat\n{}- edit',
  'env:\n{}  apiBase: https://api.openai.com/v1\n{}  provider: openai',
  'notes: |\n{}  apiBase: https://api.openai.com/v1\n\n{}  # none',
  'constructor: 1',
]

const model = fc
  .record({
    provider: fc.constantFrom(...providers),
    quote: quotes,
    behind: remark,
    address: fc.option(addressPart),
    others: fc.shuffledSubarray([...otherParts]),
    place: fc.nat(6),
    gap: fc.constantFrom(1, 1, 3),
  })
  .map(({ provider: [name, through], quote, behind, address, others, place, gap }) => {
    const line = `provider: ${quote}${name}${quote}${behind}`
    const isAdded = address === null && through !== null
    const block = `\n{}# tollgate begin\n{}apiBase: ${through ?? ''}\n{}# tollgate end`
    const parts: Part[] = others.map((text) => ({ before: text, after: text }))
    parts.splice(place, 0, { before: line, after: isAdded ? line + block : line })
    if (address !== null) parts.splice(7 - place, 0, address)
    return { parts, gap, isLeading: address === null ? through !== null : !/lab|google/.test(address.after) }
  })

const documents = fc
  .record({
    models: fc.array(model, { minLength: 1, maxLength: 4 }),
    dash: fc.constantFrom('', '  ', '    '),
    lineEnd: fc.constantFrom('\n', '\r\n'),
    head: fc.constantFrom('', 'name: x\n', '# models: none\n---\n'),
    tail: fc.constantFrom('', '\n', '\nrules:\n  - x\n'),
  })
  .map(({ models, dash, lineEnd, head, tail }) => {
    const write = (side: keyof Part): string => {
      const written = models.map(({ parts, gap }) => {
        const column = `${dash} ${' '.repeat(gap)}`
        const lines = parts.map((part, at) => (at === 0 ? '' : column) + part[side].replaceAll('{}', column))
        return `${dash}-${' '.repeat(gap)}${lines.join('\n')}`
      })
      return `${head}models: # all\n${written.join('\n')}${tail}`.replaceAll('\n', lineEnd)
    }
    return { before: write('before'), after: write('after'), left: models.filter((one) => !one.isLeading).length }
  })

describe('Continue’s config.yaml, however it is written', () => {
  it('gets addresses and nothing else, keeps every remark, and names what goes past the gate', () => {
    let edits = 0
    fc.assert(
      fc.property(documents, ({ before, after, left }) => {
        const plan = planContinueYaml(before, gate)
        assert.equal(plan.kind === 'edit', after !== before)
        if (plan.kind === 'edit') {
          edits++
          assert.equal(edited(before, plan), after)
          assert.deepEqual(planContinueYaml(after, gate), { kind: 'already', left: plan.left })
        }
        if (plan.kind === 'edit' || plan.kind === 'already') assert.equal(plan.left.length, left)
      }),
    )
    assert.ok(edits > 20, String(edits))
  })

  it('is not touched where a provider or an address goes on below its line', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('provider', 'apiBase'),
        fc.constantFrom('', ' >-', ' |', ' https://api.openai.com', ' # below'),
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom('', '\n', '\n    # between'),
        (key, value, deeper, between) => {
          const below = `${between}\n    ${' '.repeat(deeper)}openai`
          const text = `models:\n  - model: x\n    ${key}:${value}${below}\n    ${key === 'provider' ? 'name' : 'provider'}: openai\n`
          assert.equal(planContinueYaml(text, gate).kind, 'malformed', text)
        },
      ),
    )
  })
})
