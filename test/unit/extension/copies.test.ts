import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { copyDaemon, forgetUser, noteUser, pruneCopies } from '../../../extension/daemon/copies.ts'

describe('copies of the daemon outside the extension', () => {
  let root: string
  let dist: string
  let copies: string

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'tollgate-copies-'))
    dist = join(root, 'dist')
    copies = join(root, 'storage', 'daemon')
    mkdirSync(join(dist, 'prebuilds'), { recursive: true })
    for (const name of ['daemon.js', 'extension.js', 'extension.js.map', 'o200k_base.vocabulary']) {
      writeFileSync(join(dist, name), name)
    }
    for (const platform of ['linux', 'linuxmusl', 'darwin', 'win32']) {
      writeFileSync(join(dist, 'prebuilds', `${platform}-x64.node`), '')
    }
  })

  afterEach(() => rmSync(root, { recursive: true, force: true }))

  it('hold what the daemon needs on this platform and nothing of the extension', async () => {
    const copy = await copyDaemon(dist, copies, '0.1.0', process.pid)
    assert.deepEqual(readdirSync(copy).sort(), ['daemon.js', 'o200k_base.vocabulary', 'prebuilds', 'processes'])
    const prebuilds = readdirSync(join(copy, 'prebuilds'))
    assert.ok(prebuilds.length > 0 && prebuilds.every((name) => name.startsWith(process.platform)))
  })

  it('are made once per build, and anew for another build of the same version', async () => {
    const first = await copyDaemon(dist, copies, '0.1.0', process.pid)
    assert.equal(await copyDaemon(dist, copies, '0.1.0', process.pid), first)
    writeFileSync(join(dist, 'daemon.js'), 'another build')
    assert.notEqual(await copyDaemon(dist, copies, '0.1.0', process.pid), first)
    assert.equal(readdirSync(copies).length, 2)
  })

  it('are one complete folder when two windows make them at the same time', async () => {
    const [left, right] = await Promise.all([
      copyDaemon(dist, copies, '0.1.0', process.pid),
      copyDaemon(dist, copies, '0.1.0', process.pid),
    ])
    assert.equal(left, right)
    assert.deepEqual(readdirSync(copies), [basename(left)])
  })

  it('are removed when no process runs from them, and stay while one does', async () => {
    const old = await copyDaemon(dist, copies, '0.0.9', process.pid)
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
    await noteUser(old, child.pid!)
    await forgetUser(old, process.pid)
    const present = await copyDaemon(dist, copies, '0.1.0', process.pid)
    assert.deepEqual(await pruneCopies(copies, Date.now()), [])
    child.kill('SIGKILL')
    await new Promise((resolve) => child.once('exit', resolve))
    assert.deepEqual(await pruneCopies(copies, Date.now()), [basename(old)])
    assert.deepEqual(readdirSync(copies), [basename(present)])
  })

  it('stay while a window is about to start a daemon from them', async () => {
    const copy = await copyDaemon(dist, copies, '0.1.0', process.pid)
    assert.deepEqual(await pruneCopies(copies, Date.now()), [])
    await forgetUser(copy, process.pid)
    assert.deepEqual(await pruneCopies(copies, Date.now()), [basename(copy)])
    assert.equal(await copyDaemon(dist, copies, '0.1.0', process.pid), copy, 'and are made again')
  })

  it('know all their users when two windows note one at the same time', async () => {
    const copy = await copyDaemon(dist, copies, '0.1.0', process.pid)
    await Promise.all([noteUser(copy, process.pid), noteUser(copy, process.ppid)])
    assert.deepEqual(readdirSync(join(copy, 'processes')).map(Number).sort(), [process.pid, process.ppid].sort())
  })

  it('that a window left half made are removed after an hour, not while they are made', async () => {
    const draft = join(copies, 'draft-1-abc')
    mkdirSync(draft, { recursive: true })
    const nowMs = Date.now()
    assert.deepEqual(await pruneCopies(copies, nowMs), [])
    utimesSync(draft, new Date(nowMs - 3_700_000), new Date(nowMs - 3_700_000))
    assert.deepEqual(await pruneCopies(copies, nowMs), ['draft-1-abc'])
    assert.deepEqual(readdirSync(copies), [])
  })
})
