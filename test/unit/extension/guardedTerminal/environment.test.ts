import assert from 'node:assert/strict'
import { injection } from '../../../../extension/env/injection.ts'
import { guardedEnvironment } from '../../../../extension/guardedTerminal/environment.ts'
import type { EnvironmentInput } from '../../../../extension/guardedTerminal/environment.ts'
import { taskOfEnvironment } from '../../../../extension/guardedTerminal/taskId.ts'

const inject = { openai: true, anthropic: true, ollama: true, ollamaHost: true, gemini: true }

function variables(environment: Record<string, string> = {}) {
  const address = { origin: 'http://127.0.0.1:4141', key: 'abc', project: 'shop', task: 'term-1130-1' }
  return injection({ ...address, inject, environment }).variables
}

const input: EnvironmentInput = {
  host: { PATH: '/usr/bin', HOME: '/home/ada' },
  configured: {},
  variables: variables(),
  workspaceFolder: '/home/ada/shop',
  platform: 'linux',
  vscodeVersion: '1.101.0',
}

describe('the environment of a guarded terminal', () => {
  it('sends every guarded client through the gate as one task', () => {
    const environment = guardedEnvironment(input)
    const base = 'http://127.0.0.1:4141/k/abc/t/term-1130-1/p/shop'
    assert.equal(environment['OPENAI_BASE_URL'], `${base}/openai/v1`)
    assert.equal(environment['OPENAI_API_BASE'], `${base}/openai/v1`)
    for (const name of ['ANTHROPIC_BASE_URL', 'ANTHROPIC_API_BASE', 'ANTHROPIC_API_URL']) {
      assert.equal(environment[name], `${base}/anthropic`)
    }
    assert.equal(environment['GOOGLE_GEMINI_BASE_URL'], `${base}/gemini`)
    for (const name of ['OLLAMA_API_BASE', 'OLLAMA_BASE_URL', 'OLLAMA_HOST']) {
      assert.equal(environment[name], `${base}/ollama`)
    }
    assert.equal(taskOfEnvironment(environment), 'term-1130-1')
  })

  it('is complete: what a shell needs, and what VS Code tells every terminal', () => {
    const environment = guardedEnvironment(input)
    assert.equal(environment['PATH'], '/usr/bin')
    assert.equal(environment['HOME'], '/home/ada')
    assert.equal(environment['TERM_PROGRAM'], 'vscode')
    assert.equal(environment['TERM_PROGRAM_VERSION'], '1.101.0')
    assert.equal(environment['LANG'], 'C.UTF-8')
    assert.equal(guardedEnvironment({ ...input, host: { LANG: 'de_DE.UTF-8' } })['LANG'], 'de_DE.UTF-8')
    assert.equal(guardedEnvironment({ ...input, platform: 'win32' })['LANG'], undefined)
  })

  it('has nothing of what VS Code’s own processes run with', () => {
    const host = {
      PATH: '/usr/bin',
      ELECTRON_RUN_AS_NODE: '1',
      VSCODE_IPC_HOOK: '/tmp/x',
      VSCODE_PORTABLE: '/data',
      NODE_OPTIONS: '--for-the-editor',
      VSCODE_NODE_OPTIONS: '--of-the-user',
    }
    const environment = guardedEnvironment({ ...input, host })
    assert.deepEqual(
      Object.keys(environment).filter((name) => /^(ELECTRON|VSCODE)_/.test(name)),
      ['VSCODE_PORTABLE'],
    )
    assert.equal(environment['NODE_OPTIONS'], '--of-the-user')
  })

  it('follows the user’s setting for all terminals, but not where it would lead past the gate', () => {
    const configured = {
      PATH: '/opt/bin:${env:PATH}',
      VENV: '${workspaceFolder}/.venv',
      HOME: null,
      OPENAI_BASE_URL: 'https://api.openai.com/v1',
    }
    const environment = guardedEnvironment({ ...input, configured })
    assert.equal(environment['PATH'], '/opt/bin:/usr/bin')
    assert.equal(environment['VENV'], '/home/ada/shop/.venv')
    assert.ok(!('HOME' in environment))
    assert.match(environment['OPENAI_BASE_URL'] ?? '', /^http:\/\/127\.0\.0\.1:4141\//)
  })

  it('excepts the gate from the user’s proxy beside what is excepted already', () => {
    const host = { HTTPS_PROXY: 'http://p:1', NO_PROXY: '.corp' }
    const environment = guardedEnvironment({ ...input, host, variables: variables(host) })
    assert.equal(environment['NO_PROXY'], '.corp,127.0.0.1,localhost')
  })
})
