import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import * as vscode from 'vscode'
import { readKey } from '../../../extension/daemon/discovery.ts'
import { moveHome } from './homeFolder.ts'
import { person } from './person.ts'
import { shownDiff, textOf } from './shownDiff.ts'
import { api, eventually, record } from './window.ts'

const panelSetting = 'claudeCode.environmentVariables'

/** What the user has set for Claude Code's panel. */
function panelVariables(): unknown {
  return vscode.workspace.getConfiguration().inspect(panelSetting)?.globalValue
}

async function setPanelVariables(value: unknown): Promise<void> {
  await vscode.workspace.getConfiguration().update(panelSetting, value, vscode.ConfigurationTarget.Global)
}

/** The base URL of an upstream, as clients' settings hold it. */
async function gate(upstream: string): Promise<string> {
  return `http://127.0.0.1:${(await record()).port}/k/${await readKey(api().dataDir())}/${upstream}`
}

/** VS Code's folder `User`, which lies beside the gate's data in the profile of a run. */
function userDir(): string {
  return join(dirname(api().dataDir()), 'server', 'data', 'User')
}

/** Writes a file of a client, with its folder. */
function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text, { mode: 0o600 })
}

describe('the settings of every kind of client', () => {
  const remoteName = Object.getOwnPropertyDescriptor(vscode.env, 'remoteName')
  let home: ReturnType<typeof moveHome>
  let user: ReturnType<typeof person>

  /** VS Code's own files and settings are in reach of a local window only. */
  function showAs(remote: string | undefined): void {
    Object.defineProperty(vscode.env, 'remoteName', { configurable: true, enumerable: true, get: () => remote })
  }

  beforeEach(() => {
    home = moveHome()
    user = person()
    showAs(undefined)
  })

  afterEach(async () => {
    user.leave()
    await setPanelVariables(undefined)
    if (remoteName !== undefined) Object.defineProperty(vscode.env, 'remoteName', remoteName)
    home.restore()
    await vscode.commands.executeCommand('workbench.action.closeAllEditors')
  })

  /** Configures a client, and gives the question that was answered with *Apply*. */
  async function configure(client: string, question: RegExp): Promise<string> {
    user.leave()
    user = person()
    const configuring = vscode.commands.executeCommand('tollgate.configureClient', client)
    const shown = await user.reads(question)
    await eventually('the diff', shownDiff)
    shown.choose('Apply')
    await configuring
    assert.equal(shownDiff(), undefined)
    return shown.message
  }

  /** Undoes it where the user has changed the settings since, and gives what the diff showed. */
  async function undoChanged(client: string): Promise<string> {
    const undoing = vscode.commands.executeCommand('tollgate.undoClient', client)
    const question = await user.reads(/was changed since/)
    const wanted = await textOf((await eventually('the diff', shownDiff)).modified)
    question.choose('Restore')
    await undoing
    return wanted
  }

  it('write Claude Code’s panel setting, and take it back without what the user added', async () => {
    const question = await configure('claude', /^Send Claude Code panel through the gate\?/)
    assert.match(question, /the local key of this machine is in it/)
    const written = [
      { name: 'ANTHROPIC_BASE_URL', value: await gate('anthropic') },
      { name: 'ENABLE_TOOL_SEARCH', value: 'true' },
    ]
    assert.deepEqual(panelVariables(), written)
    await vscode.commands.executeCommand('tollgate.configureClient', 'claude')
    await user.reads(/^Claude Code panel goes through the gate already\.$/)
    await vscode.commands.executeCommand('tollgate.undoClient', 'claude')
    assert.equal(panelVariables(), undefined)
    await user.reads(/^claudeCode\.environmentVariables was not there before Tollgate wrote it/)

    const mine = { name: 'MINE', value: '1' }
    await setPanelVariables([mine])
    await configure('claude', /^Send Claude Code panel/)
    const more = { name: 'MORE', value: '2' }
    await setPanelVariables([...(panelVariables() as unknown[]), more])
    assert.deepEqual(JSON.parse(await undoChanged('claude')), [mine, more])
    assert.deepEqual(panelVariables(), [mine, more])
    await user.reads(/^Tollgate’s part is out of claudeCode\.environmentVariables\./)
  })

  it('leave the panel’s setting alone where Claude Code’s file decides', async () => {
    const path = join(home.path, '.claude', 'settings.json')
    const file = '{"env": {"ANTHROPIC_BASE_URL": "https://lab.example"}}'
    put(path, file)
    await vscode.commands.executeCommand('tollgate.configureClient', 'claude')
    await user.reads(/uses lab\.example/)
    assert.equal(panelVariables(), undefined)
    assert.equal(readFileSync(path, 'utf8'), file)
  })

  it('keep the undo of a setting when the file of the same client is written later', async () => {
    await configure('claude', /^Send Claude Code panel/)
    showAs('ssh-remote')
    const path = join(home.path, '.claude', 'settings.json')
    await configure('claude', /^Send Claude Code through the gate\? This changes ~\/\.claude\/settings\.json/)
    assert.ok(readFileSync(path, 'utf8').includes(await gate('anthropic')))
    showAs(undefined)

    // Both are there, so the user has to say which; nothing is taken back without an answer.
    await vscode.commands.executeCommand('tollgate.undoClient', 'claude')
    assert.equal(user.asked.length, 1)
    assert.deepEqual(user.asked[0]?.labels, ['Claude Code panel', 'Claude Code panel'])
    await vscode.commands.executeCommand('tollgate.undoClient', path)
    assert.ok(!existsSync(dirname(path)))
    assert.notEqual(panelVariables(), undefined)
    await vscode.commands.executeCommand('tollgate.undoClient', 'claude')
    assert.equal(panelVariables(), undefined)
  })

  it('write Continue’s file, and take two equal additions out of it after a change', async () => {
    const path = join(home.path, '.continue', 'config.yaml')
    const file = `models:
  - name: A # mine
    provider: openai
    model: gpt-4o
  - name: B
    provider: openai
    model: gpt-5
`
    put(path, file)
    await configure('continue', /^Send Continue through the gate\?/)
    const written = readFileSync(path, 'utf8')
    assert.equal(written.split(await gate('openai')).length, 3)
    writeFileSync(path, `# more\n${written}`)
    assert.equal(await undoChanged('continue'), `# more\n${file}`)
    assert.equal(readFileSync(path, 'utf8'), `# more\n${file}`)
  })

  it('write Cline’s file, and restore it byte for byte', async () => {
    const path = join(home.path, '.cline', 'data', 'settings', 'providers.json')
    const file = '{"providers":{"anthropic":{"settings":{"provider":"anthropic","apiKey":"sk-canary"}}}}'
    put(path, file)
    await configure('cline', /^Send Cline through the gate\?/)
    const { providers } = JSON.parse(readFileSync(path, 'utf8')) as {
      providers: { anthropic: { settings: { baseUrl: string } } }
    }
    assert.equal(providers.anthropic.settings.baseUrl, await gate('anthropic'))
    await vscode.commands.executeCommand('tollgate.undoClient', 'cline')
    assert.equal(readFileSync(path, 'utf8'), file)
    await user.reads(/providers\.json is as it was before\.$/)
  })

  it('write Copilot’s endpoints through a link, and say where it leads and who can read the file', async () => {
    const path = join(userDir(), 'chatLanguageModels.json')
    const dotfiles = join(home.path, 'dotfiles')
    const real = join(dotfiles, 'models.json')
    const file = '[\n\t{ "vendor": "customendpoint", "name": "Mine", "url": "https://api.openai.com/v1" }\n]\n'
    mkdirSync(join(dotfiles, '.git'), { recursive: true })
    put(real, file)
    chmodSync(real, 0o644)
    // VS Code makes a list of its own as soon as it starts.
    const own = existsSync(path) ? readFileSync(path, 'utf8') : undefined
    rmSync(path, { force: true })
    symlinkSync(real, path)
    try {
      const question = await configure('copilot', /^Send Copilot custom endpoints through the gate\?/)
      assert.match(question, /By a link, the file is really ~\/dotfiles\/models\.json\./)
      assert.match(question, /let others than its owner read it\./)
      assert.match(question, /Git repository ~\/dotfiles: do not commit the key\./)
      const changed = file.replace('https://api.openai.com', await gate('openai'))
      assert.equal(readFileSync(real, 'utf8'), changed)
      assert.ok(lstatSync(path).isSymbolicLink())
      assert.equal(statSync(real).mode & 0o777, 0o644)
      await vscode.commands.executeCommand('tollgate.undoClient', 'copilot')
      assert.equal(readFileSync(real, 'utf8'), file)
    } finally {
      rmSync(path, { force: true })
      if (own !== undefined) writeFileSync(path, own)
    }
  })

  it('leave a read-only file alone, and keep no undo of what was not written', async () => {
    const path = join(home.path, '.codex', 'config.toml')
    const file = 'model = "o3"\n'
    put(path, file)
    const configuring = vscode.commands.executeCommand('tollgate.configureClient', 'codex')
    const question = await user.reads(/^Send Codex/)
    chmodSync(path, 0o444)
    question.choose('Apply')
    await configuring
    await user.reads(/^~\/\.codex\/config\.toml is read-only\. Nothing was written/)
    await vscode.commands.executeCommand('tollgate.undoClient', 'codex')
    await user.reads(/^Tollgate has not written into the settings of a client\.$/)

    user.leave()
    user = person()
    await vscode.commands.executeCommand('tollgate.configureClient', 'codex')
    await user.reads(/is read-only/)
    assert.ok(!user.shown.some(({ message }) => message.startsWith('Send')))
    assert.equal(readFileSync(path, 'utf8'), file)
  })

  it('remove a file that was made, with the folder that was made for it', async () => {
    await configure('codex', /^Send Codex/)
    assert.ok(existsSync(join(home.path, '.codex', 'config.toml')))
    await vscode.commands.executeCommand('tollgate.undoClient', 'codex')
    assert.ok(!existsSync(join(home.path, '.codex')))
    assert.ok(existsSync(home.path))
  })
})
