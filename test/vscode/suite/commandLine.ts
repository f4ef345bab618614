import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import * as vscode from 'vscode'
import type { Status } from '../../../shared/status.ts'
import { person } from './person.ts'
import {
  api,
  eventually,
  extension,
  record,
  setSetting,
  status,
  statusBarShows,
  terminalEnvironment,
} from './window.ts'

/** What a shell with that environment prints. */
async function shell(line: string, env: Record<string, string>): Promise<string> {
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', line], { env })
  return stdout.trim()
}

function folders(environment: Record<string, string>): readonly string[] {
  return (environment['PATH'] ?? '').split(delimiter)
}

const isCommandFolder = (path: string) => path.endsWith(join('tollgate.tollgate', 'bin'))

describe('the tollgate command in terminals', () => {
  let terminal: Record<string, string>
  before(async () => {
    await statusBarShows(/pulse/)
    terminal = await terminalEnvironment()
  })

  it('stands in the last folder of the search path, which is the owner’s only', () => {
    const all = folders(terminal)
    assert.ok(all.length > 1)
    assert.deepEqual(all.filter(isCommandFolder), all.slice(-1))
    const folder = all.at(-1) ?? ''
    for (const path of [folder, join(folder, 'tollgate')]) assert.equal(statSync(path).mode & 0o777, 0o700)
  })

  it('is of the extension’s version and asks the gate of this VS Code', async () => {
    const { version } = extension().packageJSON as { version: string }
    assert.equal(await shell('tollgate --version', terminal), version)
    await setSetting('caps.dailyEur', 6.25)
    try {
      await eventually('the new cap', async () => ((await status()).today.capEur === 6.25 ? true : undefined))
      assert.equal((JSON.parse(await shell('tollgate status --json', terminal)) as Status).today.capEur, 6.25)
    } finally {
      await setSetting('caps.dailyEur', undefined)
      await eventually('the default cap', async () => ((await status()).today.capEur === 10 ? true : undefined))
    }
  })

  it('stops and allows calls as refusals say it', async () => {
    await shell('tollgate kill', terminal)
    await statusBarShows(/stop-circle/)
    await shell('tollgate resume', terminal)
    await statusBarShows(/pulse/)
  })

  it('leaves what it starts the environment of the terminal', async () => {
    const debugged = { ...terminal, NODE_OPTIONS: '--no-deprecation' }
    const line = `tollgate run -- sh -c 'echo "$NODE_OPTIONS" "\${ELECTRON_RUN_AS_NODE-none}"' 2>/dev/null`
    assert.equal(await shell(line, debugged), `--no-deprecation ${terminal['ELECTRON_RUN_AS_NODE'] ?? 'none'}`)
  })

  it('lets a tollgate of the user’s own go first', async () => {
    const own = join(api().dataDir(), 'tollgate')
    writeFileSync(own, '#!/bin/sh\necho mine\n', { mode: 0o700 })
    try {
      const environment = { ...terminal, PATH: `${api().dataDir()}${delimiter}${terminal['PATH'] ?? ''}` }
      assert.equal(await shell('tollgate --version', environment), 'mine')
    } finally {
      rmSync(own)
    }
  })

  it('is there where terminals bypass the gate, and not where Tollgate is switched off', async () => {
    await vscode.commands.executeCommand('tollgate.bypass')
    try {
      const bypassed = await terminalEnvironment()
      assert.equal(bypassed['OPENAI_BASE_URL'], undefined)
      assert.ok(isCommandFolder(folders(bypassed).at(-1) ?? ''))
    } finally {
      await vscode.commands.executeCommand('tollgate.guard')
    }
    await setSetting('enabled', false)
    try {
      await statusBarShows(/gate off/)
      assert.deepEqual(folders(await terminalEnvironment()).filter(isCommandFolder), [])
    } finally {
      await setSetting('enabled', undefined)
      await statusBarShows(/pulse/)
    }
  })

  it('is written anew when the gate starts, where somebody has changed it', async () => {
    const file = join(folders(terminal).at(-1) ?? '', 'tollgate')
    const before = readFileSync(file, 'utf8')
    writeFileSync(file, '#!/bin/sh\nexit 9\n')
    const { pid } = await record()
    await vscode.commands.executeCommand('tollgate.restartDaemon')
    await eventually('another process', async () => ((await record()).pid !== pid ? true : undefined))
    await eventually('the command', () => readFileSync(file, 'utf8') === before || undefined)
    await statusBarShows(/pulse/)
  })
})

describe('the shell of a guarded terminal', () => {
  const platform = { win32: 'windows', darwin: 'osx' }[process.platform as string] ?? 'linux'
  const configure = (setting: string, value: unknown) =>
    vscode.workspace
      .getConfiguration('terminal.integrated')
      .update(`${setting}.${platform}`, value, vscode.ConfigurationTarget.Global)
  let user: ReturnType<typeof person>

  before(async () => {
    const env = { SHELL_GREETING: 'hello from ${env:HOME}', ANTHROPIC_API_KEY: null }
    await configure('profiles', { work: { path: '/bin/sh', env } })
    await configure('defaultProfile', 'work')
  })
  after(async () => {
    user.leave()
    for (const one of vscode.window.terminals) one.dispose()
    await configure('defaultProfile', undefined)
    await configure('profiles', undefined)
  })

  it('has the variables of the default profile, and the command', async () => {
    user = person('', '', '')
    await vscode.commands.executeCommand('tollgate.newGuardedTerminal')
    const terminal = await eventually('the terminal', () =>
      vscode.window.terminals.find(({ name }) => name.includes('guarded')),
    )
    const file = join(api().dataDir(), 'guarded.txt')
    const line = 'echo "$SHELL_GREETING/${ANTHROPIC_API_KEY-none}/$OPENAI_BASE_URL/$(tollgate --version)/end"'
    terminal.sendText(`${line} > '${file}'`)
    const text = await eventually('what it printed', () => {
      try {
        const found = readFileSync(file, 'utf8')
        return found.endsWith('/end\n') ? found : undefined
      } catch {
        return undefined
      }
    })
    const { version } = extension().packageJSON as { version: string }
    assert.match(text, /^hello from \/\S+\/none\/http:\/\/127\.0\.0\.1:\d+\/k\/[^/]+\/t\/term-/)
    assert.ok(text.endsWith(`/${version}/end\n`), text)
  })
})
