import assert from 'node:assert/strict'
import { DaemonAnswer } from '../../../../extension/daemon/api.ts'
import { readRecord } from '../../../../extension/daemon/discovery.ts'
import { NoAnswer, orderAll } from '../../../../extension/stop/reach.ts'
import { FakeDaemon } from '../../commands/fakeDaemon.ts'

describe('an order about all calls', () => {
  let daemon: FakeDaemon
  beforeEach(async () => {
    daemon = new FakeDaemon()
    await daemon.start()
  })
  afterEach(() => daemon.remove())

  const order = (followed = false) =>
    readRecord(daemon.dataDir).then((record) => orderAll(daemon.dataDir, followed ? record : undefined, '/api/kill'))
  const noAnswer = (isThere: boolean) => (error: unknown) => error instanceof NoAnswer && error.isThere === isThere

  it('goes at once to the daemon that is followed, else to the one that says it owns the directory', async () => {
    daemon.answers['POST /api/kill'] = { status: 200, body: { cancelled: 5 } }
    assert.deepEqual([await order(true), await order()], [{ cancelled: 5 }, { cancelled: 5 }])
    assert.deepEqual(
      daemon.seen.map(({ route, body }) => `${route} ${body}`),
      ['POST /api/kill {"scope":"global"}', 'GET /healthz ', 'POST /api/kill {"scope":"global"}'],
    )
  })

  it('brings the answer of a daemon that says no', async () => {
    daemon.answers['POST /api/kill'] = { status: 503, body: { error: { message: 'No.' } } }
    for (const followed of [true, false]) {
      await assert.rejects(order(followed), (error) => error instanceof DaemonAnswer && error.message === 'No.')
    }
  })

  it('finds nobody where no daemon was, or where the one that was is gone', async () => {
    await assert.rejects(orderAll(`${daemon.dataDir}/nowhere`, undefined, '/api/kill'), noAnswer(false))
    await daemon.die()
    await assert.rejects(order(true), noAnswer(false))
  })

  it('knows a process that is there and takes no connection, as one that is ending', async () => {
    await daemon.die()
    await assert.rejects(order(), noAnswer(true))
  })

  it('N04: hands the token to no other program that has taken the port since', async () => {
    daemon.health = { name: 'tollgate', version: '0.1.0', protocol: 1, pid: process.pid + 1, inFlight: 0 }
    await assert.rejects(order(), noAnswer(false))
    assert.ok(daemon.seen.length > 0 && daemon.seen.every(({ authorization }) => authorization === undefined))
  })

  it('is given again to the daemon that has taken the place of the one that is followed', async () => {
    const record = (await readRecord(daemon.dataDir))!
    const refusing = new FakeDaemon()
    await refusing.start()
    refusing.answers['POST /api/kill'] = { status: 401, body: { error: { message: 'wrong token' } } }
    daemon.answers['POST /api/kill'] = { status: 200, body: { cancelled: 1 } }
    try {
      const stale = { ...record, url: refusing.url, token: 'of-the-predecessor' }
      assert.deepEqual(await orderAll(daemon.dataDir, stale, '/api/kill'), { cancelled: 1 })
    } finally {
      await refusing.remove()
    }
    assert.deepEqual(
      daemon.seen.map(({ route, authorization }) => [route, authorization]),
      [
        ['GET /healthz', undefined],
        ['POST /api/kill', 'Bearer control-token'],
      ],
    )
  })

  it('C12: is not answered by a daemon that does not know us, so that a stop waits', async () => {
    daemon.answers['POST /api/kill'] = { status: 401, body: { error: { message: 'wrong token' } } }
    for (const followed of [true, false]) {
      daemon.seen.length = 0
      await assert.rejects(order(followed), noAnswer(true))
      assert.equal(daemon.seen.filter(({ route }) => route === 'POST /api/kill').length, 2, 'tried twice')
    }
    daemon.health = 'not ours'
    await assert.rejects(order(true), noAnswer(true))
  })
})
