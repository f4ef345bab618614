import assert from 'node:assert/strict'
import { injection } from '../../../extension/env/injection.ts'
import type { InjectionInput } from '../../../extension/env/injection.ts'
import { daemonEnvironment } from '../../../extension/daemon/launch.ts'

const input: InjectionInput = {
  origin: 'http://127.0.0.1:4141',
  key: 'abc123',
  project: 'shop',
  inject: { openai: true, anthropic: true, ollama: true, ollamaHost: false, gemini: false },
  environment: {},
}

function values(changes: Partial<InjectionInput> = {}): Record<string, string> {
  return Object.fromEntries(injection({ ...input, ...changes }).variables.map(({ name, value }) => [name, value]))
}

describe('the environment of guarded terminals', () => {
  it('points every client of the three kinds at the gate, with key and project in the path', () => {
    const base = 'http://127.0.0.1:4141/k/abc123/p/shop'
    assert.deepEqual(values(), {
      OPENAI_BASE_URL: `${base}/openai/v1`,
      OPENAI_API_BASE: `${base}/openai/v1`,
      ANTHROPIC_BASE_URL: `${base}/anthropic`,
      ANTHROPIC_API_BASE: `${base}/anthropic`,
      ANTHROPIC_API_URL: `${base}/anthropic`,
      ENABLE_TOOL_SEARCH: 'true',
      OLLAMA_API_BASE: `${base}/ollama`,
      OLLAMA_BASE_URL: `${base}/ollama`,
    })
  })

  it('leaves the project out where there is no folder', () => {
    assert.equal(values({ project: null })['OPENAI_BASE_URL'], 'http://127.0.0.1:4141/k/abc123/openai/v1')
  })

  it('sets Gemini’s variable only when asked, because its command line takes it for another way to sign in', () => {
    assert.equal(values()['GOOGLE_GEMINI_BASE_URL'], undefined)
    const inject = { ...input.inject, gemini: true }
    assert.equal(values({ inject })['GOOGLE_GEMINI_BASE_URL'], 'http://127.0.0.1:4141/k/abc123/p/shop/gemini')
    const elsewhere = { GOOGLE_GEMINI_BASE_URL: 'https://relay.example.com' }
    assert.equal(injection({ ...input, inject, environment: elsewhere }).skipped[0]?.family, 'gemini')
    const usual = { GOOGLE_GEMINI_BASE_URL: 'https://generativelanguage.googleapis.com' }
    assert.deepEqual(injection({ ...input, inject, environment: usual }).skipped, [])
  })

  it('sets OLLAMA_HOST only when asked, because `ollama serve` would listen on it', () => {
    assert.equal(values()['OLLAMA_HOST'], undefined)
    const inject = { ...input.inject, ollamaHost: true }
    assert.equal(values({ inject })['OLLAMA_HOST'], 'http://127.0.0.1:4141/k/abc123/p/shop/ollama')
  })

  it('leaves out what is switched off', () => {
    const names = Object.keys(values({ inject: { ...input.inject, anthropic: false, ollama: false } }))
    assert.deepEqual(names, ['OPENAI_BASE_URL', 'OPENAI_API_BASE'])
  })

  it('never touches OpenAI variables of an Azure user, whose key would reach another provider', () => {
    const environments: Record<string, string>[] = [
      { AZURE_OPENAI_ENDPOINT: 'https://x' },
      { OPENAI_API_TYPE: 'azure_ad' },
    ]
    for (const environment of environments) {
      const { variables, skipped } = injection({ ...input, environment })
      assert.ok(variables.every(({ name }) => !name.startsWith('OPENAI_')))
      assert.ok(variables.some(({ name }) => name === 'ANTHROPIC_BASE_URL'))
      assert.deepEqual(skipped, [{ family: 'openai', why: 'azure', variable: Object.keys(environment)[0] }])
    }
  })

  it('leaves a family alone that the user points at a server of their own', () => {
    const { variables, skipped } = injection({
      ...input,
      environment: { ANTHROPIC_BASE_URL: 'https://llm.corp.example' },
    })
    assert.ok(variables.every(({ name }) => !name.startsWith('ANTHROPIC_')))
    assert.deepEqual(skipped, [{ family: 'anthropic', why: 'elsewhere', variable: 'ANTHROPIC_BASE_URL' }])
    assert.equal(injection({ ...input, environment: { OLLAMA_HOST: 'gpu-box:11434' } }).skipped[0]?.family, 'ollama')
  })

  it('guards a family whose variables name its usual server, or the gate itself', () => {
    const environment = {
      OPENAI_BASE_URL: 'https://api.openai.com/v1',
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:4141/k/abc123/anthropic',
      OLLAMA_HOST: '0.0.0.0',
      OLLAMA_BASE_URL: 'http://localhost:11434',
    }
    assert.deepEqual(injection({ ...input, environment }).skipped, [])
  })

  it('excepts the gate from a proxy, and only where there is one', () => {
    assert.equal(values()['NO_PROXY'], undefined)
    assert.equal(values({ environment: { HTTPS_PROXY: 'http://p:1' } })['NO_PROXY'], '127.0.0.1,localhost')
    const { variables } = injection({ ...input, environment: { http_proxy: 'http://p:1', no_proxy: '.corp' } })
    assert.deepEqual(variables.at(-1), { name: 'no_proxy', value: ',127.0.0.1,localhost', action: 'append' })
    const known = { HTTP_PROXY: 'http://p:1', NO_PROXY: 'localhost, 127.0.0.1' }
    assert.equal(values({ environment: known })['NO_PROXY'], undefined)
  })
})

describe('the environment of the daemon', () => {
  it('has nothing by which it could call itself, be debugged or reach a window', () => {
    const environment = daemonEnvironment(
      {
        PATH: '/bin',
        NODE_OPTIONS: '--inspect',
        VSCODE_INSPECTOR_OPTIONS: '{}',
        ELECTRON_RUN_AS_NODE: '1',
        OPENAI_BASE_URL: 'http://127.0.0.1:4141/k/abc/openai/v1',
        ANTHROPIC_API_URL: 'http://127.0.0.1:4141/k/abc/anthropic',
        OLLAMA_HOST: 'http://127.0.0.1:4141/k/abc/ollama',
        TOLLGATE_TIMEZONE: 'UTC',
      },
      true,
    )
    assert.deepEqual(environment, {
      PATH: '/bin',
      TOLLGATE_TIMEZONE: 'UTC',
      ELECTRON_RUN_AS_NODE: '1',
      ELECTRON_NO_ASAR: '1',
    })
  })
})
