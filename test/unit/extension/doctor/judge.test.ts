import assert from 'node:assert/strict'
import type { Surroundings } from '../../../../extension/doctor/surroundings.ts'
import { judge } from '../../../../extension/doctor/judge.ts'
import { at } from '../clients/support.ts'
import { text } from '../support.ts'
import { findingOf, home, shop, surroundings, window } from './support.ts'

const env = `${shop.path}/.env`
const zshrc = `${home}/.zshrc`

describe('the doctor on clients in terminals', () => {
  it('calls them guarded where nothing changes what terminals set', async () => {
    const finding = await findingOf('openaiSdk', { [env]: `OPENAI_BASE_URL=${at('openai')}/v1\nOPENAI_API_KEY=x\n` })
    assert.equal(finding.verdict, 'guarded')
    assert.equal(finding.fix, null)
  })

  it('names the .env file, the line and the variable that shadow the gate', async () => {
    for (const line of [
      'OPENAI_BASE_URL=https://api.openai.com/v1',
      'export OPENAI_API_BASE="https://lab.example/v1"',
      'OPENAI_BASE_URL = https://lab.example/v1 # lab',
    ]) {
      const finding = await findingOf('openaiSdk', { [env]: `# a comment\nX=1\n${line}\n` })
      assert.equal(finding.verdict, 'shadowed', line)
      assert.match(finding.why, /^\.env \(shop\), line 3, sets OPENAI_(BASE_URL|API_BASE):/)
      assert.match(finding.fix ?? '', /Copy Base URL/)
    }
    const local = await findingOf('anthropicSdk', { [`${env}.local`]: 'ANTHROPIC_BASE_URL=https://x.example\n' })
    assert.match(local.why, /^\.env\.local \(shop\), line 1/)
  })

  it('names the start file of the shell that overrides the gate', async () => {
    for (const line of [
      'export OPENAI_BASE_URL=https://lab.example/v1',
      'OPENAI_BASE_URL="https://api.openai.com/v1"',
      'unset FOO OPENAI_BASE_URL',
    ]) {
      const finding = await findingOf('openaiSdk', { [zshrc]: `alias ll='ls -l'\n${line}\n` })
      assert.equal(finding.verdict, 'overridden', line)
      assert.match(finding.why, /^~\/\.zshrc, line 2, (sets|takes) OPENAI_BASE_URL/)
    }
  })

  it('lets a start file be that keeps what is there, leads to the gate, or is of another shell', async () => {
    const kept = [
      'export OPENAI_BASE_URL="${OPENAI_BASE_URL:-https://api.openai.com/v1}"',
      `export OPENAI_BASE_URL=${at('openai')}/v1`,
      '# export OPENAI_BASE_URL=https://lab.example/v1',
    ]
    for (const line of kept) assert.equal((await findingOf('openaiSdk', { [zshrc]: line })).verdict, 'guarded', line)
    const other = { [`${home}/.bashrc`]: 'export OPENAI_BASE_URL=https://lab.example/v1' }
    assert.equal((await findingOf('openaiSdk', other)).verdict, 'guarded')
  })

  it('reads bash and fish, and macOS’s login files', async () => {
    const bash = { environment: { SHELL: '/bin/bash' } }
    const line = 'export OPENAI_BASE_URL=https://lab.example/v1'
    const profile = { [`${home}/.bash_profile`]: line }
    assert.equal((await findingOf('openaiSdk', profile, {}, bash)).verdict, 'guarded')
    assert.equal((await findingOf('openaiSdk', profile, {}, { ...bash, platform: 'darwin' })).verdict, 'overridden')
    const fish = { [`${home}/.config/fish/config.fish`]: 'set -gx OPENAI_BASE_URL https://lab.example/v1' }
    const finding = await findingOf('openaiSdk', fish, {}, { environment: { SHELL: '/usr/bin/fish' } })
    assert.equal(finding.verdict, 'overridden')
  })

  it('knows direnv’s file, which is set after the shell has started', async () => {
    const direnv = { [`${shop.path}/.envrc`]: 'export ANTHROPIC_BASE_URL=https://lab.example' }
    const finding = await findingOf('anthropicSdk', direnv)
    assert.equal(finding.verdict, 'overridden')
    assert.match(finding.why, /^\.envrc \(shop\), line 1/)
  })

  it('says where the shell that started VS Code leads elsewhere', async () => {
    const { terminals } = window()
    const skipped = [{ family: 'openai', why: 'elsewhere', variable: 'OPENAI_API_BASE' }] as const
    const finding = await findingOf('openaiSdk', {}, { terminals: { ...terminals, skipped } })
    assert.equal(finding.verdict, 'overridden')
    assert.match(finding.why, /OPENAI_API_BASE/)
  })

  it('says why terminals are not guarded at all', async () => {
    const { terminals, inject } = window()
    const cases: readonly (readonly [Partial<Surroundings>, RegExp])[] = [
      [{ terminals: { ...terminals, enabled: false } }, /switched off/],
      [{ terminals: { ...terminals, bypassed: true } }, /bypass/],
      [{ terminals: { ...terminals, wrongHost: true } }, /your own machine/],
      [{ terminals: { ...terminals, hasKey: false } }, /no local key/],
      [{ inject: { ...inject, openai: false } }, /tollgate\.inject\.openai/],
    ]
    for (const [changes, why] of cases) {
      const finding = await findingOf('openaiSdk', {}, changes)
      assert.equal(finding.verdict, 'notGuarded')
      assert.match(finding.why, why)
      assert.ok(finding.fix)
    }
  })

  it('lets aider’s files win, as aider does', async () => {
    const here = { [`${home}/.aider.conf.yml`]: 'model: gpt-4o\n' }
    assert.equal((await findingOf('aider', here)).verdict, 'guarded')
    const byEnv = await findingOf('aider', { ...here, [env]: 'OLLAMA_API_BASE=http://127.0.0.1:11434\n' })
    assert.equal(byEnv.verdict, 'shadowed')
    for (const line of [
      'openai-api-base: https://lab.example/v1',
      'set-env:\n  - ANTHROPIC_API_BASE=https://lab.example',
      `openai-api-base: ${at('openai')}/v1\nset-env: ["OLLAMA_API_BASE=http://lab.example:11434"]`,
    ]) {
      const byConfig = { [`${shop.path}/.aider.conf.yml`]: `${line}\n` }
      assert.equal((await findingOf('aider', byConfig)).verdict, 'overridden', line)
    }
    const ours = { [`${shop.path}/.aider.conf.yml`]: `openai-api-base: ${at('openai')}/v1\n# OPENAI_API_BASE=x\n` }
    assert.equal((await findingOf('aider', ours)).verdict, 'guarded')
    assert.equal((await findingOf('aider', {})).verdict, 'notInstalled')
  })

  it('knows that Gemini CLI cannot be guarded with a Google account', async () => {
    const of = (type: string) => ({
      [`${home}/.gemini/settings.json`]: `{"security": {"auth": {"selectedType": "${type}"}}}`,
    })
    assert.equal((await findingOf('gemini', of('oauth-personal'))).verdict, 'notCoverable')
    const byKey = await findingOf('gemini', of('gemini-api-key'))
    assert.equal(byKey.verdict, 'guarded')
    assert.match(byKey.fix ?? '', /\/auth/)
    const { inject } = window()
    const off = await findingOf('gemini', of('gemini-api-key'), { inject: { ...inject, gemini: false } })
    assert.equal(off.verdict, 'notGuarded')
  })

  it('says which Ollama clients read nothing', async () => {
    const here = { '/usr/bin/ollama': '' }
    const finding = await findingOf('ollama', here)
    assert.match(`${finding.why} ${finding.fix ?? ''}`, /OLLAMA_HOST.*JavaScript client reads no variable/)
    assert.equal((await findingOf('ollama', {})).verdict, 'notInstalled')
  })
})

