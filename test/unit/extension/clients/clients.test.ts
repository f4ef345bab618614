import assert from 'node:assert/strict'
import { planClaudeFile, planClaudeSetting } from '../../../../extension/clients/claude.ts'
import { planCline } from '../../../../extension/clients/cline.ts'
import { planContinueJson } from '../../../../extension/clients/continueJson.ts'
import { planCopilot } from '../../../../extension/clients/copilot.ts'
import { readJson } from '../../../../extension/clients/json.ts'
import type { Plan } from '../../../../extension/clients/plan.ts'
import { at, edited, gate } from './support.ts'

const planners: Readonly<Record<string, (text: string | null) => Plan>> = {
  'Claude Code’s file': (text) => planClaudeFile(text, gate),
  'Claude Code’s setting': (text) => planClaudeSetting(text, gate),
  Copilot: (text) => planCopilot(text, gate),
  'Continue’s older file': (text) => planContinueJson(text ?? '', gate),
  Cline: (text) => planCline(text, gate),
}

describe('settings in JSON', () => {
  it('that are malformed, or of another shape, are not touched', () => {
    for (const [name, plan] of Object.entries(planners)) {
      for (const bad of ['{', '{"env": }', '"text"', '7', 'null', '[1, 2', '{"a": 1} x']) {
        assert.equal(plan(bad).kind, 'malformed', `${name}: ${bad}`)
      }
    }
    assert.equal(planClaudeFile('{"env": []}', gate).kind, 'malformed')
    assert.equal(planClaudeFile('{"env": "x"}', gate).kind, 'malformed')
    assert.equal(planClaudeFile('{"env": {"ANTHROPIC_BASE_URL": 7}}', gate).kind, 'malformed')
    assert.equal(planClaudeSetting('[{"value": "x"}]', gate).kind, 'malformed')
    assert.equal(planCopilot('[{"vendor": "customendpoint", "models": {}}]', gate).kind, 'malformed')
    assert.equal(planCline('{"providers": []}', gate).kind, 'malformed')
    assert.equal(planCline('{"providers": {"openai": {"settings": {"baseUrl": 7}}}}', gate).kind, 'malformed')
    assert.equal(planContinueJson('{"models": [{"provider": "openai", "apiBase": {}}]}', gate).kind, 'malformed')
  })

  it('that have a name twice are not touched, because it is not known which one counts', () => {
    const url = '"ANTHROPIC_BASE_URL": "https://api.anthropic.com"'
    assert.equal(planClaudeFile(`{"env": {${url}, ${url}}}`, gate).kind, 'malformed')
    assert.equal(planClaudeFile(`{"env": {}, "env": {${url}}}`, gate).kind, 'malformed')
    const row = '{"name": "ANTHROPIC_BASE_URL", "value": ""}'
    assert.equal(planClaudeSetting(`[${row}, ${row}]`, gate).kind, 'malformed')
    assert.equal(planCline('{"providers": {"anthropic": {"settings": {"a": 1, "a": 2}}}}', gate).kind, 'malformed')
  })
})

