import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Server, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { tear } from '../../../daemon/http/tear.ts'

/** More than the buffers between two sockets hold. */
const body = Buffer.alloc(24 * 1024 * 1024, 'x')

describe('an answer that is torn', () => {
  let server: Server
  let client: Socket
  beforeEach(async () => {
    server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterEach(() => {
    client.destroy()
    server.close()
    server.closeAllConnections()
  })

  /** The answer to a client that does not read yet. */
  async function answering(): Promise<ServerResponse> {
    client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause()
    client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    const [, response] = (await once(server, 'request')) as [unknown, ServerResponse]
    return response
  }

  it('reaches a client that reads late with every byte that was written, and has no end (F06, F08)', async () => {
    const response = await answering()
    response.write(body)
    assert.ok(response.writableLength > 0, 'some of it still waits')
    tear(response, 60_000)
    let received = 0
    let tail = ''
    client.on('data', (part: Buffer) => {
      received += part.length
      tail = (tail + part.toString('latin1')).slice(-8)
    })
    client.resume()
    await once(client, 'close')
    assert.ok(received > body.length, `${received} bytes`)
    assert.equal(tail, 'xxxxxx\r\n', 'the last chunk is whole, and no final one follows')
  })

  it('ends at once where nothing waits', async () => {
    const response = await answering()
    response.writeHead(200).flushHeaders()
    tear(response, 60_000)
    assert.ok(response.destroyed)
  })

  it('does not wait for ever for a client that takes nothing', async () => {
    const response = await answering()
    response.write(body)
    tear(response, 20)
    await once(response, 'close')
    assert.equal(response.writableFinished, false)
  })

  it('is left alone once it has ended', async () => {
    const response = await answering()
    response.end('whole')
    await once(response, 'finish')
    tear(response, 0)
    client.resume()
    const [first] = (await once(client, 'data')) as [Buffer]
    assert.match(first.toString(), /whole/)
  })
})
