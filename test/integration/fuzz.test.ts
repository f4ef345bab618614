import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Server } from 'node:net'
import type { CallRow } from '../../shared/status.ts'
import { mutated } from '../fixtures/fuzz/mutate.ts'
import { seededRandom } from '../fixtures/fuzz/random.ts'
import { requestOf } from '../fixtures/fuzz/requests.ts'
import type { FuzzRequest } from '../fixtures/fuzz/requests.ts'
import { withoutUsageEvents } from '../fixtures/fuzz/wholeEvents.ts'
import { wildAnswer } from '../fixtures/fuzz/wildAnswers.ts'
import type { WildAnswer } from '../fixtures/fuzz/wildAnswers.ts'
import { transcripts } from '../unit/dialects/transcripts.ts'
import type { Transcript } from '../unit/dialects/transcripts.ts'
import { startUpstream } from '../upstream/upstream.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { against, startDaemon } from './harness/daemon.ts'
import type { Daemon } from './harness/daemon.ts'
import { rawExchange, rawPost } from './harness/raw.ts'
import type { RawAnswer } from './harness/raw.ts'

/** Runs of each transcript. The numbers from 0 are the seeds. */
const answerRuns = 40
const requestRuns = 40
const wireRuns = 120
const width = 8
const seedHeader = 'x-fuzz-seed'

/** Every token costs ten thousand nano-euro; nothing but the answer may stop a call. */
const settings = {
  currency: { code: 'EUR', usdRate: 1, asOf: '2026-11-01' },
  prices: { overrides: [{ match: '*', prices: { input_mtok: 10, output_mtok: 10 } }] },
  budgets: { userDaily: { eur: null }, tenantMonthly: { eur: null }, heldWaitMs: 0 },
  plans: {
    agent: {
      task: null,
      loop: null,
      storm: null,
      truncation: null,
      rate: { concurrent: null },
      timeouts: { connectMs: 2000, firstByteMs: 4000, idleMs: 4000, totalMs: 8000 },
    },
  },
}

