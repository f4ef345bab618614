import assert from 'node:assert/strict'
import { planContinueYaml } from '../../../../extension/clients/continueYaml.ts'
import { at, edited, gate } from './support.ts'

const realistic = `name: My Config
version: 0.0.1
schema: v1

models:
  # the good one
  - name: GPT
    provider: openai # mine
    model: gpt-4o
    apiKey: sk-canary
    roles:
      - chat
      - edit
  - provider: "anthropic"
    name: Claude
    model: claude-sonnet-4-5
    requestOptions:
      headers:
        x-team: shop
  - name: Local
    provider: ollama
    model: qwen3
    apiBase: http://localhost:11434
  - name: Work
    provider: azure
    apiBase: https://my.openai.azure.com
  - name: Lab
    provider: openai
    apiBase: https://lab.example/v1
  - uses: openai/gpt-5
rules:
  - Be brief.
`

describe('Continue’s config.yaml', () => {
  it('gets marked lines at the models that the gate forwards to, and nothing else changes', () => {
    const plan = planContinueYaml(realistic, gate)
    const after = edited(realistic, plan)
    const block = (address: string): string => `    # tollgate begin\n    apiBase: ${address}\n    # tollgate end\n`
    assert.equal(
      after,
      realistic
        .replace('provider: openai # mine\n', `provider: openai # mine\n${block(`${at('openai')}/v1/`)}`)
        .replace('- provider: "anthropic"\n', `- provider: "anthropic"\n${block(`${at('anthropic')}/v1/`)}`)
        .replace('apiBase: http://localhost:11434\n', `apiBase: ${at('ollama')}/\n`),
    )
    const left = ['Work (Azure)', 'Lab (lab.example)', 'openai/gpt-5']
    assert.deepEqual(plan.kind === 'edit' && plan.left, left)
    assert.deepEqual(planContinueYaml(after, gate), { kind: 'already', left })
  })

  it('gets the new address where the gate has moved, in the block that is there', () => {
    const after = edited(realistic, planContinueYaml(realistic, gate))
    const moved = planContinueYaml(after, { origin: 'http://127.0.0.1:5000', key: 'other' })
    assert.equal(moved.kind, 'edit')
    assert.equal(
      moved.after,
      after.replaceAll('http://127.0.0.1:4141/k/k3yOfThisMachine', 'http://127.0.0.1:5000/k/other'),
    )
  })

  it('keeps Windows line ends, and a last line without one', () => {
    const before = 'models:\r\n- model: gpt-4o\r\n  provider: openai'
    const after = edited(before, planContinueYaml(before, gate))
    assert.equal(after.match(/(?<!\r)\n/g), null)
    assert.ok(
      after.endsWith(
        'provider: openai\r\n  # tollgate begin\r\n  apiBase: ' + at('openai') + '/v1/\r\n  # tollgate end',
      ),
    )
  })

  it('gets the value of an address replaced where it stands, with the remark behind it kept', () => {
    for (const [written, address] of [
      ['apiBase: "https://api.openai.com/v1" # here', `apiBase: ${at('openai')}/v1/ # here`],
      ['apiBase: # none yet', `apiBase: ${at('openai')}/v1/ # none yet`],
      ['apiBase:', `apiBase: ${at('openai')}/v1/`],
      ['apiBase: null', `apiBase: ${at('openai')}/v1/`],
    ] as const) {
      for (const text of [
        'models:\n  -   {}\n      provider: openai\n',
        'models:\n  - provider: openai\n    {}\n    model: x\n',
      ]) {
        const before = text.replace('{}', written)
        const after = edited(before, planContinueYaml(before, gate))
        assert.equal(after, text.replace('{}', address))
        assert.equal(planContinueYaml(after, gate).kind, 'already')
      }
    }
  })

  it('may have lists right below their key, and keys of any name', () => {
    const before = `models:
  - name: GPT
    roles:
    - chat
    - edit
    constructor: 1
    __proto__: 2
    provider: openai
`
    assert.equal(
      edited(before, planContinueYaml(before, gate)),
      `${before.trimEnd()}\n    # tollgate begin\n    apiBase: ${at('openai')}/v1/\n    # tollgate end\n`,
    )
  })

  it('names models of other providers and servers while others go through the gate', () => {
    const before = `models:
  - name: GPT
    provider: openai
    apiBase: ${at('openai')}/v1/
  - name: Corp
    provider: openai
    apiBase: https://llm.corp.example/v1
  - name: Gemini
    provider: openai
    apiBase: https://generativelanguage.googleapis.com/v1beta/openai/
  - name: |
      Several lines
    provider: constructor
  - name: Codestral
    provider: mistral
  - provider: transformers.js
`
    assert.deepEqual(planContinueYaml(before, gate), {
      kind: 'already',
      left: [
        'Corp (llm.corp.example)',
        'Gemini (generativelanguage.googleapis.com)',
        'constructor',
        'Codestral (mistral)',
      ],
    })
    assert.equal(planContinueYaml('models:\n  - provider: mistral\n', gate).kind, 'nothing')
  })

  it('without a model that could be changed is not touched', () => {
    for (const none of [null, '', 'name: x\n', 'models: []\n', 'models:\n  - uses: a/b\n', '# models:\n']) {
      assert.equal(planContinueYaml(none, gate).kind, 'nothing', String(none))
    }
    assert.equal(planContinueYaml('models:\n  - provider: azure\n', gate).kind, 'azure')
    assert.deepEqual(planContinueYaml('models:\n  - provider: openai\n    apiBase: https://lab.example/v1\n', gate), {
      kind: 'elsewhere',
      server: 'lab.example',
    })
  })

  it('that is written in another way, or is broken, is not touched', () => {
    for (const bad of [
      'models: [{provider: openai}]',
      'models: *all',
      'models:\n  - {provider: openai}\n',
      'models:\n\t- provider: openai\n',
      'models:\n  provider: openai\n',
      'models:\n  - provider: openai\n   model: x\n',
      'models:\n  - provider: openai\n  model: x\n',
      'models:\n  - provider: openai\n    provider: anthropic\n',
      'models:\n  - provider: &p openai\n',
      'models:\n  - provider: "open\\u0061i"\n',
      'models:\n  - provider:\n      openai\n',
      'models:\n  - provider: openai\n    apiBase:\n      https://api.openai.com/v1\n',
      'models:\n  - provider: openai\n    apiBase: https://api.openai.com\n\n      /v1\n',
      'models:\n  - provider: openai\n    apiBase: >-\n      https://api.openai.com/v1\n',
      'models:\n  - provider: openai\n    <<: *more\n',
      'models:\n  - provider: openai\nmodels:\n  - provider: openai\n',
      'a: 1\n---\nmodels:\n  - provider: openai\n',
    ]) {
      assert.equal(planContinueYaml(bad, gate).kind, 'malformed', bad)
    }
  })
})
