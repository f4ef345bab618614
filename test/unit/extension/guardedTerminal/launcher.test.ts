import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { injection } from '../../../../extension/env/injection.ts'
import { launcher, userShell } from '../../../../extension/guardedTerminal/launcher.ts'
import { taskOfEnvironment } from '../../../../extension/guardedTerminal/taskId.ts'

const inject = { openai: true, anthropic: true, ollama: true, ollamaHost: true, gemini: true }
const base = 'http://127.0.0.1:4141/k/abc/t/term-1130-1/p/shop'

function variables(environment: Record<string, string> = {}) {
  const address = { origin: 'http://127.0.0.1:4141', key: 'abc', project: 'shop', task: 'term-1130-1' }
  return injection({ ...address, inject, environment }).variables
}

/** The environment of a terminal as VS Code makes it: its own variables, null taking one away, then what extensions contribute. */
function started(...layers: readonly Record<string, string | null>[]): Record<string, string> {
  const merged = Object.entries(Object.assign({}, ...layers) as Record<string, string | null>)
  return Object.fromEntries(merged.filter((one): one is [string, string] => one[1] !== null))
}

/** What a program sees that is started in the guarded terminal, where VS Code has set `contributed` for every terminal. */
function environmentInside(
  contributed: Record<string, string>,
  host: Record<string, string> = {},
  profile: Record<string, string | null> = {},
) {
  const shell = {
    path: process.execPath,
    args: ['-p', 'JSON.stringify([process.env, process.argv.slice(1)])', 'a b', '$HOME'],
    env: profile,
  }
  const { shellPath, shellArgs, env } = launcher({ variables: variables(host), host, shell, platform: 'linux' })
  assert.ok(typeof shellArgs !== 'string')
  const output = execFileSync(shellPath, shellArgs, { env: started(host, env, contributed), encoding: 'utf8' })
  return JSON.parse(output) as [Record<string, string>, string[]]
}

describe('the launcher of a guarded terminal', () => {
  it('sends every guarded client through the gate as one task, although terminals have base URLs without one', () => {
    const [environment] = environmentInside({
      OPENAI_BASE_URL: 'http://127.0.0.1:4141/k/abc/p/shop/openai/v1',
      VENV: '1',
    })
    assert.equal(environment['OPENAI_BASE_URL'], `${base}/openai/v1`)
    assert.equal(environment['OPENAI_API_BASE'], `${base}/openai/v1`)
    for (const name of ['ANTHROPIC_BASE_URL', 'ANTHROPIC_API_BASE', 'ANTHROPIC_API_URL']) {
      assert.equal(environment[name], `${base}/anthropic`)
    }
    assert.equal(environment['GOOGLE_GEMINI_BASE_URL'], `${base}/gemini`)
    for (const name of ['OLLAMA_API_BASE', 'OLLAMA_BASE_URL', 'OLLAMA_HOST']) {
      assert.equal(environment[name], `${base}/ollama`)
    }
    assert.equal(environment['VENV'], '1')
    assert.deepEqual(
      Object.keys(environment).filter((name) => name.startsWith('GUARDED_')),
      [],
    )
  })

  it('starts the user’s shell with its arguments as they are', () => {
    assert.deepEqual(environmentInside({})[1], ['a b', '$HOME'])
  })

  it('excepts the gate from the user’s proxy beside what is excepted already', () => {
    const host = { HTTPS_PROXY: 'http://p:1', NO_PROXY: '.corp' }
    assert.equal(environmentInside({}, host)[0]['NO_PROXY'], '.corp,127.0.0.1,localhost')
  })

  it('has the variables of the profile, and lacks those that it takes away', () => {
    const host = { EDITOR: 'vi', PAGER: 'less' }
    const [environment] = environmentInside({}, host, {
      EDITOR: 'code --wait',
      PAGER: null,
      OPENAI_BASE_URL: 'http://x',
    })
    assert.equal(environment['EDITOR'], 'code --wait')
    assert.equal(environment['PAGER'], undefined)
    assert.equal(environment['OPENAI_BASE_URL'], `${base}/openai/v1`)
  })

  it('excepts the gate beside what the profile excepts from the proxy', () => {
    const host = { HTTPS_PROXY: 'http://p:1', NO_PROXY: '.corp' }
    const [environment] = environmentInside({}, host, { NO_PROXY: '.lab' })
    assert.equal(environment['NO_PROXY'], '.lab,127.0.0.1,localhost')
  })

  it('has the local key in no command line, which every user of the machine can read', () => {
    for (const platform of ['linux', 'darwin', 'win32'] as const) {
      const shell = { path: 'C:\\Program Files\\PowerShell\\pwsh.exe', args: ['-NoLogo'], env: {} }
      const { shellArgs, env } = launcher({ variables: variables(), host: {}, shell, platform })
      assert.doesNotMatch(JSON.stringify(shellArgs), /abc/)
      assert.equal(taskOfEnvironment(env), 'term-1130-1')
    }
  })

  it('uses the command prompt on Windows', () => {
    const shell = { path: 'C:\\Program Files\\PowerShell\\pwsh.exe', args: ['-NoLogo'], env: {} }
    const [one] = variables()
    assert.ok(one)
    assert.deepEqual(launcher({ variables: [one], host: {}, shell, platform: 'win32' }), {
      shellPath: 'cmd.exe',
      shellArgs:
        '/d /s /c "set "OPENAI_BASE_URL=%GUARDED_OPENAI_BASE_URL%"&set "GUARDED_OPENAI_BASE_URL="&"C:\\Program Files\\PowerShell\\pwsh.exe" -NoLogo"',
      env: { GUARDED_OPENAI_BASE_URL: `${base}/openai/v1` },
    })
  })
})

