import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { endProcess } from '../../../extension/process/ending.ts'
import type { EndingPorts } from '../../../extension/process/ending.ts'
import { endingPorts, ownProcesses } from '../../../extension/process/host.ts'
import { isSameProcess, parsePs, parseStat, parseTasklist, readProcess } from '../../../extension/process/identity.ts'
import type { ProcessIdentity } from '../../../extension/process/identity.ts'
import { ancestorsOf, mayEnd } from '../../../extension/process/protection.ts'
import type { OwnProcesses } from '../../../extension/process/protection.ts'

const agent: ProcessIdentity = {
  pid: 4242,
  name: 'node',
  startedAt: '100',
  parentPid: 900,
  program: '/usr/bin/node',
}

const own: OwnProcesses = {
  pid: 500,
  ancestors: [400, 300],
  program: '/opt/code/code',
  isEditorsProgram: true,
  daemonPid: 600,
}

describe('a process is read', () => {
  it('on Linux, whatever its name contains, unless it has ended', () => {
    const rest = `900 ${Array.from({ length: 17 }, (_, index) => index).join(' ')} 12345 0 0`
    assert.deepEqual(parseStat(`4242 (a) b (c) S ${rest}`), { name: 'a) b (c', parentPid: 900, startedAt: '12345' })
    assert.equal(parseStat(`4242 (node) Z ${rest}`), null)
    assert.equal(parseStat(''), null)
  })

  it('on macOS by ps', () => {
    const line = '  900 S+   Mon Nov 30 12:00:00 2026     /Applications/My Agent.app/agent\n'
    assert.deepEqual(parsePs(line, 4242), {
      pid: 4242,
      name: 'agent',
      startedAt: 'Mon Nov 30 12:00:00 2026',
      parentPid: 900,
      program: '/Applications/My Agent.app/agent',
    })
    assert.equal(parsePs('  900 Z    Mon Nov 30 12:00:00 2026     (node)\n', 4242), null)
    assert.equal(parsePs('', 4242), null)
  })

  it('on Windows by tasklist', () => {
    const list = '"node.exe","4242","Console","1","52.1 K"\r\n'
    assert.equal(parseTasklist(list, 4242)?.name, 'node')
    assert.equal(parseTasklist(list, 42), null)
    assert.equal(parseTasklist('INFO: No tasks are running which match the specified criteria.\r\n', 4242), null)
  })
})

describe('a process may be ended', () => {
  it('when it is an agent, be it started in a terminal or by an extension', () => {
    assert.ok(mayEnd(agent, own))
    assert.ok(mayEnd({ ...agent, parentPid: own.pid }, own))
  })

  it('never when it is the extension host, what started it or what runs beside it, the daemon, or the first one', () => {
    for (const pid of [500, 400, 300, 600, 1, 0, -1, 1.5, NaN]) assert.ok(!mayEnd({ ...agent, pid }, own), String(pid))
    assert.ok(!mayEnd({ ...agent, parentPid: 400 }, own))
  })

  it("never when it runs VS Code's own program, also where only the name is known", () => {
    assert.ok(!mayEnd({ ...agent, program: '/opt/code/code' }, own))
    const windows = { ...own, program: 'C:\\Code\\Code.exe' }
    assert.ok(!mayEnd({ ...agent, name: 'code', program: null }, windows))
    assert.ok(mayEnd({ ...agent, program: null }, windows))
  })

  it('when it shares a runtime with the extension host that is not part of VS Code', () => {
    assert.ok(mayEnd(agent, { ...own, program: '/usr/bin/node', isEditorsProgram: false }))
  })

  it('with the ancestors taken up to the first process, and no further', async () => {
    const parents = new Map([
      [400, 300],
      [300, 1],
    ])
    const read = (pid: number): Promise<ProcessIdentity> =>
      Promise.resolve({ ...agent, pid, parentPid: parents.get(pid) ?? null })
    assert.deepEqual(await ancestorsOf(400, read), [400, 300])
    assert.deepEqual(await ancestorsOf(1, read), [])
  })
})

describe('ending a process', () => {
  function ports(reads: readonly (ProcessIdentity | null)[], more: Partial<EndingPorts> = {}) {
    const left = [...reads]
    const signalled: number[] = []
    return {
      signalled,
      read: () => Promise.resolve(left.length > 1 ? left.shift()! : left[0]!),
      own: () => Promise.resolve(own),
      terminate: (pid: number) => void signalled.push(pid),
      sleep: () => Promise.resolve(),
      ...more,
    }
  }

  it('signals that process and reports its end', async () => {
    const ending = ports([agent, agent, null])
    assert.equal(await endProcess(agent, ending), 'ended')
    assert.deepEqual(ending.signalled, [4242])
  })

  it('touches nothing when the id belongs to another process by now', async () => {
    for (const now of [null, { ...agent, startedAt: '101' }, { ...agent, name: 'postgres' }]) {
      const ending = ports([now])
      assert.equal(await endProcess(agent, ending), 'gone')
      assert.deepEqual(ending.signalled, [])
    }
  })

  it('touches nothing of VS Code, whatever was asked for', async () => {
    const host = { ...agent, pid: own.pid }
    const ending = ports([host])
    assert.equal(await endProcess(host, ending), 'protected')
    assert.deepEqual(ending.signalled, [])
  })

  it('reports a process that does not end, and one that it may not end', async () => {
    assert.equal(await endProcess(agent, ports([agent])), 'stays')
    const fault = (code: string) => (): never => {
      throw Object.assign(new Error(code), { code })
    }
    assert.equal(await endProcess(agent, ports([agent], { terminate: fault('EPERM') })), 'denied')
    assert.equal(await endProcess(agent, ports([agent], { terminate: fault('ESRCH') })), 'gone')
  })
})

describe('on this machine', () => {
  const children: ChildProcess[] = []
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL')
  })

  async function agentProcess(): Promise<ChildProcess & { readonly pid: number }> {
    const child = spawn(process.execPath, ['-e', 'console.log(1); setInterval(() => {}, 1000)'], { stdio: 'pipe' })
    children.push(child)
    await once(child.stdout, 'data')
    assert.ok(child.pid)
    return Object.assign(child, { pid: child.pid })
  }

  it('a real process is told from others and ended with SIGTERM', async () => {
    const child = await agentProcess()
    const seen = await readProcess(child.pid)
    assert.ok(seen)
    assert.ok(!isSameProcess(seen, (await readProcess(process.pid))!))
    if (process.platform !== 'win32') assert.equal(seen.parentPid, process.pid)
    const exit = once(child, 'exit')
    assert.equal(await endProcess(seen, endingPorts('', null)), 'ended')
    if (process.platform !== 'win32') assert.equal((await exit)[1], 'SIGTERM')
    assert.equal(await readProcess(child.pid), null)
  })

  it('the process that asks is protected, and so is what started it', async () => {
    const mine = await ownProcesses('', null)
    for (const pid of [process.pid, process.ppid]) {
      const seen = await readProcess(pid)
      assert.ok(seen === null || !mayEnd(seen, mine))
      if (seen !== null) assert.equal(await endProcess(seen, endingPorts('', null)), 'protected')
    }
  })
})