describe('the doctor on clients with settings of their own', () => {
  const codex = `${home}/.codex/config.toml`

  it('calls Codex guarded, not guarded, left alone, unreadable or not found by its file', async () => {
    const verdict = async (file: string) => (await findingOf('codex', { [codex]: file })).verdict
    assert.equal(await verdict(`model_provider = "g"\n[model_providers.g]\nbase_url = "${at('openai')}/v1"`), 'guarded')
    assert.equal(await verdict('model = "o3"'), 'notGuarded')
    assert.equal(await verdict('model_provider = "azure"'), 'leftAlone')
    assert.equal(await verdict('model_provider = "lab"'), 'leftAlone')
    assert.equal(await verdict('model = '), 'unreadable')
    assert.equal((await findingOf('codex', {})).verdict, 'notInstalled')
    assert.equal((await findingOf('codex', { '/usr/bin/codex': '' })).verdict, 'notGuarded')
    const moved = { environment: { CODEX_HOME: '/opt/codex' } }
    assert.equal((await findingOf('codex', { '/opt/codex/config.toml': 'model = ' }, {}, moved)).verdict, 'unreadable')
  })

  it('says that a file that is no text cannot be read', async () => {
    const finding = await findingOf('codex', { [codex]: { broken: 'it is not UTF-8' } })
    assert.equal(finding.verdict, 'unreadable')
    assert.match(finding.why, /^~\/\.codex\/config\.toml cannot be parsed/)
  })

  it('does not call a file broken that it only does not read, and says what to set by hand', async () => {
    const anchors = { [`${home}/.continue/config.yaml`]: 'models:\n  - &a\n    provider: openai\n  - *a\n' }
    const finding = await findingOf('continue', anchors)
    assert.equal(finding.verdict, 'unreadable')
    assert.match(finding.why, /or is written in a way that Tollgate does not read/)
    assert.match(finding.fix ?? '', /set `apiBase` to the address of \*Tollgate: Copy Base URL…\*/)
    const toml = await findingOf('codex', { [codex]: 'model = ' })
    assert.match(toml.fix ?? '', /set `base_url`/)
  })

  it('warns that Codex may open a WebSocket past the gate with its built-in provider', async () => {
    const builtIn = `openai_base_url = "${at('openai')}/v1"\n`
    for (const file of [builtIn, `${builtIn}profile = "w"\n[profiles.w]\nmodel_provider = "openai"\n`]) {
      const finding = await findingOf('codex', { [codex]: file })
      assert.equal(finding.verdict, 'partlyGuarded')
      assert.match(finding.why, /open a WebSocket to OpenAI/)
      assert.match(finding.fix ?? '', /Take that line out, then run \*Tollgate: Configure Client…\*/)
    }
  })

  it('names the models that stay outside where the others are guarded', async () => {
    const yaml = `models:
  - name: Ours
    provider: openai
    apiBase: ${at('openai')}/v1/
  - name: Lab
    provider: openai
    apiBase: https://llm.corp/v1
  - name: Codestral
    provider: mistral
`
    const finding = await findingOf('continue', { [`${home}/.continue/config.yaml`]: yaml })
    assert.equal(finding.verdict, 'partlyGuarded')
    assert.match(finding.why, /except for these: Lab \(llm\.corp\), Codestral \(mistral\)\./)
    assert.match(finding.fix ?? '', /Copy Base URL…\*; a server that is not listed there has to be added/)
    const providers = {
      anthropic: { settings: { baseUrl: at('anthropic') } },
      openrouter: { settings: {} },
    }
    const cline = await findingOf('cline', {
      [`${home}/.cline/data/settings/providers.json`]: JSON.stringify({ providers }),
    })
    assert.equal(cline.verdict, 'partlyGuarded')
    assert.match(cline.why, /openrouter/)
  })

  it('says what would stay outside after a change', async () => {
    const yaml =
      'models:\n  - provider: openai\n  - name: Lab\n    provider: openai\n    apiBase: https://llm.corp/v1\n'
    const finding = await findingOf('continue', { [`${home}/.continue/config.yaml`]: yaml })
    assert.equal(finding.verdict, 'notGuarded')
    assert.match(finding.fix ?? '', /choose Continue\. Left as they are, .*: Lab \(llm\.corp\)\.$/)
  })

  it('does not promise that adding a server to the gate is enough', async () => {
    const file = { [codex]: 'openai_base_url = "https://api.mistral.ai/v1"\n' }
    const finding = await findingOf('codex', file)
    assert.equal(finding.verdict, 'leftAlone')
    assert.match(finding.why, /api\.mistral\.ai/)
    assert.match(finding.fix ?? '', /use that of \*Tollgate: Copy Base URL…\*/)
    const { terminals } = window()
    const skipped = [{ family: 'openai', why: 'elsewhere', variable: 'OPENAI_BASE_URL' }] as const
    const others = [
      await findingOf('openaiSdk', {}, { terminals: { ...terminals, skipped } }),
      await findingOf('openaiSdk', { [zshrc]: 'export OPENAI_BASE_URL=https://api.mistral.ai/v1' }),
      await findingOf('codex', { [codex]: 'model_provider = "azure"' }),
    ]
    for (const { fix } of others) assert.match(fix ?? '', /the address of \*Tollgate: Copy Base URL…\*/)
  })

  it('lets Claude Code’s own file win over the terminal', async () => {
    const of = (env: object) => ({ [`${home}/.claude/settings.json`]: JSON.stringify({ env }) })
    assert.equal((await findingOf('claudeCli', of({}))).verdict, 'guarded')
    assert.match((await findingOf('claudeCli', of({ ANTHROPIC_BASE_URL: at('anthropic') }))).why, /ceilings/)
    for (const ANTHROPIC_BASE_URL of ['https://api.anthropic.com', 'https://lab.example']) {
      assert.equal((await findingOf('claudeCli', of({ ANTHROPIC_BASE_URL }))).verdict, 'overridden')
    }
    assert.equal((await findingOf('claudeCli', of({ CLAUDE_CODE_USE_FOUNDRY: '1' }))).verdict, 'leftAlone')
    assert.equal(
      (await findingOf('claudeCli', { [env]: 'ANTHROPIC_BASE_URL=https://x.example', ...of({}) })).verdict,
      'shadowed',
    )
    assert.equal((await findingOf('claudeCli', {})).verdict, 'notInstalled')
  })

  it('finds the panel’s setting before its file', async () => {
    const extensions = new Set(['anthropic.claude-code'])
    assert.equal((await findingOf('claudePanel', {}, { extensions })).verdict, 'notGuarded')
    const settings = {
      isKnown: () => true,
      read: () => JSON.stringify([{ name: 'ANTHROPIC_BASE_URL', value: at('anthropic') }]),
      write: () => Promise.resolve(),
    }
    assert.equal((await findingOf('claudePanel', {}, { extensions }, { settings })).verdict, 'guarded')
    assert.equal((await findingOf('claudePanel', {})).verdict, 'notInstalled')
  })

  it('says that Copilot’s own models cannot be guarded, and looks at custom endpoints', async () => {
    const extensions = new Set(['github.copilot-chat'])
    assert.equal((await findingOf('copilot', {}, { extensions })).verdict, 'notCoverable')
    assert.equal((await findingOf('copilot', {})).verdict, 'notInstalled')
    const file = (url: string) => ({
      [`${home}/Code/User/chatLanguageModels.json`]: JSON.stringify([{ vendor: 'customendpoint', models: [{ url }] }]),
    })
    const open = await findingOf('copilotEndpoints', file('https://api.openai.com/v1/responses'), { extensions })
    assert.equal(open.verdict, 'notGuarded')
    const guarded = await findingOf('copilotEndpoints', file(`${at('openai')}/v1/responses`), { extensions })
    assert.equal(guarded.verdict, 'guarded')
    const userDir = `${home}/Code/User`
    const profiles = {
      ...file(`${at('openai')}/v1/responses`),
      [`${userDir}/globalStorage/storage.json`]: '{"userDataProfiles": [{"name": "Work", "location": "1a2b"}]}',
      [`${userDir}/profiles/1a2b/chatLanguageModels.json`]:
        '[{"vendor": "customendpoint", "models": [{"url": "https://api.openai.com/v1/responses"}]}]',
    }
    const findings = judge(await surroundings(profiles, { extensions }), text)
    const ofWork = findings.find(({ client }) => client === 'Copilot’s custom endpoints (VS Code profile Work)')
    assert.equal(ofWork?.verdict, 'notGuarded')
    const remote = await findingOf('copilot', {}, { extensions }, { userDir: null })
    assert.match(remote.fix ?? '', /local window/)
  })

  it('reads Continue’s newer file before the older one, and Cline’s providers', async () => {
    const yaml = `${home}/.continue/config.yaml`
    const json = `${home}/.continue/config.json`
    const openai = '{"models": [{"provider": "openai"}]}'
    assert.equal((await findingOf('continue', { [json]: openai })).verdict, 'notGuarded')
    const both = { [json]: openai, [yaml]: `models:\n  - provider: openai\n    apiBase: ${at('openai')}/v1/\n` }
    assert.equal((await findingOf('continue', both)).verdict, 'guarded')
    const providers = `${home}/.cline/data/settings/providers.json`
    const cline = await findingOf('cline', { [providers]: '{"providers": {"anthropic": {"settings": {}}}}' })
    assert.equal(cline.verdict, 'notGuarded')
    assert.match(cline.fix ?? '', /Configure Client…\* and choose Cline/)
    const nothing = await findingOf('cline', {}, { extensions: new Set(['saoudrizwan.claude-dev']) })
    assert.match(nothing.fix ?? '', /Set up a provider there/)
  })
})

