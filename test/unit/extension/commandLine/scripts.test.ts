import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import {
  commandPromptScript,
  copyNameIn,
  shellScript,
  versionOfCopy,
} from '../../../../extension/commandLine/scripts.ts'
import { putBackHeld } from '../../../../shared/heldVariables.ts'

const copyName = '0.2.0-0123456789ab'

/** What the program of these tests says: its words, and the environment that the runtime got. */
interface Said {
  readonly words: readonly string[]
  readonly environment: Record<string, string>
}

describe('the tollgate command of a shell', () => {
  let root: string
  beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'tollgate-command-'))))
  afterEach(() => rmSync(root, { recursive: true, force: true }))

  /** Installs a command whose every path lies in a folder of that name, and returns its script. */
  function install(folder: string, isOwnRuntime = true): { readonly file: string; readonly dataDir: string } {
    const place = join(root, folder)
    mkdirSync(place, { recursive: true })
    const program = join(place, 'daemon.js')
    const words = 'process.argv.slice(2)'
    writeFileSync(program, `process.stdout.write(JSON.stringify({ words: ${words}, environment: process.env }))`)
    const runtime = join(place, 'node')
    symlinkSync(process.execPath, runtime)
    const file = join(place, 'tollgate')
    writeFileSync(file, shellScript({ copyName, program, runtime, isOwnRuntime, dataDir: place }))
    chmodSync(file, 0o700)
    return { file, dataDir: place }
  }

  function run(file: string, words: readonly string[] = [], environment: Record<string, string> = {}): Said {
    const env = { PATH: process.env['PATH'] ?? '', ...environment }
    return JSON.parse(execFileSync(file, words, { env, encoding: 'utf8' })) as Said
  }

  const oddFolders = [
    'a b',
    "it's",
    '"quoted"',
    '$HOME',
    '`id`',
    '$(id)',
    'Jürgen Öz',
    '日本',
    'a\nb',
    String.raw`a\b`,
    '*;&|#!',
  ]
  for (const folder of oddFolders) {
    it(`runs a program in a folder named ${JSON.stringify(folder)}, with the data directory there`, () => {
      const { file, dataDir } = install(folder)
      const { words, environment } = run(file, ['status', '--json'])
      assert.deepEqual(words, ['status', '--json'])
      assert.equal(environment['TOLLGATE_DATA_DIR'], dataDir)
    })
  }

  it('hands every word on as it is', () => {
    const { file } = install('plain')
    const word = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0'))
    fc.assert(
      fc.property(fc.array(word, { maxLength: 4 }), (words) => {
        assert.deepEqual(run(file, words).words, words)
      }),
      { numRuns: 20 },
    )
  })

  it('leaves a data directory that the user has named', () => {
    const { file, dataDir } = install('plain')
    const named = (name: string) => run(file, [], { TOLLGATE_DATA_DIR: name }).environment['TOLLGATE_DATA_DIR']
    assert.equal(named('/elsewhere'), '/elsewhere')
    assert.equal(named(''), dataDir)
  })

  it('makes VS Code’s runtime run the program, and a runtime of the user’s own needs nothing', () => {
    const { environment } = run(install('own').file)
    assert.deepEqual([environment['ELECTRON_RUN_AS_NODE'], environment['ELECTRON_NO_ASAR']], ['1', '1'])
    const other = run(install('other', false).file, [], { ELECTRON_RUN_AS_NODE: '1' }).environment
    assert.equal(other['ELECTRON_RUN_AS_NODE'], undefined)
  })

  it('keeps debuggers out of the program, which puts the environment back for what it starts', () => {
    const { file, dataDir } = install('plain')
    const debug = {
      NODE_OPTIONS: '--require "/a b/none.js"',
      VSCODE_INSPECTOR_OPTIONS: ':::{"x":"$HOME"}',
      PATH: '/bin',
    }
    for (const before of [debug, { PATH: '/bin', ELECTRON_RUN_AS_NODE: '' }]) {
      const { environment } = run(file, [], before)
      assert.equal(environment['NODE_OPTIONS'], undefined)
      assert.equal(environment['VSCODE_INSPECTOR_OPTIONS'], undefined)
      putBackHeld(environment)
      delete environment['PWD']
      assert.deepEqual(environment, { ...before, TOLLGATE_DATA_DIR: dataDir })
    }
  })

  it('leaves the environment of a program that was started without it', () => {
    const environment = { NODE_OPTIONS: '--no-warnings', ELECTRON_RUN_AS_NODE: '1' }
    putBackHeld(environment)
    assert.deepEqual(environment, { NODE_OPTIONS: '--no-warnings', ELECTRON_RUN_AS_NODE: '1' })
  })

  it('works through a link, as from a folder of the user’s own', () => {
    const { file } = install('plain')
    symlinkSync(file, join(root, 'linked'))
    assert.deepEqual(run(join(root, 'linked'), ['--version']).words, ['--version'])
  })

  it('ends with the program’s exit code', () => {
    const { file } = install('plain')
    writeFileSync(join(root, 'plain', 'daemon.js'), 'process.exitCode = 4')
    assert.equal(spawnSync(file).status, 4)
  })

  for (const missing of ['node', 'daemon.js']) {
    it(`says what to do where ${missing} is gone`, () => {
      const { file } = install('plain')
      rmSync(join(root, 'plain', missing))
      const { status, stderr } = spawnSync(file, { encoding: 'utf8' })
      assert.equal(status, 127)
      assert.equal(
        stderr,
        'tollgate: The program is not there any more. A window of VS Code with Tollgate brings it back.\n',
      )
    })
  }

  it('tells which copy it runs, and no other file does', () => {
    const { file } = install('plain')
    assert.equal(copyNameIn(readFileSync(file, 'utf8')), copyName)
    for (const text of ['', '#!/bin/sh\nexec node x "$@"\n', `echo Tollgate ${copyName}, kept`]) {
      assert.equal(copyNameIn(text), null)
    }
    assert.equal(versionOfCopy(copyName), '0.2.0')
    assert.equal(versionOfCopy('1.0.0-beta.1-0123456789ab'), '1.0.0-beta.1')
  })
})