describe('Claude Code’s settings', () => {
  const file = `{
    // kept
    "permissions": { "allow": ["Bash(ls)"], },
    "env": {
        "ANTHROPIC_AUTH_TOKEN": "sk-canary"
    }
}
`

  it('get the base URL and keep tool search, comments and indentation', () => {
    const after = edited(file, planClaudeFile(file, gate))
    assert.deepEqual(readJson(after, undefined), {
      permissions: { allow: ['Bash(ls)'] },
      env: {
        ANTHROPIC_AUTH_TOKEN: 'sk-canary',
        ANTHROPIC_BASE_URL: at('anthropic'),
        ENABLE_TOOL_SEARCH: 'true',
      },
    })
    assert.match(after, /^ {4}\/\/ kept$/m)
    assert.match(after, /^ {8}"ANTHROPIC_BASE_URL"/m)
    assert.equal(planClaudeFile(after, gate).kind, 'already')
  })

  it('are made where they are absent or empty', () => {
    for (const before of [null, '', '{}', '\uFEFF{}']) {
      const after = edited(before, planClaudeFile(before, gate))
      assert.deepEqual(readJson(after, undefined), {
        env: { ANTHROPIC_BASE_URL: at('anthropic'), ENABLE_TOOL_SEARCH: 'true' },
      })
    }
  })

  it('get an environment where there is null in its place', () => {
    const after = edited('{"env": null}', planClaudeFile('{"env": null}', gate))
    assert.deepEqual(readJson(after, undefined), {
      env: { ANTHROPIC_BASE_URL: at('anthropic'), ENABLE_TOOL_SEARCH: 'true' },
    })
  })

  it('keep a remark behind the value that it is about', () => {
    const before = '{\n  "env": { // work\n    "A": "1" // one\n  }\n}\n'
    const after = edited(before, planClaudeFile(before, gate))
    for (const line of before.split('\n')) assert.ok(after.split('\n').includes(line), line)
    assert.equal(planClaudeFile(after, gate).kind, 'already')
  })

  it('keep Windows line ends', () => {
    const before = file.replaceAll('\n', '\r\n')
    assert.equal(edited(before, planClaudeFile(before, gate)).match(/(?<!\r)\n/g), null)
  })

  it('get their official address replaced, and nobody else’s', () => {
    const official = '{"env": {"ANTHROPIC_BASE_URL": "https://api.anthropic.com", "ENABLE_TOOL_SEARCH": "auto"}}'
    assert.deepEqual(readJson(edited(official, planClaudeFile(official, gate)), undefined), {
      env: { ANTHROPIC_BASE_URL: at('anthropic'), ENABLE_TOOL_SEARCH: 'auto' },
    })
    const proxy = '{"env": {"ANTHROPIC_BASE_URL": "https://llm.corp.example/anthropic"}}'
    assert.deepEqual(planClaudeFile(proxy, gate), { kind: 'elsewhere', server: 'llm.corp.example' })
    assert.equal(planClaudeFile('{"env": {"CLAUDE_CODE_USE_BEDROCK": "1"}}', gate).kind, 'elsewhere')
  })

  it('that use Azure are not touched', () => {
    assert.equal(planClaudeFile('{"env": {"CLAUDE_CODE_USE_FOUNDRY": "1"}}', gate).kind, 'azure')
    const address = '{"env": {"ANTHROPIC_BASE_URL": "https://me.services.ai.azure.com/anthropic"}}'
    assert.equal(planClaudeFile(address, gate).kind, 'azure')
  })

  it('of the panel are a list, and read back from VS Code as they were written', () => {
    for (const value of [
      null,
      [],
      [{ name: 'ANTHROPIC_AUTH_TOKEN', value: 'sk-canary' }],
      [
        { name: 'ANTHROPIC_BASE_URL', value: 'https://api.anthropic.com' },
        { name: 'X', value: '1' },
      ],
    ]) {
      const before = value === null ? null : JSON.stringify(value, null, 2)
      const after = edited(before, planClaudeSetting(before, gate))
      assert.equal(JSON.stringify(JSON.parse(after), null, 2), after)
      const rows = JSON.parse(after) as { name: string; value: string }[]
      assert.equal(rows.find(({ name }) => name === 'ANTHROPIC_BASE_URL')?.value, at('anthropic'))
      assert.equal(rows.length, 2 + (value ?? []).filter(({ name }) => name !== 'ANTHROPIC_BASE_URL').length)
      assert.equal(planClaudeSetting(after, gate).kind, 'already')
    }
  })
})

