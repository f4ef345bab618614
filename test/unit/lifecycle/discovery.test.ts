import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DiscoveryRecord } from '../../../shared/protocol.ts'
import {
  discoveryPath,
  loadSecrets,
  parseDiscovery,
  readDiscovery,
  removeDiscovery,
  writeDiscovery,
} from '../../../daemon/lifecycle/discovery.ts'

const record: DiscoveryRecord = {
  url: 'http://127.0.0.1:4141',
  port: 4141,
  key: 'local-key',
  token: 'control-token',
  pid: 1234,
  version: '0.1.0',
  protocol: 1,
  startedAtMs: 1_780_000_000_000,
}

describe('the discovery record', () => {
  let dataDir: string

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'tollgate-discovery-'))
  })

  afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

  it('is read as it was written, by its owner only, and leaves no draft', () => {
    writeDiscovery(dataDir, { ...record, pid: 1 })
    writeDiscovery(dataDir, record)
    assert.deepEqual(readDiscovery(dataDir), record)
    assert.equal(statSync(discoveryPath(dataDir)).mode & 0o777, 0o600)
    assert.deepEqual(readdirSync(dataDir), ['daemon.json'])
  })

  it('is null where there is none', () => {
    assert.equal(readDiscovery(dataDir), null)
    assert.equal(readDiscovery(join(dataDir, 'missing')), null)
  })

  it('is null where the file is damaged', () => {
    for (const text of ['', '{', 'null', '[]', '"text"', JSON.stringify({ ...record, port: '4141' })]) {
      writeFileSync(discoveryPath(dataDir), text)
      assert.equal(readDiscovery(dataDir), null, text)
    }
  })

  it('is null where any field is missing or of another kind', () => {
    for (const field of Object.keys(record)) {
      assert.equal(parseDiscovery({ ...record, [field]: undefined }), null, field)
      assert.equal(parseDiscovery({ ...record, [field]: {} }), null, field)
    }
    for (const port of [0, -1, 65_536, 1.5]) assert.equal(parseDiscovery({ ...record, port }), null)
    assert.deepEqual(parseDiscovery({ ...record, added: true }), record)
  })

  it('is removed by the daemon that it names, not by another one', () => {
    writeDiscovery(dataDir, record)
    removeDiscovery(dataDir, 99)
    assert.deepEqual(readDiscovery(dataDir), record)
    removeDiscovery(dataDir, record.pid)
    assert.equal(readDiscovery(dataDir), null)
    removeDiscovery(dataDir, record.pid)
  })
})

describe('the secrets of a data directory', () => {
  let dataDir: string

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'tollgate-secrets-'))
  })

  afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

  it('N03: keep the key of the first start and make a token at each', () => {
    const first = loadSecrets(dataDir, randomBytes)
    const second = loadSecrets(dataDir, randomBytes)
    assert.match(first.key, /^[A-Za-z0-9_-]{24}$/)
    assert.equal(second.key, first.key)
    assert.match(first.token, /^[0-9a-f]{64}$/)
    assert.notEqual(second.token, first.token)
  })

  it('N04: write the key for its owner only, and the token nowhere', () => {
    const { key, token } = loadSecrets(dataDir, randomBytes)
    const path = join(dataDir, 'key')
    assert.deepEqual(readdirSync(dataDir), ['key'])
    assert.equal(readFileSync(path, 'utf8').trim(), key)
    assert.equal(readFileSync(path, 'utf8').includes(token), false)
    assert.equal(statSync(path).mode & 0o777, 0o600)
    chmodSync(path, 0o644)
    loadSecrets(dataDir, randomBytes)
    assert.equal(statSync(path).mode & 0o777, 0o600)
  })

  it('are refused where the key file holds no key, which stays as it is', () => {
    const path = join(dataDir, 'key')
    for (const text of ['', 'short', 'with a space in it', 'slash/in/the/key']) {
      writeFileSync(path, text)
      assert.throws(() => loadSecrets(dataDir, randomBytes), /holds no key/)
      assert.equal(readFileSync(path, 'utf8'), text)
    }
  })
})
