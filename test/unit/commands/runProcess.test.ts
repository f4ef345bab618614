import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { isLivingMember } from '../../../daemon/commands/run/runGroup.ts'
import { StartFailure, startGroup } from '../../../daemon/commands/run/runProcess.ts'
import type { CommandGroup } from '../../../daemon/commands/run/runProcess.ts'

/** Waits for something that another process does; the test's own limit ends it. */
async function until<Value>(look: () => Value | null): Promise<Value> {
  for (;;) {
    const value = look()
    if (value !== null) return value
    await wait(10)
  }
}

/** A process that nobody has waited for is dead all the same. */
function isAlive(pid: number, group: number): boolean {
  try {
    return isLivingMember(readFileSync(`/proc/${pid}/stat`, 'utf8'), group)
  } catch {
    return false
  }
}

describe('the process group of a run', () => {
  let folder: string
  let group: CommandGroup | null = null

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tollgate-run-'))
  })

  afterEach(async () => {
    await group?.stop()
    group = null
    rmSync(folder, { recursive: true, force: true })
  })

  async function start(script: string, args: readonly string[] = [], killAfterMs = 10_000): Promise<CommandGroup> {
    group = await startGroup({
      words: [process.execPath, '-e', script, folder, ...args],
      env: process.env,
      platform: process.platform,
      stdio: 'ignore',
      killAfterMs,
    })
    return group
  }

  const written = (name: string): Promise<string> =>
    until(() => {
      try {
        const text = readFileSync(join(folder, name), 'utf8')
        return text === '' ? null : text
      } catch {
        return null
      }
    })

  const says =
    'const { writeFileSync } = require("node:fs"); const say = (name, text) => writeFileSync(process.argv[1] + "/" + name, String(text));'
  const stays = 'setInterval(() => undefined, 1000);'

  it('gives the exit code and the arguments as they were typed', async () => {
    const { ended } = await start(`${says} say("args", JSON.stringify(process.argv.slice(2))); process.exit(7)`, [
      'a b',
      '$X;*',
    ])
    assert.deepEqual(await ended, { code: 7, signal: null })
    assert.deepEqual(JSON.parse(await written('args')), ['a b', '$X;*'])
  })

  it('is another one than ours, with the command as its leader', async () => {
    const { pid } = await start(`${says} say("up", 1); ${stays}`)
    await written('up')
    process.kill(-pid, 0)
    assert.notEqual(pid, process.pid)
  })

  it('gets the signals that we pass on', async () => {
    const { ended, signal } = await start(`${says} process.on("SIGINT", () => process.exit(5)); say("up", 1); ${stays}`)
    await written('up')
    signal('SIGINT')
    assert.deepEqual(await ended, { code: 5, signal: null })
  })

  it('is stopped with what the command has started', async () => {
    const script = `${says} const { spawn } = require("node:child_process");
      const child = spawn(process.execPath, ["-e", ${JSON.stringify(stays)}], { stdio: "ignore" });
      child.on("spawn", () => say("child", child.pid)); ${stays}`
    const { pid, ended, stop } = await start(script)
    const child = Number(await written('child'))
    assert.equal(await stop(), 'SIGTERM')
    assert.deepEqual(await ended, { code: null, signal: 'SIGTERM' })
    await until(() => (isAlive(child, pid) ? null : true))
  })

  it('is killed where a part of it does not hear SIGTERM, even when the command itself has gone', async () => {
    const deaf = `process.on("SIGTERM", () => undefined); require("node:fs").writeFileSync(process.argv[1] + "/deaf", String(process.pid)); ${stays}`
    const script = `const { spawn } = require("node:child_process");
      spawn(process.execPath, ["-e", ${JSON.stringify(deaf)}, process.argv[1]], { stdio: "ignore" }); ${stays}`
    const { pid, ended, stop } = await start(script, [], 1500)
    const child = Number(await written('deaf'))
    assert.equal(await stop(), 'SIGKILL')
    assert.deepEqual(await ended, { code: null, signal: 'SIGTERM' })
    await until(() => (isAlive(child, pid) ? null : true))
  })

  it('is stopped while it is suspended', async () => {
    const { ended, signal, stop } = await start(
      `${says} process.on("SIGTERM", () => process.exit(3)); say("up", 1); ${stays}`,
    )
    await written('up')
    signal('SIGSTOP')
    assert.equal(await stop(), 'SIGTERM')
    assert.deepEqual(await ended, { code: 3, signal: null })
  })

  it('has ended when all that is left of it are processes that nobody has waited for', () => {
    assert.equal(isLivingMember('12 (node) S 1 77 77 0 -1', 77), true)
    assert.equal(isLivingMember('12 (a) Z 1) R 1 77 77 0 -1', 77), true)
    assert.equal(isLivingMember('12 (node) Z 1 77 77 0 -1', 77), false)
    assert.equal(isLivingMember('12 (node) S 1 78 77 0 -1', 77), false)
    assert.equal(isLivingMember('', 77), false)
  })

  it('says that there is no such program, or that it cannot be run', async () => {
    const plain = join(folder, 'plain.txt')
    writeFileSync(plain, 'text', { mode: 0o600 })
    const failures = [
      ['tollgate-no-such-program', 127, /^There is no program "tollgate-no-such-program"\.$/],
      [plain, 126, /cannot be run \(EACCES\)\.$/],
    ] as const
    for (const [word, exitCode, sentence] of failures) {
      await assert.rejects(
        startGroup({ words: [word], env: process.env, platform: process.platform, stdio: 'ignore' }),
        (failure: unknown) => {
          assert.ok(failure instanceof StartFailure)
          assert.equal(failure.exitCode, exitCode)
          assert.match(failure.message, sentence)
          return true
        },
      )
    }
  })
})
