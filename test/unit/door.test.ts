import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage, Server } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { createDoor } from '../../daemon/door.ts'
import { answering, playedGate } from './playedGate.ts'
import type { Played, PlayedGate } from './playedGate.ts'

const body = JSON.stringify({ model: 'gpt-5.6', messages: [{ role: 'user', content: 'hello' }] })
const answer = JSON.stringify({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } })
const answered = answering(200, { 'content-type': 'application/json' }, [answer])
const event = 'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n'

/** Begins a stream and never ends it. */
const streaming: Played = (handler, controller) => {
  handler.onRequestStart?.(controller, {})
  handler.onResponseStart?.(controller, 200, { 'content-type': 'text/event-stream' }, '')
  handler.onResponseData?.(controller, Buffer.from(event))
}

describe('the door', () => {
  let played: PlayedGate
  let door: Server
  let socket: Socket
  let received: string

  /** Opens a door with a client at it; `until` is what it waits for before it lets anybody in. */
  async function open(play: Played, config: object = {}, until: Promise<unknown> | null = null): Promise<number> {
    played = await playedGate(play, config)
    let port = 0
    const gate = { ...played.gate, port: () => port }
    const control = { touch: () => undefined, accept: (_: unknown, socket: Socket) => socket.end('accepted') } as never
    const doors = { gate, control, actions: { shutDown: () => undefined } }
    door = createDoor(until === null ? doors : until.then(() => doors))
    door.listen(0, '127.0.0.1')
    await once(door, 'listening')
    port = (door.address() as AddressInfo).port
    socket = connect(port, '127.0.0.1')
    received = ''
    socket.on('data', (data: Buffer) => (received += data.toString())).on('error', () => undefined)
    return port
  }

  async function until(text: string): Promise<void> {
    while (!received.includes(text)) await once(socket, 'data')
  }

  function post(port: number, headers = ''): string {
    return `POST /k/LOCALKEY/openai/v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${headers}content-length: ${body.length}\r\n\r\n${body}`
  }

  afterEach(async () => {
    socket.destroy()
    door.closeAllConnections()
    door.close()
    await played.close()
  })

  describe('in front of a gate that is not ready', () => {
    let ready: () => void
    let isReady: Promise<void>
    beforeEach(() => {
      isReady = new Promise((resolve) => (ready = resolve))
    })

    it('lets calls wait and answers them all when it is', async () => {
      const port = await open(answered, {}, isReady)
      const other = connect(port, '127.0.0.1')
      for (const client of [socket, other]) {
        const arrived = once(door, 'request')
        client.write(post(port))
        await arrived
      }
      assert.deepEqual([received, played.sent.length], ['', 0])
      ready()
      await until(answer)
      await once(other, 'data')
      other.destroy()
      assert.equal(played.sent.length, 2)
      received = ''
      socket.write(post(port))
      await until(answer)
    })

    it('sends no call of a client that has left', async () => {
      const port = await open(answered, {}, isReady)
      const other = connect(port, '127.0.0.1')
      const arrived = once(door, 'request') as Promise<[IncomingMessage]>
      other.write(post(port))
      const [request] = await arrived
      other.destroy()
      await once(request.socket, 'close')
      ready()
      socket.write(post(port))
      await until(answer)
      assert.equal(played.sent.length, 1)
    })

    it('lets a window wait too', async () => {
      const port = await open(answered, {}, isReady)
      const arrived = once(door, 'upgrade')
      socket.write(
        `GET /control HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${played.gate.token}\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`,
      )
      await arrived
      assert.equal(received, '')
      ready()
      await until('accepted')
    })
  })

  it('answers a request that offers HTTP/2 as if it had not, again and again on one connection', async () => {
    const port = await open(answered)
    const offer = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQ\r\n'
    for (let round = 0; round < 3; round += 1) {
      received = ''
      socket.write(post(port, offer))
      await until(answer)
      assert.match(received, /^HTTP\/1\.1 200 OK\r\n/)
    }
    const names = (played.sent[0]!.headers as string[]).map((name) => name.toLowerCase())
    assert.deepEqual(
      ['upgrade', 'http2-settings', 'connection'].filter((name) => names.includes(name)),
      [],
    )
  })

  it('still refuses a WebSocket to a provider with 426', async () => {
    const port = await open(answered)
    socket.write(post(port, 'Connection: Upgrade\r\nUpgrade: websocket\r\n'))
    await until('\r\n\r\n')
    assert.match(received, /^HTTP\/1\.1 426 /)
    assert.equal(played.sent.length, 0)
  })

  it('writes nothing into an answer when the client sends bytes that are no request', async () => {
    const port = await open(streaming)
    socket.write(post(port))
    await until(event)
    const closed = once(socket, 'close')
    socket.write('NO REQUEST\r\n\r\n')
    await closed
    assert.doesNotMatch(received, /HTTP\/1\.1 400/)
    assert.ok(received.trimEnd().endsWith(event.trimEnd()), 'the answer ends with the last event of the provider')
    assert.equal(played.aborted(), 1)
  })

  it('tells a client whose head is too large, and one that speaks no HTTP', async () => {
    const port = await open(answered)
    socket.write(`GET /${'a'.repeat(20_000)} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`)
    await until('\r\n\r\n')
    assert.match(received, /^HTTP\/1\.1 431 /)
    socket = connect(port, '127.0.0.1')
    received = ''
    socket.on('data', (data: Buffer) => (received += data.toString())).on('error', () => undefined)
    socket.write('NO REQUEST\r\n\r\n')
    await until('\r\n\r\n')
    assert.match(received, /^HTTP\/1\.1 400 /)
  })

  it('answers a control request that is too large, and listens on', async () => {
    const port = await open(answered)
    const headers = { authorization: 'Bearer TOKEN' }
    const kill = (body: string) => fetch(`http://127.0.0.1:${port}/api/kill`, { method: 'POST', headers, body })
    assert.equal((await kill(`{"scope":"task","ref":"${'x'.repeat(300_000)}"}`)).status, 413)
    assert.equal((await kill('{"scope":"task","ref":"x"}')).status, 200)
  })

  it('answers a fault of its own as the configured policy says, so that no client repeats it', async () => {
    const port = await open(answered, { refusals: 'final' })
    played.gate.memory.tasks.started = () => {
      throw new Error('a fault of ours')
    }
    socket.write(post(port))
    await until('tollgate_refusal')
    assert.match(received, /^HTTP\/1\.1 400 /)
    assert.match(received, /x-should-retry: false/)
    assert.doesNotMatch(received, /a fault of ours/)
  })

  describe('whose client reads slowly', () => {
    // More than the system keeps for a connection.
    const long = JSON.stringify({
      choices: [],
      usage: { prompt_tokens: 1, completion_tokens: 1 },
      pad: 'x'.repeat(12e6),
    })
    const answeredLong = answering(200, { 'content-type': 'application/json' }, [long])
    const gone = async (): Promise<void> => {
      while (played.gate.inFlight.open > 0) await new Promise(setImmediate)
    }

    async function settledUnread(port: number, calls = 1): Promise<void> {
      socket.pause()
      for (let call = 0; call < calls; call += 1) socket.write(post(port))
      while (played.settled.length < calls) await new Promise(setImmediate)
    }

    it('counts it as open until it has its answer, so that no successor takes the place meanwhile', async () => {
      await settledUnread(await open(answeredLong))
      assert.deepEqual([played.gate.inFlight.size, played.gate.inFlight.open], [0, 1])
      socket.resume()
      await gone()
      await until(long)
    })

    it('counts it no more when it leaves, nor the calls that it had sent behind', async () => {
      await settledUnread(await open(answeredLong), 2)
      socket.destroy()
      await gone()
    })

    it('counts it no more when it leaves in the middle, nor the call that waits behind it', async () => {
      const port = await open((handler, controller) => {
        handler.onRequestStart?.(controller, {})
        handler.onResponseStart?.(controller, 200, { 'content-type': 'text/event-stream' }, '')
        handler.onResponseData?.(controller, Buffer.from(event.repeat(200_000)))
      })
      socket.pause()
      socket.write(post(port).repeat(2))
      const isWriting = (): boolean => (played.gate.inFlight.status(0)[1]?.outputTokens ?? 0) > 0
      while (!isWriting()) await new Promise(setImmediate)
      socket.destroy()
      await gone()
      assert.equal(played.settled[0]!.outcome, 'client_closed')
    })

    it('brings it the whole answer although the gate failed on what it does after it', async () => {
      const port = await open(answeredLong)
      played.gate.metrics.settled = () => {
        throw new Error('a fault of ours')
      }
      await settledUnread(port)
      socket.resume()
      await until(long)
      assert.equal(played.settled[0]!.outcome, 'ok')
    })
  })
})
