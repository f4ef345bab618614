import assert from 'node:assert/strict'
import type { CallRow, EventRow } from '../../shared/status.ts'
import type { RecordedRequest } from '../upstream/recorded.ts'
import { countTokens } from '../upstream/tokens.ts'
import { startUpstream } from '../upstream/upstream.ts'
import type { UpstreamOptions } from '../upstream/upstream.ts'
import { connectControl } from './harness/controlClient.ts'
import { startDaemon } from './harness/daemon.ts'
import { startGate } from './harness/gate.ts'
import type { Gate } from './harness/gate.ts'
import { parsePrometheus } from './harness/prometheus.ts'
import { promptOfTokens } from './harness/prompts.ts'

const model = 'gemma3:4b'
const user = (content: string) => [{ role: 'user', content }]
const ask = (tokens: number, more: object = {}) => ({
  model,
  stream: false,
  messages: user(promptOfTokens(tokens)),
  ...more,
})
const native = '/api/chat'
const emulated = '/v1/chat/completions'

/** What one call came to. */
interface Said {
  readonly status: number
  readonly text: string
  readonly warning: string | null
  readonly changes: string
  readonly code: string | null
}

async function post(gate: Gate, path: string, body: object, upstream = 'ollama'): Promise<Said> {
  const response = await gate.post(upstream, path, body)
  const { headers, status } = response
  return {
    status,
    text: await response.text(),
    warning: headers.get('x-tollgate-warning'),
    changes: headers.get('x-tollgate-changes') ?? '',
    code: headers.get('x-tollgate-code'),
  }
}

const paths = (gate: Gate) => gate.upstream.requests.map(({ path }) => path.replace('/ollama', ''))
const questions = (gate: Gate) => paths(gate).filter((path) => path === '/api/ps' || path === '/api/show')

/** The latest calls' rows, the last one first. */
const rows = (gate: Gate, count: number): Promise<readonly CallRow[]> => gate.daemon.settled(count)
const events = (gate: Gate): Promise<readonly EventRow[]> => gate.daemon.events('over_window')

/** Starts a gate whose plan has the policy. */
function start(before: 'warn' | 'refuse' | 'raise', more: object = {}, options: UpstreamOptions = {}): Promise<Gate> {
  return startGate({ plans: { agent: { truncation: { before, ...more } } } }, options)
}