describe('Copilot’s custom endpoints', () => {
  const file = `[
\t{
\t\t"name": "OpenAI", // mine
\t\t"vendor": "customendpoint",
\t\t"apiKey": "\${input:chat.lm.secret.1}",
\t\t"apiType": "responses",
\t\t"models": [
\t\t\t{ "id": "gpt-5", "url": "https://api.openai.com/v1/responses", "toolCalling": true },
\t\t\t{ "id": "lab", "name": "Lab model", "url": "https://lab.example/v1" }
\t\t]
\t},
\t{ "vendor": "ollama", "name": "Ollama", "url": "http://localhost:11434" },
\t{ "vendor": "anthropic", "name": "Anthropic", "apiKey": "x" }
]`

  it('get their own path at the gate, and other servers stay', () => {
    const plan = planCopilot(file, gate)
    const after = edited(file, plan)
    assert.equal(
      after,
      file
        .replace('https://api.openai.com/v1/responses', `${at('openai')}/v1/responses`)
        .replace('http://localhost:11434', at('ollama')),
    )
    const left = ['Lab model (lab.example)', 'Anthropic']
    assert.deepEqual(plan.kind === 'edit' && plan.left, left)
    assert.deepEqual(planCopilot(after, gate), { kind: 'already', left })
  })

  it('are not touched where the provider offers a format that the gate refuses there', () => {
    const of = (url: string, more: object = {}) =>
      JSON.stringify([{ vendor: 'customendpoint', models: [{ id: 'm', url, ...more }] }])
    for (const [url, more] of [
      ['https://api.anthropic.com/v1/chat/completions', {}],
      ['https://api.anthropic.com/v1', {}],
      ['https://api.anthropic.com/v1', { apiType: 'chat-completions' }],
      ['https://generativelanguage.googleapis.com/v1beta/openai/chat/completions', {}],
    ] as const) {
      assert.deepEqual(planCopilot(of(url, more), gate), { kind: 'elsewhere', server: new URL(url).host })
    }
    for (const [url, more] of [
      ['https://api.anthropic.com/v1/messages', {}],
      ['https://api.anthropic.com', { apiType: 'messages' }],
    ] as const) {
      assert.equal(planCopilot(of(url, more), gate).kind, 'edit')
    }
  })

  it('of Ollama, and groups of other vendors, are named where they go past the gate', () => {
    const groups = JSON.stringify([
      { vendor: 'customendpoint', name: 'Mine', url: `${at('openai')}/v1` },
      { vendor: 'ollama', name: 'Local' },
      { vendor: 'openrouter', name: 'OpenRouter' },
      { vendor: 'azure', name: 'Work' },
      { vendor: 'copilot', name: 'Copilot' },
    ])
    assert.deepEqual(planCopilot(groups, gate), {
      kind: 'already',
      left: ['Local (ollama)', 'OpenRouter', 'Work (Azure)'],
    })
  })

  it('are not invented where there are none', () => {
    for (const none of [null, '', '[]', '[{"vendor": "anthropic", "name": "A"}]']) {
      assert.equal(planCopilot(none, gate).kind, 'nothing')
    }
  })

  it('at Azure, or at another server, are not touched', () => {
    assert.equal(planCopilot('[{"vendor": "azure", "models": [{"url": "https://x"}]}]', gate).kind, 'azure')
    const custom = '[{"vendor": "customendpoint", "models": [{"url": "https://my.openai.azure.com/openai/v1"}]}]'
    assert.equal(planCopilot(custom, gate).kind, 'azure')
    const lab = custom.replace('my.openai.azure.com', 'lab.example')
    assert.deepEqual(planCopilot(lab, gate), { kind: 'elsewhere', server: 'lab.example' })
  })
})

