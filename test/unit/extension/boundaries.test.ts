import assert from 'node:assert/strict'
import fc from 'fast-check'
import { parseControlMessage } from '../../../extension/daemon/client.ts'
import { parseRecord } from '../../../extension/daemon/discovery.ts'
import { status } from './support.ts'

const time = '2026-11-30T12:00:00.000Z'

describe('messages of the daemon', () => {
  it('are taken when they are a status or a known event', () => {
    assert.equal(parseControlMessage(JSON.stringify({ event: 'status', status: status() }))?.event, 'status')
    assert.equal(parseControlMessage(JSON.stringify({ event: 'killed', time, cancelled: 5 }))?.event, 'killed')
  })

  it('of a newer daemon that this version does not know are passed over', () => {
    assert.equal(parseControlMessage(JSON.stringify({ event: 'a_new_thing', time })), undefined)
  })

  it('never throw, whatever arrives', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => parseControlMessage(text) === undefined))
    for (const broken of [{}, { today: null }, { ...status(), models: 'none' }, { ...status(), month: {} }]) {
      assert.equal(parseControlMessage(JSON.stringify({ event: 'status', status: broken })), undefined)
    }
  })
})

describe('the discovery record', () => {
  const record = {
    url: 'http://127.0.0.1:4141',
    port: 4141,
    key: 'k',
    token: 't',
    pid: 7,
    version: '0.1.0',
    protocol: 1,
  }

  it('is read only when it is complete, because it may be read while it is replaced', () => {
    const text = JSON.stringify({ ...record, startedAtMs: 0 })
    assert.equal(parseRecord(text)?.pid, 7)
    for (let length = 0; length < text.length; length++) assert.equal(parseRecord(text.slice(0, length)), undefined)
    for (const name of Object.keys(record)) {
      assert.equal(parseRecord(JSON.stringify({ ...record, [name]: undefined })), undefined, name)
    }
  })
})
