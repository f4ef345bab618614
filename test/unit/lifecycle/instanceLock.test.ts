import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { acquireInstanceLock, acquireSuccessorLock } from '../../../daemon/lifecycle/instanceLock.ts'

const module = join(import.meta.dirname, '../../../daemon/lifecycle/instanceLock.ts')

describe('the lock of a data directory', () => {
  let folder: string
  let dataDir: string

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tollgate-lock-'))
    dataDir = join(folder, 'new', 'data')
  })

  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  /** A process that takes the lock, says whether it has it, and stays. */
  async function holder(): Promise<{ readonly has: boolean; readonly kill: () => Promise<void> }> {
    const script = `
      import { acquireInstanceLock } from ${JSON.stringify(module)}
      const lock = acquireInstanceLock(${JSON.stringify(dataDir)})
      process.stdout.write(lock === null ? 'refused' : 'locked')
      setInterval(() => lock, 1000)`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, NODE_NO_WARNINGS: '1' },
    })
    const [said] = (await once(child.stdout, 'data')) as [Buffer]
    const kill = async (): Promise<void> => {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    }
    return { has: String(said) === 'locked', kill }
  }

  it('makes the directory for its owner only', () => {
    const lock = acquireInstanceLock(dataDir)
    assert.equal(statSync(dataDir).mode & 0o777, 0o700)
    lock?.release()
  })

  it('is given once, and again after its release', () => {
    const first = acquireInstanceLock(dataDir)
    assert.notEqual(first, null)
    assert.equal(acquireInstanceLock(dataDir), null)
    assert.equal(acquireInstanceLock(dataDir), null)
    first?.release()
    const second = acquireInstanceLock(dataDir)
    assert.notEqual(second, null)
    second?.release()
  })

  it('M01: is refused to a second process while the first one runs', async () => {
    const lock = acquireInstanceLock(dataDir)
    const second = await holder()
    assert.equal(second.has, false)
    await second.kill()
    lock?.release()
  })

  it('A06: is free again when its process was killed', async () => {
    const first = await holder()
    assert.equal(first.has, true)
    assert.equal(acquireInstanceLock(dataDir), null)
    await first.kill()
    const lock = acquireInstanceLock(dataDir)
    assert.notEqual(lock, null)
    lock?.release()
  })

  it('leaves one place in line for a successor, which is given once too', () => {
    const owner = acquireInstanceLock(dataDir)
    const successor = acquireSuccessorLock(dataDir)
    assert.ok(owner !== null && successor !== null)
    assert.equal(acquireSuccessorLock(dataDir), null)
    successor.release()
    const next = acquireSuccessorLock(dataDir)
    assert.notEqual(next, null)
    next?.release()
    owner.release()
  })

  it('does not lock another directory', () => {
    const one = acquireInstanceLock(dataDir)
    const two = acquireInstanceLock(join(folder, 'other'))
    assert.ok(one !== null && two !== null)
    one.release()
    two.release()
  })
})
