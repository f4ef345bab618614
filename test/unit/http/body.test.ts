import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import type { IncomingMessage } from 'node:http'
import zlib from 'node:zlib'
import { decodeBody, readBody } from '../../../daemon/http/body.ts'

function request(headers: Record<string, string> = {}): PassThrough & IncomingMessage {
  return Object.assign(new PassThrough(), { headers }) as unknown as PassThrough & IncomingMessage
}

const patient = { idleMs: 5000, totalMs: 5000 }

describe('reading a body', () => {
  it('joins its chunks', async () => {
    const incoming = request()
    const reading = readBody(incoming, { maxBytes: 100, ...patient })
    incoming.write('ab')
    incoming.end('cd')
    assert.deepEqual(await reading, { kind: 'body', bytes: Buffer.from('abcd') })
  })

  it('G11: refuses a declared length at once and a chunked body as soon as it passes the limit', async () => {
    const declared = await readBody(request({ 'content-length': '11' }), { maxBytes: 10, ...patient })
    assert.equal(declared.kind === 'refused' && declared.refusal.code, 'body_too_large')
    const incoming = request()
    const reading = readBody(incoming, { maxBytes: 10, ...patient })
    incoming.write('12345')
    incoming.write('678901')
    const result = await reading
    assert.equal(result.kind === 'refused' && result.refusal.code, 'body_too_large')
  })

  it('G11: takes a body of exactly the limit', async () => {
    const incoming = request()
    const reading = readBody(incoming, { maxBytes: 10, ...patient })
    incoming.end('1234567890')
    assert.equal((await reading).kind, 'body')
  })

  it('G11: refuses a body that stops arriving', async () => {
    const incoming = request()
    const reading = readBody(incoming, { maxBytes: null, idleMs: 20, totalMs: null })
    incoming.write('{"model"')
    const result = await reading
    assert.equal(result.kind === 'refused' && result.refusal.code, 'slow_body')
  })

  it('says that the client is gone when it leaves while sending', async () => {
    const incoming = request()
    const reading = readBody(incoming, { maxBytes: null, ...patient })
    incoming.write('x')
    incoming.destroy()
    assert.equal((await reading).kind, 'gone')
  })
})

describe('G03: decoding a body', () => {
  const plain = Buffer.from('{"model":"m"}')
  const encodings: readonly [string, Buffer][] = [
    ['gzip', zlib.gzipSync(plain)],
    ['deflate', zlib.deflateSync(plain)],
    ['br', zlib.brotliCompressSync(plain)],
    ['zstd', zlib.zstdCompressSync(plain)],
    ['gzip, zstd', zlib.zstdCompressSync(zlib.gzipSync(plain))],
    ['identity', plain],
  ]
  for (const [encoding, bytes] of encodings) {
    it(`undoes ${encoding}`, async () => {
      assert.deepEqual(await decodeBody(bytes, encoding, 1000), { kind: 'body', bytes: plain })
    })
  }

  it('refuses what it cannot decode, without forwarding it', async () => {
    const result = await decodeBody(plain, 'compress', 1000)
    assert.equal(result.kind === 'refused' && result.refusal.code, 'unsupported_encoding')
    const layered = await decodeBody(plain, 'gzip, gzip, gzip', 1000)
    assert.equal(layered.kind === 'refused' && layered.refusal.code, 'unsupported_encoding')
  })

  for (const name of ['constructor', '__proto__']) {
    it(`takes ${name} for no encoding`, async () => {
      const result = await decodeBody(plain, name, 1000)
      assert.equal(result.kind === 'refused' && result.refusal.code, 'unsupported_encoding')
    })
  }

  for (const encoding of ['gzip', 'deflate', 'br', 'zstd']) {
    it(`refuses a corrupt ${encoding} body`, async () => {
      const result = await decodeBody(Buffer.from('28b52ffd00ff', 'hex'), encoding, 1000)
      assert.equal(result.kind === 'refused' && result.refusal.code, 'invalid_request')
    })
  }

  it('refuses a bomb at the limit of the plan', async () => {
    const bomb = zlib.zstdCompressSync(Buffer.alloc(64 * 1024 * 1024))
    const result = await decodeBody(bomb, 'zstd', 1024 * 1024)
    assert.equal(result.kind === 'refused' && result.refusal.code, 'body_too_large')
  })
})
