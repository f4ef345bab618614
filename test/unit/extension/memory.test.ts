import assert from 'node:assert/strict'
import type * as vscode from 'vscode'
import { Memory } from '../../../extension/memory.ts'
import type { Places } from '../../../extension/memory.ts'

function memento(): vscode.Memento {
  const values = new Map<string, unknown>()
  return {
    keys: () => [...values.keys()],
    get: <Value>(key: string, fallback?: Value) => (values.has(key) ? values.get(key) : fallback) as Value,
    update: (key, value) => {
      if (value === undefined) values.delete(key)
      else values.set(key, value)
      return Promise.resolve()
    },
  }
}

/** A window on a host, with the gate in the extension's own storage there. */
function windowOn(name: string, shared: vscode.Memento, places: Partial<Places> = {}): Memory {
  return new Memory(shared, memento(), { host: () => name, dataDir: () => name, ...places })
}

describe('the last look at the Spend view', () => {
  it('is the same in every window on the gate, and none before the first', async () => {
    const shared = memento()
    const [one, other] = [windowOn('laptop', shared), windowOn('laptop', shared)]
    assert.equal(other.spendLookedAtMs, 0)
    await one.setSpendLookedAtMs(1_796_040_000_000)
    assert.equal(other.spendLookedAtMs, 1_796_040_000_000)
  })

  it('begins with the first start, so that nothing of before is told, and not with a later one', async () => {
    const memory = windowOn('laptop', memento())
    await memory.beginSpendLooks(1_796_040_000_000)
    await memory.beginSpendLooks(1_796_050_000_000)
    assert.equal(memory.spendLookedAtMs, 1_796_040_000_000)
  })
})

describe('what was said', () => {
  it('is claimed once, also when two ask at once', async () => {
    const memory = windowOn('laptop', memento())
    assert.deepEqual(await Promise.all([memory.claim('a'), memory.claim('a'), memory.claim('b')]), [true, false, true])
    assert.ok(memory.wasSaid('a'))
  })

  it('is forgotten by the beginning of its key, and only that', async () => {
    const memory = windowOn('laptop', memento())
    for (const key of ['task:x:halted:1', 'task:x:loop:1', 'task:xy:halted:1']) await memory.claim(key)
    await memory.forget(['task:x:halted:'])
    assert.deepEqual(
      ['task:x:halted:1', 'task:x:loop:1', 'task:xy:halted:1'].map((key) => memory.wasSaid(key)),
      [false, true, true],
    )
  })
})

describe('what one VS Code remembers of several hosts', () => {
  const key = 'cap user me day eur 10 2026-12-01T00:00:00+01:00'

  it('is said on each: a cap that was reached on the laptop silences none of the host behind SSH', async () => {
    const shared = memento()
    const [laptop, server] = [windowOn('laptop', shared), windowOn('server', shared)]
    assert.ok(await laptop.claim(key))
    assert.ok(!server.wasSaid(key) && (await server.claim(key)))
    await server.forget(['cap '])
    assert.deepEqual([laptop.wasSaid(key), server.wasSaid(key)], [true, false])
  })

  it('is seen, failed and written on each by itself', async () => {
    const shared = memento()
    const [laptop, server] = [windowOn('laptop', shared), windowOn('server', shared)]
    await laptop.setSpendLookedAtMs(1_796_040_000_000)
    await laptop.setNotStartedSaidMs(1_796_040_000_000)
    await laptop.setClientUndo(['laptop'])
    await server.setClientUndo(['server'])
    assert.deepEqual([server.spendLookedAtMs, server.notStartedSaidMs], [0, 0])
    assert.deepEqual([laptop.clientUndo, server.clientUndo], [['laptop'], ['server']])
  })

  it('follows the data directory that a setting names, but for the files of clients, which are of the host', async () => {
    let dataDir = 'laptop'
    const memory = windowOn('laptop', memento(), { dataDir: () => dataDir })
    await memory.claim(key)
    await memory.setClientUndo(['undo'])
    dataDir = 'elsewhere'
    assert.ok(!memory.wasSaid(key))
    assert.deepEqual(memory.clientUndo, ['undo'])
    dataDir = 'laptop'
    assert.ok(memory.wasSaid(key))
  })

  it('is bounded, however many containers there were, and the latest stay', async () => {
    const shared = memento()
    for (let index = 0; index < 300; index += 1) {
      await windowOn(`container-${index}`, shared).setSpendLookedAtMs(index + 1)
      await windowOn(`container-${index}`, shared).claim('a')
    }
    const looks = Array.from({ length: 300 }, (_, index) => windowOn(`container-${index}`, shared).spendLookedAtMs)
    assert.equal(looks.filter((ms) => ms > 0).length, 100)
    assert.equal(looks.at(-1), 300)
    assert.ok(windowOn('container-299', shared).wasSaid('a') && !windowOn('container-0', shared).wasSaid('a'))
  })
})

describe('the settings that a gate runs with', () => {
  it('are those of the host, whatever windows on other hosts keep', async () => {
    const shared = memento()
    const settings = { port: 4141, dataDir: '/data', nodePath: '' }
    await windowOn('laptop', shared).setDaemonInForce(settings)
    await windowOn('server', shared).setDaemonInForce({ ...settings, port: 5000 })
    assert.deepEqual(windowOn('laptop', shared).daemonInForce, settings)
    assert.equal(windowOn('container', shared).daemonInForce, undefined)
  })
})

describe("Don't Show Again", () => {
  it('is of one kind, wherever it comes from', async () => {
    const shared = memento()
    await windowOn('laptop', shared).silence('loopHalted')
    const server = windowOn('server', shared)
    assert.ok(server.isSilenced('loopHalted') && !server.isSilenced('taskHalted'))
  })

  it('can be taken back, for every kind', async () => {
    const memory = windowOn('laptop', memento())
    assert.equal(await memory.endSilence(), false)
    await memory.silence('loopHalted')
    await memory.silence('capReached')
    assert.equal(await memory.endSilence(), true)
    assert.ok(!memory.isSilenced('loopHalted') && !memory.isSilenced('capReached'))
    assert.equal(await memory.endSilence(), false)
  })
})
