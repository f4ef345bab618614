import assert from 'node:assert/strict'
import fc from 'fast-check'
import { planClaudeFile, planClaudeSetting } from '../../../../extension/clients/claude.ts'
import { planCline } from '../../../../extension/clients/cline.ts'
import { planContinueJson } from '../../../../extension/clients/continueJson.ts'
import { planContinueYaml } from '../../../../extension/clients/continueYaml.ts'
import { readJson } from '../../../../extension/clients/json.ts'
import type { Plan } from '../../../../extension/clients/plan.ts'
import { takeBackWherever } from '../../../../extension/clients/takeBackWherever.ts'
import { gate } from './support.ts'

/** What is left of Tollgate's change once the user has made another one. */
function after(plan: Plan, change: (text: string) => string): string | undefined {
  assert.equal(plan.kind, 'edit')
  const changed = change(plan.after)
  assert.notEqual(changed, plan.after)
  return takeBackWherever(changed, plan.steps)
}

function json(text: string | undefined): unknown {
  assert.notEqual(text, undefined)
  return readJson(text ?? '', undefined)
}

const yaml = `models:
  - name: A
    provider: openai
    model: a
  - name: B
    provider: anthropic
    apiBase: https://api.anthropic.com/v1/
  - name: C
    provider: openai
    model: c
  - name: D
    provider: openai
    apiBase: https://api.openai.com/v1/
`

describe('taking Tollgate’s part out of a file that was changed since', () => {
  it('finds what was written more than once, with other values in its place', () => {
    const plan = planContinueYaml(yaml, gate)
    assert.equal(
      after(plan, (text) => `# mine\n${text}`),
      `# mine\n${yaml}`,
    )
  })

  it('takes a copy of its block, and passes over one that went with its model', () => {
    const plan = planContinueYaml(yaml, gate)
    assert.equal(
      after(plan, (text) => text.replace(/ {2}- name: C\n[^]*(?= {2}- name: D)/, '')),
      yaml.replace(/ {2}- name: C\n[^]*(?= {2}- name: D)/, ''),
    )
    const two = 'models:\n  - provider: openai\n    model: a\n  - provider: openai\n    model: b\n'
    assert.equal(
      after(planContinueYaml(two, gate), (text) => text + text.slice(text.indexOf('\n') + 1)),
      two + two.slice(two.indexOf('\n') + 1),
    )
  })

  it('does not take a value for a part of a longer one', () => {
    const two =
      'models:\n  - provider: ollama\n    apiBase: http://localhost:11434/v1/\n  - provider: ollama\n    apiBase: http://localhost:11434/\n'
    assert.equal(
      after(planContinueYaml(two, gate), (text) => `${text}# mine\n`),
      `${two}# mine\n`,
    )
    const cline = JSON.stringify(
      {
        providers: {
          'openai-native': { settings: { model: 'a' } },
          openai: { settings: { baseUrl: 'https://api.openai.com/v1' } },
        },
      },
      null,
      2,
    )
    assert.equal(
      after(planCline(cline, gate), (text) => `${text}\n`),
      `${cline}\n`,
    )
  })

  it('leaves an address of the gate that the user wrote, as it cannot tell it from its own', () => {
    const own = planContinueJson('{"models": [{"provider": "openai", "apiBase": "https://api.openai.com/v1/"}]}', gate)
    assert.equal(
      after(own, (text) =>
        text.replace(
          '[{',
          '[{"provider": "openai", "apiBase": "http://127.0.0.1:4141/k/k3yOfThisMachine/openai/v1/"}, {',
        ),
      ),
      undefined,
    )
  })

  it('finds an address that was changed to another port', () => {
    const moved = { origin: 'http://127.0.0.1:4142', key: gate.key }
    const first = planContinueYaml(yaml, gate)
    assert.equal(first.kind, 'edit')
    assert.equal(
      after(planContinueYaml(first.after, moved), (text) => `1: 2\n${text}`),
      `1: 2\n${first.after}`,
    )
  })

  it('takes members out of JSON wherever the user has put others', () => {
    const mine = { name: 'X', value: '1' }
    for (const add of [
      (rows: unknown[]) => [...rows, mine],
      (rows: unknown[]) => [mine, ...rows],
      (rows: unknown[]) => [rows[0], mine, ...rows.slice(1)],
    ]) {
      const changed = after(planClaudeSetting(null, gate), (text) =>
        JSON.stringify(add(JSON.parse(text) as unknown[]), null, 2),
      )
      assert.deepEqual(JSON.parse(changed ?? ''), [mine])
    }
  })

  it('takes its part out of an object that it made and the user went on with', () => {
    const changed = after(planClaudeFile(null, gate), (text) =>
      JSON.stringify({ ...(json(text) as object), permissions: { allow: ['ls'] } }, null, 2),
    )
    assert.deepEqual(json(changed), { env: {}, permissions: { allow: ['ls'] } })
    const inside = after(planClaudeFile('{\n  "a": 1\n}', gate), (text) =>
      text.replace('"env": {', '"env": {\n    "MINE": "1", // mine'),
    )
    assert.deepEqual(json(inside), { a: 1, env: { MINE: '1' } })
    assert.match(inside ?? '', /\/\/ mine/)
  })

  it('keeps JSON valid and everything of the user’s, wherever members are added', () => {
    const member = fc.tuple(fc.constantFrom('P', 'Q', 'R', 'S'), fc.constantFrom('1', '{', ',', '"'))
    fc.assert(
      fc.property(
        fc.uniqueArray(member, { selector: ([name]) => name, maxLength: 3 }),
        fc.uniqueArray(member, { selector: ([name]) => name, maxLength: 3 }),
        fc.nat(4),
        fc.constantFrom(2, 4, '\t'),
        (present, added, place, indent) => {
          const before = JSON.stringify({ env: Object.fromEntries(present) }, null, indent)
          const plan = planClaudeFile(before, gate)
          assert.equal(plan.kind, 'edit')
          const { env } = JSON.parse(plan.after) as { env: Record<string, string> }
          const names = present.map(([name]) => name)
          const own = added.filter(([name]) => !names.includes(name))
          const entries = Object.entries(env)
          entries.splice(place, 0, ...own)
          const restored = takeBackWherever(
            JSON.stringify({ env: Object.fromEntries(entries) }, null, indent),
            plan.steps,
          )
          assert.deepEqual(
            new Map(Object.entries((json(restored) as { env: object }).env)),
            new Map<string, unknown>([...present, ...own]),
          )
        },
      ),
    )
  })

  it('touches nothing where a part of it would stay', () => {
    const plan = planContinueYaml(yaml, gate)
    assert.equal(
      after(plan, (text) => text.replace('# tollgate end', '# end')),
      undefined,
    )
    assert.equal(
      after(plan, () => ''),
      undefined,
    )
    assert.equal(
      after(plan, () => yaml),
      undefined,
    )
  })
})