describe('the tollgate command of the command prompt', () => {
  const home = String.raw`C:\Users\Jürgen`
  const local = String.raw`${home}\AppData\Local`
  const environment = { USERPROFILE: home, LOCALAPPDATA: local, APPDATA: String.raw`${home}\AppData\Roaming` }
  const storage = String.raw`${home}\AppData\Roaming\Code\User\globalStorage\tollgate.tollgate`
  const command = {
    copyName,
    program: [storage, 'daemon', copyName, 'daemon.js'].join('\\'),
    runtime: String.raw`${local}\Programs\Microsoft VS Code\Code.exe`,
    isOwnRuntime: true,
    dataDir: storage,
  }

  it('is plain ASCII where the user’s name is not', () => {
    assert.deepEqual(commandPromptScript(command, environment).split('\r\n'), [
      '@echo off',
      `rem Tollgate ${copyName}, kept by the extension of VS Code, which writes this file anew.`,
      'setlocal DisableDelayedExpansion',
      String.raw`if not exist "%APPDATA%\Code\User\globalStorage\tollgate.tollgate\daemon\0.2.0-0123456789ab\daemon.js" (echo tollgate: The program is not there any more. A window of VS Code with Tollgate brings it back.>&2& exit /b 127)`,
      String.raw`if not defined TOLLGATE_DATA_DIR set "TOLLGATE_DATA_DIR=%APPDATA%\Code\User\globalStorage\tollgate.tollgate"`,
      'if defined NODE_OPTIONS set "TOLLGATE_HELD_NODE_OPTIONS=%NODE_OPTIONS%"',
      'set "NODE_OPTIONS="',
      'if defined VSCODE_INSPECTOR_OPTIONS set "TOLLGATE_HELD_VSCODE_INSPECTOR_OPTIONS=%VSCODE_INSPECTOR_OPTIONS%"',
      'set "VSCODE_INSPECTOR_OPTIONS="',
      'if defined ELECTRON_RUN_AS_NODE set "TOLLGATE_HELD_ELECTRON_RUN_AS_NODE=%ELECTRON_RUN_AS_NODE%"',
      'set "ELECTRON_RUN_AS_NODE="',
      'if defined ELECTRON_NO_ASAR set "TOLLGATE_HELD_ELECTRON_NO_ASAR=%ELECTRON_NO_ASAR%"',
      'set "ELECTRON_NO_ASAR="',
      'set "TOLLGATE_HELD=1"',
      'set "ELECTRON_RUN_AS_NODE=1"',
      'set "ELECTRON_NO_ASAR=1"',
      String.raw`"%LOCALAPPDATA%\Programs\Microsoft VS Code\Code.exe" "%APPDATA%\Code\User\globalStorage\tollgate.tollgate\daemon\0.2.0-0123456789ab\daemon.js" %* & exit /b`,
      '',
    ])
  })

  it('says that it is UTF-8 where another folder has such a name', () => {
    const text = commandPromptScript({ ...command, dataDir: String.raw`D:\Zähler` }, environment)
    assert.match(text, /\r\nchcp 65001 >nul\r\nif not exist/)
  })

  it('leaves no sign of a path to the command prompt', () => {
    const text = commandPromptScript({ ...command, dataDir: 'D:\\100%PATH%\\a&b"&calc&"\r\ncalc' }, environment)
    assert.ok(text.includes(String.raw`set "TOLLGATE_DATA_DIR=D:\100%%PATH%%\a&b&calc&calc"`))
  })

  it('takes a variable for whole folders only', () => {
    const text = commandPromptScript({ ...command, dataDir: String.raw`C:\Users\Jürgenson\gate` }, environment)
    assert.ok(text.includes(String.raw`"TOLLGATE_DATA_DIR=C:\Users\Jürgenson\gate"`))
  })

  it('tells which copy it runs', () => {
    assert.equal(copyNameIn(commandPromptScript(command, environment)), copyName)
  })
})
