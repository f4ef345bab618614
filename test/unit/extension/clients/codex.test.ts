import assert from 'node:assert/strict'
import { planCodex } from '../../../../extension/clients/codex.ts'
import { scanToml } from '../../../../extension/clients/toml.ts'
import { at, edited, gate } from './support.ts'

const realistic = `# my settings
model = "gpt-5-codex" # the big one
model_reasoning_effort = "high"
notify = [
  "notify-send", # a comment with ] in it
  'Codex',
]

[tools]
web_search = true

[mcp_servers."my.docs"]
command = "npx"
env = { "API_KEY" = "sk-canary", LEVEL = 1 }
instructions = """
model_provider = "not this one"
"""
`

/** The strings of the document that decide where Codex calls. */
function settingsOf(text: string): Record<string, string | null> {
  const entries = scanToml(text)?.entries
  assert.ok(entries, text)
  return Object.fromEntries(
    entries.filter(({ path }) => /^model_prov/.test(path[0] ?? '')).map(({ path, value }) => [path.join('.'), value]),
  )
}

const configured = {
  model_provider: 'tollgate',
  'model_providers.tollgate.name': 'OpenAI through Tollgate',
  'model_providers.tollgate.base_url': `${at('openai')}/v1`,
  'model_providers.tollgate.wire_api': 'responses',
  'model_providers.tollgate.requires_openai_auth': null,
  'model_providers.tollgate.supports_websockets': null,
}