describe('a daemon that meets damaged bytes', () => {
  let upstream: Upstream
  let wire: Server
  let daemon: Daemon
  let answersOnWire: readonly Buffer[] = []
  before(async () => {
    upstream = await startUpstream()
    wire = createServer((socket) => {
      socket.on('error', () => socket.destroy())
      socket.once('data', (head) => {
        const seed = Number(/x-fuzz-seed: (\d+)/i.exec(head.toString('latin1'))?.[1])
        socket.end(answersOnWire[seed] ?? '')
      })
    })
    wire.listen(0, '127.0.0.1')
    await once(wire, 'listening')
    const { upstreams } = against(upstream) as { readonly upstreams: object }
    const more = {
      'paid-ollama': { baseUrl: upstream.baseUrls.ollama, dialect: 'ollama', free: false },
      wire: { baseUrl: `http://127.0.0.1:${(wire.address() as AddressInfo).port}/v1`, dialect: 'openai' },
    }
    daemon = await startDaemon({ config: against(upstream, { ...settings, upstreams: { ...upstreams, ...more } }) })
  })
  after(async () => {
    await daemon.discard()
    await upstream.close()
    await new Promise<void>((resolve) => wire.close(() => resolve()))
  })
  beforeEach(() => upstream.reset())
  afterEach(assertSound)

  /** The process is the same, nothing failed inside it, no call is open and the windows are the sums of the calls. */
  async function assertSound(): Promise<void> {
    const health = (await (await fetch(`${daemon.url}/healthz`)).json()) as { readonly pid: number }
    assert.equal(health.pid, daemon.pid)
    await daemon.settled(0)
    assert.doesNotMatch(daemon.stderr(), /failed inside the gate|uncaught|unhandled/i)
    assert.deepEqual(await daemon.json('/api/check'), { drift: [] })
  }
  async function send(request: FuzzRequest, body: Buffer, seed: number): Promise<RawAnswer> {
    const url = `${daemon.base(request.upstream)}${request.path}`
    return rawExchange(daemon.url, rawPost(url, new Uint8Array(body), { [seedHeader]: String(seed) }))
  }
  async function rowsById(): Promise<ReadonlyMap<string, readonly CallRow[]>> {
    await daemon.settled(0)
    const rows = new Map<string, CallRow[]>()
    for (const row of await daemon.calls()) rows.set(row.id, [...(rows.get(row.id) ?? []), row])
    return rows
  }

  for (const transcript of transcripts) {
    it(`${transcript.name}: passes every byte of ${answerRuns} damaged answers and settles each once, at an amount that can be (B03, B04, F06, F08)`, async () => {
      const answers = Array.from({ length: answerRuns }, (_, seed) => {
        const random = seededRandom(seed)
        const events = transcript.form === 'sse' && random.below(2) === 0
        const asksEvents = transcript.dialect === 'gemini-generate' ? transcript.form === 'sse' : events
        return {
          request: requestOf(transcript.dialect, transcript.form !== 'json', asksEvents),
          ...wild(transcript, random),
        }
      })
      upstream.script(({ headers }) => {
        const { pieces, resetAfter, headers: own } = answers[Number(headers[seedHeader])]!
        return { pieces, headers: own, ...(resetAfter === null ? {} : { resetAfterChunks: resetAfter }) }
      })
      const got = await inParallel(answers, async ({ request }, seed) =>
        send(request, Buffer.from(JSON.stringify(request.body)), seed),
      )
      const rows = await rowsById()
      for (const [seed, answer] of answers.entries()) {
        const what = `${transcript.name}, seed ${seed}: ${answer.done.join(', ')}`
        const { head, status } = got[seed]!
        assert.ok(status === 200 || status === 502, `${what}: ${head}`)
        assertBytes(got[seed]!, answer, what)
        const own = rows.get(headerOf(head, 'x-tollgate-call') ?? '') ?? []
        assert.equal(own.length, 1, `${what}: settled once`)
        assertRow(own[0]!, what)
      }
      assert.equal(upstream.generations.length, answerRuns, 'nothing is repeated')
      const settledIds = (await daemon.events('call_settled')).map((event) => event['call'])
      assert.equal(new Set(settledIds).size, settledIds.length, 'each call is said to be settled once')
    })
  }

  for (const { name, dialect, form, body } of transcripts.filter((each) => each.form !== 'json-array')) {
    it(`${name}: answers ${requestRuns} damaged requests with the format's own 4xx, or passes them on`, async () => {
      const type = { json: 'application/json', sse: 'text/event-stream', ndjson: 'application/x-ndjson' }[
        form as 'json'
      ]
      upstream.script(() => ({ pieces: [Buffer.from(body)], headers: { 'content-type': type } }))
      const request = requestOf(dialect, form !== 'json', true)
      const bodies = Array.from({ length: requestRuns }, (_, seed) =>
        mutated(Buffer.from(JSON.stringify(request.body)), 'json', seededRandom(seed)),
      )
      const got = await inParallel(bodies, ({ bytes }, seed) => send(request, bytes, seed))
      for (const [seed, { head, status, body: answer }] of got.entries()) {
        const what = `${name}, seed ${seed}: ${bodies[seed]!.done.join(', ')}: ${head}\n${answer.toString('latin1').slice(0, 300)}`
        assert.ok(status === 200 || (status >= 400 && status < 500), what)
        if (status !== 200) assertErrorShape(dialect, JSON.parse(answer.toString()) as Record<string, unknown>, what)
      }
      for (const rows of (await rowsById()).values()) assertRow(rows[0]!, name)
    })
  }

  it('F06: passes every byte of an unfinished answer to a client that reads slowly, and only then breaks the connection', async () => {
    const frame = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'x'.repeat(60_000) } }] })}\n\n`
    const pieces = [...Array<string>(200).fill(frame), 'data: {"cut'].map((piece) => Buffer.from(piece))
    upstream.script(() => ({ pieces, headers: { 'content-type': 'text/event-stream' } }))
    const { upstream: name, path, body } = requestOf('openai-chat', true, false)
    const post = rawPost(`${daemon.base(name)}${path}`, JSON.stringify(body))
    const got = await slowExchange(daemon.url, Buffer.concat(post))
    const text = got.toString('latin1').replaceAll(/\r\n[0-9a-f]+\r\n/g, '')
    assert.equal(text.split('x'.repeat(60_000)).length - 1, 200)
    assert.ok(text.includes('data: {"cut'), 'the event that was cut is passed on as well')
    assert.ok(!text.endsWith('0\r\n\r\n'), 'the end is no clean one')
    assert.equal((await daemon.settled())[0]!.outcome, 'upstream_truncated')
  })

  it(`outlives ${wireRuns} answers whose HTTP itself is damaged, and settles each once`, async () => {
    const { body } = transcripts[0]!
    const plain = `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
    const chunked = `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`
    const damaged = Array.from({ length: wireRuns }, (_, seed) => {
      const random = seededRandom(seed)
      const whole = Buffer.from(random.pick([plain, chunked] as const))
      // Half of them are damaged in the head alone, where there are few bytes to hit.
      const headBytes = random.below(2) === 0 ? whole.indexOf('\r\n\r\n') + 4 : whole.length
      const { bytes, done } = mutated(whole.subarray(0, headBytes), 'sse', random)
      return { bytes: Buffer.concat([bytes, whole.subarray(headBytes)]), done }
    })
    answersOnWire = damaged.map(({ bytes }) => bytes)
    const { path, body: asked } = requestOf('openai-chat', true, true)
    const url = `${daemon.base('wire')}${path}`
    const got = await inParallel(damaged, (_, seed) =>
      rawExchange(daemon.url, rawPost(url, JSON.stringify(asked), { [seedHeader]: String(seed) })),
    )
    const rows = await rowsById()
    for (const [seed, { head, status }] of got.entries()) {
      const what = `wire, seed ${seed}: ${damaged[seed]!.done.join(', ')}: ${damaged[seed]!.bytes.toString('latin1').slice(0, 200)}\n${head}`
      assert.ok(status >= 200 && status < 1000 && status !== 503, what)
      const own = rows.get(headerOf(head, 'x-tollgate-call') ?? '') ?? []
      assert.equal(own.length, 1, `${what}: settled once`)
      assertRow(own[0]!, what)
    }
  })
})