describe('a prompt that does not fit into the window, before the call', () => {
  let gate: Gate
  const begin = async (...words: Parameters<typeof start>): Promise<void> => {
    gate = await start(...words)
  }
  afterEach(() => gate.close())

  describe('with the policy warn', () => {
    it('I01 is sent and said: by the header of a stream, an event, the row and the metric', async () => {
      await begin('warn')
      const window = await connectControl(gate.daemon)
      const { status, warning } = await post(gate, native, ask(12_920, { stream: true }))
      assert.equal(status, 200)
      const [, estimated] = /^over_window; estimated=(\d+); window=4096$/.exec(warning ?? '') ?? []
      assert.ok(Math.abs(Number(estimated) - 12_920) < 200, `estimated ${estimated}`)
      const [row] = await rows(gate, 1)
      assert.deepEqual(row!.warnings, ['over_window', 'truncated'])
      const said = await events(gate)
      assert.equal(said.length, 1)
      const { id, time, ...fields } = said[0]!
      assert.ok(id > 0 && Date.parse(time) > 0)
      assert.deepEqual(fields, {
        event: 'over_window',
        call: row!.id,
        task: row!.task,
        project: null,
        plan: 'agent',
        upstream: 'ollama',
        model,
        estimated: Number(estimated),
        window: 4096,
        certainty: 'assumed',
      })
      assert.equal((await window.event('over_window'))['window'], 4096)
      const scrape = parsePrometheus(await (await gate.daemon.api('/metrics')).text())
      assert.equal(scrape.value('tollgate_warnings_total', { code: 'over_window' }), 1)
      assert.equal((await gate.daemon.status()).counters['over_window'], 1)
      window.close()
    })

    it('is known from what the server has loaded', async () => {
      await begin('warn', {}, { ollamaContext: 8192 })
      await post(gate, native, ask(100))
      const { warning } = await post(gate, emulated, ask(12_920, { stream: true }))
      assert.match(warning ?? '', /window=8192$/)
      assert.equal((await events(gate))[0]!['certainty'], 'loaded')
    })

    it('gives way in the header to what the answer proves, and is never a second one', async () => {
      await begin('warn')
      const { warning } = await post(gate, native, ask(12_920))
      assert.match(warning ?? '', /^truncated; estimated=\d+; reported=2051$/)
      assert.deepEqual((await rows(gate, 1))[0]!.warnings, ['over_window', 'truncated'])
    })

    it('I03 counts with the num_ctx of a native request, and not on the route that ignores it', async () => {
      await begin('warn')
      const options = { num_ctx: 32_768 }
      assert.equal((await post(gate, native, ask(12_920, { options }))).warning, null)
      const { warning } = await post(gate, emulated, ask(12_920, { options, stream: true }))
      assert.match(warning ?? '', /window=4096$/, 'the window that another call had asked for is not believed')
      assert.deepEqual((await rows(gate, 2))[0]!.warnings, ['over_window', 'truncated'])
    })

    it('knows the num_ctx of a Modelfile while the model is not loaded', async () => {
      await begin('warn', {}, { ollamaModelfiles: { [model]: 16_384 } })
      assert.equal((await post(gate, emulated, ask(12_920))).warning, null)
      assert.deepEqual(questions(gate), ['/api/ps', '/api/show'])
      assert.ok((await rows(gate, 1))[0]!.usage.input > 12_900)
    })

    it('goes on with a guess where the server answers no question, and asks nothing more', async () => {
      await begin('warn')
      gate.upstream.script(({ path }) => (path.endsWith('/api/ps') ? { hangForever: true } : {}))
      const { status, warning } = await post(gate, emulated, ask(5000, { stream: true }))
      assert.equal(status, 200)
      assert.match(warning ?? '', /window=4096$/)
      assert.equal((await events(gate))[0]!['certainty'], 'assumed')
      assert.deepEqual(questions(gate), ['/api/ps'])
    })

    it('goes on with a guess where the answers are broken', async () => {
      await begin('warn')
      const broken = (request: RecordedRequest) => (request.generates ? {} : { garbage: '<html>{"models":' })
      gate.upstream.script(broken)
      assert.match((await post(gate, emulated, ask(5000, { stream: true }))).warning ?? '', /window=4096$/)
    })

    it('asks nothing of the server for a small prompt, and once for a burst of large ones', async () => {
      await begin('warn')
      await post(gate, native, ask(1000))
      await post(gate, native, ask(1000, { options: { num_ctx: 8192 } }))
      await post(gate, emulated, ask(1000))
      assert.deepEqual(questions(gate), [])
      await Promise.all(Array.from({ length: 5 }, () => post(gate, native, ask(3000, { options: { num_ctx: 8192 } }))))
      assert.deepEqual(questions(gate), ['/api/show'])
    })

    it('hands the credentials of the client on to the server, and to no other', async () => {
      await begin('warn')
      await post(gate, emulated, ask(5000))
      const asked = gate.upstream.requests.filter(({ path }) => /\/api\/(ps|show)$/.test(path))
      assert.equal(asked.length, 2)
      const [call] = gate.upstream.generations
      for (const { headers } of asked) assert.equal(headers.authorization, call!.headers.authorization)
    })
  })

  describe('with the policy refuse', () => {
    for (const path of [native, emulated]) {
      it(`is refused on ${path} before it reaches the model, once the window is known`, async () => {
        await begin('refuse')
        await post(gate, native, ask(100))
        const { status, code, text } = await post(gate, path, ask(12_920))
        assert.deepEqual([status, code], [422, 'context_overflow'])
        assert.match(text, /12,9\d\d tokens.*reads 4,096 at once, as it is loaded now.*OLLAMA_CONTEXT_LENGTH/)
        assert.equal(gate.upstream.generations.length, 1)
        assert.equal((await gate.daemon.status()).counters['context_overflow'], 1)
        assert.deepEqual(await events(gate), [])
      })
    }

    it('is refused by the num_ctx that the request asks for', async () => {
      await begin('refuse')
      const { code, text } = await post(gate, native, ask(12_920, { options: { num_ctx: 8192 } }))
      assert.equal(code, 'context_overflow')
      assert.match(text, /reads 8,192 at once, as the request asks/)
      assert.equal(gate.upstream.generations.length, 0)
    })

    it('is left to the server while the window is a guess, whose own error comes through byte for byte', async () => {
      await begin('refuse')
      const through = await post(gate, native, ask(12_920))
      assert.equal(through.status, 400)
      assert.match(through.changes, /\btruncate=false\b/)
      const [request] = gate.upstream.generations
      assert.equal(request!.json['truncate'], false)
      const direct = await fetch(`${gate.upstream.baseUrls.ollama}${native}`, {
        method: 'POST',
        body: request!.body.toString(),
      })
      assert.deepEqual([direct.status, await direct.text()], [400, through.text])
      const [row] = await rows(gate, 1)
      assert.deepEqual([row!.outcome, row!.warnings], ['upstream_error', ['over_window']])
    })

    it('says nothing of a truncate that the client has switched off itself', async () => {
      await begin('refuse')
      const { status, changes } = await post(gate, native, ask(100, { truncate: false }))
      assert.equal(status, 200)
      assert.doesNotMatch(changes, /truncate/)
    })

    it('is only warned of on /v1 while the window is a guess', async () => {
      await begin('refuse')
      const { status, warning, changes } = await post(gate, emulated, ask(12_920, { stream: true }))
      assert.deepEqual([status, changes.includes('truncate')], [200, false])
      assert.match(warning ?? '', /^over_window; /)
    })

    it('I07 is not refused for an estimate that is known to be too high: Chinese text that counts 1.6 times', async () => {
      await begin('refuse')
      const options = { num_ctx: 4096 }
      const chinese = (sentences: number) => {
        const text = '灯塔看守人数着海浪，把它们写下来。'.repeat(sentences)
        const estimated = countTokens(text)
        gate.upstream.next({ inputTokens: Math.round(estimated / 1.6) })
        return { estimated, body: { model, stream: false, options, messages: user(text) } }
      }
      const half = chinese(150)
      assert.ok(half.estimated > 1500 && half.estimated < 3500, `estimated ${half.estimated}`)
      assert.equal((await post(gate, native, half.body)).status, 200)
      await rows(gate, 1)
      const whole = chinese(Math.floor((150 * 6000) / half.estimated))
      assert.ok(whole.estimated > 5500 && whole.estimated / 1.6 < 4000, `estimated ${whole.estimated}`)
      const { status, warning } = await post(gate, native, whole.body)
      assert.deepEqual([status, warning], [200, null])
      assert.deepEqual((await rows(gate, 2))[0]!.warnings, [])
    })
  })

  describe('with the policy raise', () => {
    it('gets a window that it fits into, and is read whole', async () => {
      await begin('raise')
      const { status, changes, warning } = await post(gate, native, ask(12_000))
      assert.deepEqual([status, warning], [200, null])
      assert.match(changes, /\bnum_ctx=16384\b/)
      assert.deepEqual(gate.upstream.generations[0]!.json['options'], { num_predict: 4096, num_ctx: 16_384 })
      const [row] = await rows(gate, 1)
      assert.deepEqual(row!.warnings, [])
      assert.ok(row!.usage.input > 11_900)
    })

    it('gets it in the next turn again, although the server has the large window loaded', async () => {
      await begin('raise')
      for (const tokens of [12_000, 12_300, 12_600]) {
        assert.match((await post(gate, native, ask(tokens))).changes, /\bnum_ctx=16384\b/)
      }
      for (const row of await rows(gate, 3)) assert.deepEqual(row.warnings, [])
    })

    it('raises the num_ctx of the request and leaves one alone that suffices', async () => {
      await begin('raise')
      const small = await post(gate, native, ask(12_000, { options: { num_ctx: 4096, temperature: 0 } }))
      assert.match(small.changes, /\bnum_ctx=16384\b/)
      const { num_ctx, temperature } = gate.upstream.generations[0]!.json['options'] as Record<string, number>
      assert.deepEqual([num_ctx, temperature], [16_384, 0])
      assert.doesNotMatch((await post(gate, native, ask(12_000, { options: { num_ctx: 32_768 } }))).changes, /num_ctx/)
      assert.doesNotMatch((await post(gate, native, ask(1000))).changes, /num_ctx/)
    })

    it('goes to the bound of the plan and warns where that does not suffice; the verdict goes by the raised window', async () => {
      await begin('raise', { maxNumCtx: 8192 })
      const { changes, warning } = await post(gate, native, ask(12_920))
      assert.match(changes, /\bnum_ctx=8192\b/)
      assert.match(warning ?? '', /^truncated; estimated=\d+; reported=4099$/)
      assert.equal((await events(gate))[0]!['window'], 8192)
      const [truncated] = await gate.daemon.events('truncated')
      assert.deepEqual([truncated!['numCtx'], truncated!['certainty']], [8192, 'certain'])
    })

    it('I03 only warns on the routes that ignore num_ctx', async () => {
      await begin('raise')
      const { status, changes, warning } = await post(gate, emulated, ask(12_920, { stream: true }))
      assert.deepEqual([status, changes.includes('num_ctx')], [200, false])
      assert.match(warning ?? '', /^over_window; estimated=\d+; window=4096$/)
    })
  })

  it('is not looked at where the plan has no truncation block', async () => {
    gate = await startGate({ plans: { agent: { truncation: null } } })
    const { status, warning } = await post(gate, emulated, ask(12_920, { stream: true }))
    assert.deepEqual([status, warning, questions(gate).length], [200, null, 0])
    assert.deepEqual((await rows(gate, 1))[0]!.warnings, ['truncated'])
  })

  it('is known at LM Studio, which may cut in silence as well', async () => {
    const upstream = await startUpstream()
    const lmstudio = { baseUrl: upstream.baseUrls.openai, dialect: 'openai', free: true }
    const plans = { agent: { truncation: { before: 'refuse' } } }
    const daemon = await startDaemon({ config: { upstreams: { lmstudio }, plans } })
    try {
      const data = [{ id: 'qwen2.5-7b', state: 'loaded', loaded_context_length: 8192, max_context_length: 32_768 }]
      upstream.script(({ path }) => (path === '/openai/api/v0/models' ? { status: 200, errorBody: { data } } : {}))
      const send = (tokens: number) =>
        fetch(`${daemon.base('lmstudio')}${emulated}`, {
          method: 'POST',
          body: JSON.stringify(ask(tokens, { model: 'qwen2.5-7b' })),
        })
      assert.equal((await send(5000)).status, 200)
      const refused = await send(12_920)
      assert.deepEqual([refused.status, refused.headers.get('x-tollgate-code')], [422, 'context_overflow'])
      assert.match(
        await refused.text(),
        /reads 8,192 at once, as it is loaded now\..* Load the model with more context/,
      )
      assert.equal(upstream.generations.length, 1)
    } finally {
      await Promise.all([daemon.discard(), upstream.close()])
    }
  })
})
