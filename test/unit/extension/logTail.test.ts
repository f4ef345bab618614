import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { followLog } from '../../../extension/daemon/logTail.ts'
import type { LogTail } from '../../../extension/daemon/logTail.ts'

describe('the log of the daemon in the log of the window', () => {
  let folder: string
  let path: string
  let lines: string[]
  let nowMs: number
  let waiting: { readonly atMs: number; readonly run: () => void }[]
  let tail: LogTail

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tollgate-log-'))
    path = join(folder, 'daemon.log')
    lines = []
    nowMs = 0
    waiting = []
    tail = followLog(
      () => path,
      (line) => lines.push(line),
      {
        nowMs: () => nowMs,
        after: (ms, run) => {
          const one = { atMs: nowMs + ms, run }
          waiting.push(one)
          return () => {
            waiting = waiting.filter((other) => other !== one)
          }
        },
      },
    )
  })

  afterEach(() => {
    tail.dispose()
    rmSync(folder, { recursive: true })
  })

  /** Lets time pass and waits for what is read meanwhile. */
  async function pass(ms: number): Promise<void> {
    nowMs += ms
    const due = waiting.filter(({ atMs }) => atMs <= nowMs)
    waiting = waiting.filter((one) => !due.includes(one))
    for (const { run } of due) run()
    await tail.whenRead()
  }

  it('begins at the end, and takes over what comes later', async () => {
    writeFileSync(path, 'old\n')
    tail.ask()
    await pass(0)
    appendFileSync(path, 'one\ntwo\nhal')
    tail.ask()
    await pass(1000)
    assert.deepEqual(lines, ['one', 'two'])
    appendFileSync(path, 'f\n')
    await pass(1000)
    assert.deepEqual(lines, ['one', 'two', 'half'])
  })

  it('looks once more after the last sign, and then rests', async () => {
    tail.ask()
    await pass(0)
    assert.equal(waiting.length, 1)
    await pass(1000)
    assert.equal(waiting.length, 0)
  })

  it('reads at most once a second, however often it is asked', async () => {
    tail.ask()
    for (let ask = 0; ask < 100; ask += 1) tail.ask()
    await pass(0)
    assert.equal(waiting.length, 1)
  })

  it('begins anew with a file that was started again', async () => {
    writeFileSync(path, 'a long line of the old file\n')
    tail.ask()
    await pass(0)
    writeFileSync(path, 'new\n')
    await pass(1000)
    assert.deepEqual(lines, ['new'])
  })

  it('leaves no timer behind when its window is closed, even where the end of the connection asks once more', () => {
    tail.ask()
    tail.dispose()
    tail.ask()
    assert.equal(waiting.length, 0)
  })

  it('waits for a file that is not there yet', async () => {
    tail.ask()
    await pass(0)
    writeFileSync(path, 'first\n')
    await pass(1000)
    assert.deepEqual(lines, ['first'])
  })
})