describe('Codex’s configuration', () => {
  it('gets a provider of its own, with every other line as it was', () => {
    const after = edited(realistic, planCodex(realistic, gate))
    assert.deepEqual(settingsOf(after), configured)
    assert.ok(after.includes(realistic))
    assert.equal(after.match(/^# tollgate begin$/gm)?.length, 2)
    assert.equal(after.match(/^# tollgate end$/gm)?.length, 2)
  })

  it('is made where it is absent or empty', () => {
    for (const before of [null, '']) assert.deepEqual(settingsOf(edited(before, planCodex(before, gate))), configured)
    const marked = edited('\uFEFF', planCodex('\uFEFF', gate))
    assert.ok(marked.startsWith('\uFEFF# tollgate begin'))
  })

  it('keeps Windows line ends and a last line without one', () => {
    const before = 'model = "o3"\r\n[tools]\r\nweb_search = true'
    const after = edited(before, planCodex(before, gate))
    assert.equal(after.match(/(?<!\r)\n/g), null)
    assert.deepEqual(settingsOf(after), configured)
  })

  it('gives the choice of the built-in provider another value in its place, in the profile that is in force too', () => {
    for (const before of [
      'model_provider = "openai" # default\nmodel = "o3"\n',
      'profile = "work"\nmodel_provider = "other"\n\n[profiles.work]\nmodel_provider = "openai"\n',
    ]) {
      const after = edited(before, planCodex(before, gate))
      assert.ok(after.startsWith(before.replace('"openai"', '"tollgate"')), after)
      assert.equal(planCodex(after, gate).kind, 'already')
    }
  })

  it('keeps each key as it is written, and the remark behind its value', () => {
    for (const before of [
      'profile = "w"\nmodel_provider = "openai"\nprofiles.w.model_provider = "openai" # mine\n',
      'profile = "w"\n[profiles]\nw.model_provider = "openai"\n',
      `profile = "w"\n[profiles]\n"w" . 'model_provider'="""\nopenai"""\n`,
      '"model\\u005fprovider" = "\\U0000006fpenai"\n',
    ]) {
      const after = edited(before, planCodex(before, gate))
      const value = /"openai"|"""\nopenai"""|"\\U0000006fpenai"/g
      assert.ok(after.startsWith(before.replace(value, '"tollgate"')), after)
      assert.equal(planCodex(after, gate).kind, 'already')
    }
  })

  it('is switched in every profile that chose the built-in provider, and names those that use another', () => {
    const before = [
      'profile = "a"',
      '[profiles.a]',
      'model = "o3"',
      '[profiles.b]',
      'model_provider = "openai"',
      '[profiles.c]',
      'model_provider = "lab"',
      '[profiles.d]',
      'model_provider = "azure"',
      '[model_providers.lab]',
      'base_url = "https://lab.example/v1"\n',
    ].join('\n')
    const plan = planCodex(before, gate)
    const after = edited(before, plan)
    assert.ok(after.includes(before.replace('"openai"', '"tollgate"')), after)
    const left = ['c (lab.example)', 'd (Azure)']
    assert.deepEqual(plan.kind === 'edit' && plan.left, left)
    assert.deepEqual(planCodex(after, gate), { kind: 'already', left })
  })

  it('may have lists of tables with tables of one name below them', () => {
    const before = '[[hooks]]\n[hooks.env]\nA = "1"\n[[hooks]]\n[hooks.env]\nA = "2"\n'
    assert.ok(edited(before, planCodex(before, gate)).includes(before))
  })

  it('is left as it is once it is done, and gets the new address where the gate has moved', () => {
    const after = edited(realistic, planCodex(realistic, gate))
    assert.equal(planCodex(after, gate).kind, 'already')
    const moved = { origin: 'http://127.0.0.1:5000', key: 'another' }
    const again = planCodex(after, moved)
    assert.equal(again.kind, 'edit')
    assert.equal(
      settingsOf(again.after)['model_providers.tollgate.base_url'],
      'http://127.0.0.1:5000/k/another/openai/v1',
    )
    assert.equal(again.after.length, after.length - gate.key.length + 'another'.length)
  })

  it('chooses again a provider that is still there, wherever the choice stands', () => {
    const before = `[model_providers.tollgate]\nbase_url = "${at('openai')}/v1"\n[profiles.a]\nmodel_provider = "openai"\n`
    const after = edited(`profile = "a"\n${before}`, planCodex(`profile = "a"\n${before}`, gate))
    assert.equal(planCodex(after, gate).kind, 'already')
  })

  it('counts as done where the user has set openai_base_url to the gate', () => {
    assert.equal(planCodex(`openai_base_url = "${at('openai')}/v1"`, gate).kind, 'already')
  })

  it('that uses another server is not touched', () => {
    const local = 'model_provider = "lab"\n[model_providers.lab]\nbase_url = "https://lab.example:8443/v1"\n'
    assert.deepEqual(planCodex(local, gate), { kind: 'elsewhere', server: 'lab.example:8443' })
    assert.deepEqual(planCodex('model_provider = "oss"', gate), { kind: 'elsewhere', server: 'oss' })
    assert.deepEqual(planCodex('openai_base_url = "https://proxy.example/v1"', gate), {
      kind: 'elsewhere',
      server: 'proxy.example',
    })
  })

  it('that uses Azure is not touched', () => {
    const azure =
      'model_provider = "work"\n[model_providers.work]\nbase_url = "https://my.openai.azure.com/openai/v1"\nenv_key = "AZURE_OPENAI_API_KEY"\n'
    assert.equal(planCodex(azure, gate).kind, 'azure')
    assert.equal(planCodex('model_provider = "azure"', gate).kind, 'azure')
  })

  it('that cannot be parsed, or defines providers in one line, is not touched', () => {
    for (const bad of [
      'model = "o3',
      'model = ',
      '[tools',
      'model o3',
      'model = "a"\nmodel = "b"',
      'x = [1, 2',
      'x = """never ends',
      '{"model": "o3"}',
      'model = "a" model_provider = "b"',
      'model_providers = { lab = { base_url = "x" } }',
      '[model_providers.tollgate]\nname = "half"\n',
      'model_providers.tollgate.name = "half"\n',
      '[model_providers]\ntollgate = { base_url = "https://api.openai.com/v1" }\n',
      'model_providers.tollgate = { base_url = "https://api.openai.com/v1" }\n',
      '[[model_providers]]\nname = "x"\n',
      `model_provider = "lab"\n[[model_providers.lab]]\nbase_url = "${at('openai')}/v1"\n`,
      'profile = "w"\nprofiles = { w = { model_provider = "openai" } }\n',
      'profile = "w"\n[profiles]\nw = { model_provider = "openai" }\n',
      'model_provider = 7\n',
      '[model_provider]\nname = "openai"\n',
      'model = "\\q"\n',
    ]) {
      assert.equal(planCodex(bad, gate).kind, 'malformed', bad)
    }
  })
})