describe('the shell in a guarded terminal', () => {
  const profiles = {
    fish: { path: '/usr/bin/fish', args: ['-i'] },
    zsh: { path: 'zsh' },
    old: { path: 'x', args: '-a -b' },
  }

  it('is the one of the default profile', () => {
    assert.deepEqual(userShell('/usr/bin/fish', 'fish', profiles, 'linux'), {
      path: '/usr/bin/fish',
      args: ['-i'],
      env: {},
    })
    assert.deepEqual(userShell('/bin/x', 'old', profiles, 'linux').args, ['-a', '-b'])
  })

  it('is a login shell on macOS unless the profile says otherwise', () => {
    assert.deepEqual(userShell('/bin/zsh', null, profiles, 'darwin').args, ['-l'])
    assert.deepEqual(userShell('/usr/bin/fish', 'fish', profiles, 'darwin').args, ['-i'])
    assert.deepEqual(userShell('/bin/bash', null, undefined, 'linux'), { path: '/bin/bash', args: [], env: {} })
  })

  it('has the variables of the profile: text sets one, anything else takes it away', () => {
    const env = { EDITOR: 'code --wait', PAGER: null, LANG: '', DEPTH: 3 }
    assert.deepEqual(userShell('/bin/bash', 'work', { work: { path: 'bash', env } }, 'linux').env, {
      EDITOR: 'code --wait',
      PAGER: null,
      LANG: '',
      DEPTH: null,
    })
    for (const broken of ['EDITOR=vi', 7, null]) {
      assert.deepEqual(userShell('/bin/bash', 'work', { work: { env: broken } }, 'linux').env, {})
    }
  })

  it('is that of the profile for the system’s shell where no default is chosen', () => {
    const shells = { dash: { path: 'dash' }, bash: { path: ['/opt/bash', 'bash'], args: ['-i'], env: { A: '1' } } }
    assert.deepEqual(userShell('/bin/bash', null, shells, 'linux'), {
      path: '/bin/bash',
      args: ['-i'],
      env: { A: '1' },
    })
    const windows = { PowerShell: { path: String.raw`C:\pwsh\pwsh.exe`, env: { A: '1' } }, broken: null }
    assert.deepEqual(userShell(String.raw`D:\x\pwsh.exe`, null, windows, 'win32').env, { A: '1' })
  })

  it('is the system’s own where VS Code names none', () => {
    assert.equal(userShell('', undefined, null, 'linux').path, '/bin/sh')
    assert.equal(userShell('', 'gone', {}, 'win32').path, 'cmd.exe')
  })
})