function wild({ body, form }: Transcript, random: ReturnType<typeof seededRandom>): WildAnswer {
  return wildAnswer(body, form, random)
}

/**
 * What the provider sent is what the client got. Where the gate had to stop the answer, because it ran over what was
 * reserved or could not be decoded, what came before is there and the gate's own words stand behind it.
 */
function assertBytes({ head, status, body, torn }: RawAnswer, answer: WildAnswer, what: string): void {
  if (status === 502) {
    assert.equal(headerOf(head, 'x-tollgate-code'), 'upstream_unreachable', what)
    assert.ok(answer.plain === null || answer.resetAfter !== null, `${what}: ${body.toString()}`)
    return
  }
  const sent = answer.plain ?? Buffer.alloc(0)
  const hidesUsage = (headerOf(head, 'x-tollgate-changes') ?? '').includes('include_usage') && isEvents(answer)
  const passed = (bytes: Buffer): Buffer => (hidesUsage ? withoutUsageEvents(bytes) : bytes)
  const want = passed(sent)
  if (answer.resetAfter !== null) {
    assert.ok(torn, `${what}: a clean end`)
    assert.ok(answer.plain === null || isPrefix(body, sent, passed), `${what}: ${body.length} other bytes`)
    return
  }
  if (body.equals(want)) return
  let same = 0
  while (same < body.length && body[same] === want[same]) same += 1
  const behind = body.subarray(same).toString('utf8')
  if (behind === '') assert.ok(torn && answer.plain === null, `${what}: ${body.length} of ${want.length} bytes`)
  else assert.match(behind, /ignored the output ceiling/, `${what}: other bytes at ${same}`)
}

/** Whether a client got what is passed on of the first so many bytes. Of an event that is cut nobody knows what it says. */
function isPrefix(body: Buffer, sent: Buffer, passed: (bytes: Buffer) => Buffer): boolean {
  if (body.equals(sent.subarray(0, body.length))) return true
  const hiddenBytes = sent.length - passed(sent).length
  for (let length = body.length; length <= body.length + hiddenBytes; length += 1) {
    if (body.equals(passed(sent.subarray(0, length)))) return true
  }
  return false
}

/** A header that `connection` names belongs to the provider's connection, and nobody behind it has heard of it. */
function isEvents({ headers }: WildAnswer): boolean {
  return (
    headers['connection'] === undefined && (headers['content-type'] ?? '').toLowerCase().includes('text/event-stream')
  )
}

function assertRow(row: CallRow, what: string): void {
  const said = `${what}: ${JSON.stringify(row)}`
  assert.equal(row.state, 'settled', said)
  assert.ok(['exact', 'estimated', 'partial', 'released'].includes(row.settlement ?? ''), said)
  assert.notEqual(row.outcome, 'gate_fault', said)
  for (const tokens of Object.values(row.usage)) assert.ok(Number.isSafeInteger(tokens) && tokens >= 0, said)
  assert.ok(Number.isSafeInteger(Math.round(row.eur * 1e9)) && row.eur >= 0, said)
  if (row.status === 200) assert.ok(row.eur > 0, `delivered for nothing: ${said}`)
}

function assertErrorShape(dialect: Transcript['dialect'], body: Record<string, unknown>, what: string): void {
  const { error, type } = body
  if (dialect.startsWith('ollama')) {
    assert.equal(typeof error, 'string', what)
    return
  }
  assert.ok(typeof error === 'object' && error !== null, what)
  const { message, code, status, type: kind } = error as Readonly<Record<string, unknown>>
  assert.ok(typeof message === 'string' && message !== '', what)
  if (dialect === 'anthropic-messages') assert.deepEqual([type, typeof kind], ['error', 'string'], what)
  else if (dialect.startsWith('gemini')) assert.deepEqual([typeof code, typeof status], ['number', 'string'], what)
  else assert.deepEqual([typeof code, kind], ['string', 'tollgate_refusal'], what)
}

/** Sends a request and takes the answer in small pieces, with a turn of the event loop between them. */
function slowExchange(url: string, request: Uint8Array): Promise<Buffer> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const received: Buffer[] = []
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(request))
    const take = (): void => {
      const piece = socket.read() as Buffer | null
      if (piece === null) return
      received.push(piece)
      setImmediate(take)
    }
    socket.on('readable', take)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => resolve(Buffer.concat(received)))
  })
}

function headerOf(head: string, name: string): string | undefined {
  return new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]?.trim()
}

/** Results of all items in their order, with a few under way at a time. */
async function inParallel<Item, Result>(
  items: readonly Item[],
  run: (item: Item, index: number) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  const queue = [...items.entries()]
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      results[next[0]] = await run(next[1], next[0])
    }
  }
  await Promise.all(Array.from({ length: width }, worker))
  return results
}