describe('the doctor on Azure', () => {
  it('warns where a .env file makes Azure clients in guarded terminals', async () => {
    const finding = await findingOf('azure', { [env]: 'AZURE_OPENAI_ENDPOINT=https://x.openai.azure.com\n' })
    assert.equal(finding.verdict, 'notGuarded')
    assert.match(finding.why, /AZURE_OPENAI_ENDPOINT, while terminals set OPENAI_BASE_URL/)
    const both = { [env]: 'AZURE_OPENAI_ENDPOINT=https://x.openai.azure.com\nOPENAI_BASE_URL=https://y.example\n' }
    assert.equal((await findingOf('azure', both)).verdict, 'notGuarded')
    const { inject } = window()
    assert.equal((await findingOf('azure', both, { inject: { ...inject, openai: false } })).verdict, 'leftAlone')
  })

  it('says that it is left alone where the environment has it', async () => {
    const { terminals } = window()
    const skipped = [{ family: 'openai', why: 'azure', variable: 'AZURE_OPENAI_ENDPOINT' }] as const
    const environment = { AZURE_OPENAI_ENDPOINT: 'https://x.openai.azure.com', SHELL: '/bin/zsh' }
    const finding = await findingOf('azure', {}, { terminals: { ...terminals, skipped } }, { environment })
    assert.equal(finding.verdict, 'leftAlone')
    const sdk = await findingOf('openaiSdk', {}, { terminals: { ...terminals, skipped } }, { environment })
    assert.equal(sdk.verdict, 'leftAlone')
  })

  it('says nothing where there is none', async () => {
    await assert.rejects(findingOf('azure', {}))
    await assert.rejects(findingOf('azure', { [zshrc]: 'unset AZURE_OPENAI_ENDPOINT' }))
  })
})

describe('the doctor', () => {
  it('reads each file once', async () => {
    const { reads } = await surroundings({ [`${home}/.claude/settings.json`]: '{}' })
    assert.equal(new Set(reads).size, reads.length)
    assert.ok(reads.length > 10)
  })

  it('looks at files before the gate has a key, and knows then what it cannot know', async () => {
    const { terminals } = window()
    const contents = { [`${home}/.codex/config.toml`]: '', [env]: 'OPENAI_BASE_URL=https://x.example' }
    const finding = await findingOf('codex', contents, { terminals: { ...terminals, hasKey: false } }, { gate: null })
    assert.match(finding.why, /no local key/)
  })
})