describe('Cline’s providers', () => {
  const settings = (provider: string, more: object = {}) => ({ settings: { provider, apiKey: 'sk-canary', ...more } })

  it('that the gate forwards to get its address', () => {
    const before = JSON.stringify(
      {
        version: 1,
        lastUsedProvider: 'anthropic',
        providers: {
          anthropic: settings('anthropic'),
          'openai-native': settings('openai-native', { baseUrl: '' }),
          openai: settings('openai', { baseUrl: 'https://openrouter.ai/api/v1' }),
          ollama: settings('ollama', { baseUrl: 'http://127.0.0.1:11434/v1' }),
          cline: settings('cline'),
        },
      },
      null,
      2,
    )
    const after = edited(before, planCline(before, gate))
    const { providers } = JSON.parse(after) as { providers: Record<string, { settings: { baseUrl?: string } }> }
    assert.deepEqual(
      Object.entries(providers).map(([name, provider]) => [name, provider.settings.baseUrl]),
      [
        ['anthropic', at('anthropic')],
        ['openai-native', `${at('openai')}/v1`],
        ['openai', `${at('openrouter')}/v1`],
        ['ollama', `${at('ollama')}/v1`],
        ['cline', undefined],
      ],
    )
    assert.deepEqual(planCline(after, gate), { kind: 'already', left: ['cline'] })
  })

  it('are named where they go past the gate while another goes through it', () => {
    const providers = {
      anthropic: settings('anthropic', { baseUrl: at('anthropic') }),
      openrouter: settings('openrouter'),
      openai: settings('openai', { baseUrl: 'https://llm.corp.example/v1' }),
      'openai-native': settings('openai-native', { baseUrl: null }),
    }
    const plan = planCline(JSON.stringify({ providers }), gate)
    const left = ['openrouter', 'openai (llm.corp.example)']
    assert.deepEqual(plan.kind === 'edit' && plan.left, left)
    const after = edited(JSON.stringify({ providers }), plan)
    assert.deepEqual(planCline(after, gate), { kind: 'already', left })
  })

  it('of any name are read', () => {
    for (const name of ['constructor', 'toString', '__proto__']) {
      const text = `{"providers": {"${name}": {"settings": {}}, "anthropic": {"settings": {}}}}`
      const plan = planCline(text, gate)
      assert.deepEqual(plan.kind === 'edit' && plan.left, [name])
      assert.deepEqual(planCline(edited(text, plan), gate), { kind: 'already', left: [name] })
    }
  })

  it('that would speak a format which the gate refuses there are not touched', () => {
    const openai = (baseUrl: string) => JSON.stringify({ providers: { openai: settings('openai', { baseUrl }) } })
    for (const url of ['https://api.anthropic.com/v1', 'https://generativelanguage.googleapis.com/v1beta/openai/']) {
      assert.deepEqual(planCline(openai(url), gate), { kind: 'elsewhere', server: new URL(url).host })
    }
  })

  it('of another server, of Azure, or none, are not touched', () => {
    const of = (baseUrl?: string) => JSON.stringify({ providers: { openai: settings('openai', { baseUrl }) } })
    assert.deepEqual(planCline(of('https://llm.corp.example/v1'), gate), {
      kind: 'elsewhere',
      server: 'llm.corp.example',
    })
    assert.equal(planCline(of('https://my.openai.azure.com/openai/v1'), gate).kind, 'azure')
    assert.equal(planCline(of(), gate).kind, 'nothing')
    for (const none of [null, '', '{}']) assert.equal(planCline(none, gate).kind, 'nothing')
  })
})

describe('Continue’s older file', () => {
  it('gets an address for each model that the gate forwards to', () => {
    const before = `{
  "models": [
    { "title": "GPT", "provider": "openai", "model": "gpt-4o", "apiKey": "sk-canary" },
    { "title": "Local", "provider": "ollama", "model": "qwen3", "apiBase": "http://localhost:11434" },
    { "title": "Work", "provider": "azure", "apiBase": "https://my.openai.azure.com" }
  ],
  "tabAutocompleteModel": { "provider": "mistral", "model": "codestral" } // stays
}`
    const plan = planContinueJson(before, gate)
    const after = readJson(edited(before, plan), undefined) as { models: { apiBase: string }[] }
    assert.deepEqual(
      after.models.map(({ apiBase }) => apiBase),
      [`${at('openai')}/v1/`, `${at('ollama')}/`, 'https://my.openai.azure.com'],
    )
    assert.deepEqual(plan.kind === 'edit' && plan.left, ['codestral (mistral)', 'Work (Azure)'])
  })

  it('names models of other providers and servers while others go through the gate', () => {
    const before = JSON.stringify({
      models: [
        { title: 'GPT', provider: 'openai', apiBase: `${at('openai')}/v1/` },
        { title: 'Corp', provider: 'openai', apiBase: 'https://llm.corp.example/v1' },
        { title: 'Claude', provider: 'openai', apiBase: 'https://api.anthropic.com/v1/' },
        { title: 'Gemini', provider: 'openai', apiBase: 'https://generativelanguage.googleapis.com/v1beta/openai/' },
        { title: 'Mistral', provider: 'mistral' },
      ],
      embeddingsProvider: { provider: 'transformers.js' },
    })
    assert.deepEqual(planContinueJson(before, gate), {
      kind: 'already',
      left: [
        'Corp (llm.corp.example)',
        'Claude (api.anthropic.com)',
        'Gemini (generativelanguage.googleapis.com)',
        'Mistral',
      ],
    })
  })

  it('that has only models which have no address has nothing to change', () => {
    assert.equal(planContinueJson('{"models": [{"provider": "mistral"}]}', gate).kind, 'nothing')
  })

  it('that uses only Azure is not touched', () => {
    assert.equal(planContinueJson('{"models": [{"provider": "azure"}]}', gate).kind, 'azure')
  })
})
