import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { Replacements } from '../../../extension/daemon/replacements.ts'
import type { ReplacementPorts } from '../../../extension/daemon/replacements.ts'

describe('clearing away after a daemon that was replaced', () => {
  it('only writes down that it failed', async () => {
    const complaints: string[] = []
    const record = (pid: number, version: string) => {
      const url = 'http://127.0.0.1:4141'
      return { url, port: 4141, key: 'k', token: 't', pid, version, protocol: 1, startedAtMs: 0 }
    }
    let running = record(7, '0.1.0')
    const ports: ReplacementPorts = {
      readRecord: () => Promise.resolve(running),
      readHealth: () => Promise.resolve({ name: 'tollgate', inFlight: 0, ...running }),
      start: () => {
        running = record(8, '0.2.0')
        return Promise.resolve({ pid: 8, exited: new Promise(() => undefined) })
      },
      sleep: () => Promise.resolve(),
      nowMs: () => 0,
      log: {
        debug: () => undefined,
        info: () => undefined,
        warn: (line) => void complaints.push(line),
        error: (line) => void complaints.push(line),
      },
      tidyAfter: (pid) => Promise.reject(new Error(`EACCES after ${pid}`)),
    }
    const ensured = await new Replacements(ports, { version: '0.2.0', protocol: 1 }).ensure(true)
    assert.equal(ensured.kind, 'ready')
    // A rejection that nobody handles fails this test as well.
    await setImmediate()
    assert.deepEqual(complaints, ['What the older gate left could not be cleared away: EACCES after 7'])
  })
})
