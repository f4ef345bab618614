import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { CommandLauncher } from '../../../../extension/commandLine/commandLauncher.ts'
import { copyNameIn } from '../../../../extension/commandLine/scripts.ts'
import { searchPathVariable } from '../../../../extension/commandLine/searchPath.ts'
import { copyDaemon, pruneCopies } from '../../../../extension/daemon/copies.ts'

/** No process has this id. */
const nobody = 2 ** 30

describe('the launcher of the command line', () => {
  let root: string
  let copiesDir: string
  let binDir: string
  let warnings: string[]

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'tollgate-launcher-'))
    copiesDir = join(root, 'storage', 'daemon')
    binDir = join(root, 'storage', 'bin')
    warnings = []
  })
  afterEach(() => {
    assert.deepEqual(warnings, [])
    rmSync(root, { recursive: true, force: true })
  })

  /** A window with an extension of that version. */
  function windowOf(version: string, platform: NodeJS.Platform = 'linux', nodePath = '') {
    const distDir = join(root, version)
    mkdirSync(join(distDir, 'prebuilds'), { recursive: true })
    writeFileSync(join(distDir, 'daemon.js'), `// ${version}`)
    const quiet = () => undefined
    const launcher = new CommandLauncher({
      distDir,
      copiesDir,
      binDir,
      version,
      ownRuntime: '/usr/share/code/code',
      platform,
      environment: {},
      log: { debug: quiet, info: quiet, warn: (line) => void warnings.push(line), error: quiet },
      settings: () => ({ dataDir: join(root, 'storage'), nodePath }),
    })
    return { launcher, copy: () => copyDaemon(distDir, copiesDir, version, process.pid) }
  }

  const script = () => readFileSync(join(binDir, 'tollgate'), 'utf8')
  const present = () => /^(.*)-/.exec(copyNameIn(script()) ?? '')?.[1]

  it('is for its owner only, and holds the program, the runtime and the data directory', async () => {
    const { launcher, copy } = windowOf('0.1.0')
    const copyDir = await copy()
    await launcher.pointTo(copyDir)
    assert.deepEqual(readdirSync(binDir), ['tollgate'])
    assert.equal(statSync(binDir).mode & 0o777, 0o700)
    assert.equal(statSync(join(binDir, 'tollgate')).mode & 0o777, 0o700)
    assert.match(script(), new RegExp(`exec '/usr/share/code/code' '${join(copyDir, 'daemon.js')}' "\\$@"\n$`))
    assert.match(script(), /ELECTRON_RUN_AS_NODE=1/)
  })

  it('runs on the runtime of the settings, where they name one', async () => {
    const { launcher, copy } = windowOf('0.1.0', 'linux', '/opt/node/bin/node')
    await launcher.pointTo(await copy())
    assert.match(script(), /exec '\/opt\/node\/bin\/node' /)
    assert.doesNotMatch(script(), /ELECTRON_RUN_AS_NODE=1/)
  })

  it('is a second file on Windows', async () => {
    const { launcher, copy } = windowOf('0.1.0', 'win32')
    await launcher.pointTo(await copy())
    assert.deepEqual(readdirSync(binDir), ['tollgate', 'tollgate.cmd'])
  })

  it('is not written again while nothing has changed', async () => {
    const { launcher, copy } = windowOf('0.1.0')
    const copyDir = await copy()
    await launcher.pointTo(copyDir)
    const { ino } = statSync(join(binDir, 'tollgate'))
    await launcher.pointTo(copyDir)
    await launcher.follow(process.pid)
    assert.equal(statSync(join(binDir, 'tollgate')).ino, ino)
  })

  it('replaces what somebody has changed', async () => {
    const { launcher, copy } = windowOf('0.1.0')
    await launcher.pointTo(await copy())
    const before = script()
    writeFileSync(join(binDir, 'tollgate'), 'something else')
    await launcher.follow(process.pid)
    assert.equal(script(), before)
  })

  it('runs the newest version, whichever window connects last', async () => {
    const older = windowOf('0.9.0')
    const newer = windowOf('0.10.0')
    await older.launcher.pointTo(await older.copy())
    await newer.launcher.follow(process.pid)
    assert.equal(present(), '0.10.0')
    await older.launcher.follow(process.pid)
    await older.launcher.pointTo(await older.copy())
    assert.equal(present(), '0.10.0')
  })

  it('makes no copy of an older version beside a newer gate', async () => {
    const newer = windowOf('0.2.0')
    await newer.launcher.pointTo(await newer.copy())
    await windowOf('0.1.0').launcher.follow(process.pid)
    assert.deepEqual(
      readdirSync(copiesDir).map((name) => name.slice(0, 5)),
      ['0.2.0'],
    )
  })

  it('goes back to an older version when the newer one’s program is gone', async () => {
    const newer = windowOf('0.2.0')
    await newer.launcher.follow(nobody)
    assert.equal(present(), '0.2.0')
    const older = windowOf('0.1.0')
    const copyDir = await older.copy()
    assert.equal((await pruneCopies(copiesDir, Date.now())).length, 1)
    await older.launcher.pointTo(copyDir)
    assert.equal(present(), '0.1.0')
  })

  it('keeps the copy for a gate that was started by hand, as long as that runs', async () => {
    const { launcher } = windowOf('0.1.0')
    await launcher.follow(process.pid)
    assert.deepEqual(await pruneCopies(copiesDir, Date.now()), [])
    assert.equal(copyNameIn(script()), basename(readdirSync(copiesDir)[0] ?? ''))
  })

  it('is no fault of the gate where it cannot be written', async () => {
    const { launcher, copy } = windowOf('0.1.0')
    const copyDir = await copy()
    writeFileSync(binDir, 'a file where the folder should be')
    await launcher.pointTo(copyDir)
    assert.match(warnings.splice(0).join(), /^The tollgate command was not written: Error: EEXIST/)
  })
})

describe('the search path of terminals', () => {
  it('ends with the folder of the command', () => {
    assert.deepEqual(searchPathVariable('/s/bin', '/usr/bin', 'linux'), {
      name: 'PATH',
      value: ':/s/bin',
      action: 'append',
    })
    assert.equal(searchPathVariable(String.raw`C:\s\bin`, String.raw`C:\Windows`, 'win32').value, String.raw`;C:\s\bin`)
  })

  it('does not come to hold the working directory where there was none', () => {
    assert.equal(searchPathVariable('/s/bin', undefined, 'linux').value, '/s/bin')
    assert.equal(searchPathVariable('/s/bin', '', 'darwin').value, '/s/bin')
  })
})
