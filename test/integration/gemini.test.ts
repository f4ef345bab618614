import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ApiError, GoogleGenAI } from '@google/genai'
import type { Content } from '@google/genai'
import type { Step } from '../upstream/step.ts'
import { readRefusal } from './harness/answers.ts'
import { eventually } from './harness/eventually.ts'
import { providerKey, startGate } from './harness/gate.ts'
import type { Gate } from './harness/gate.ts'

const contents = [{ role: 'user', parts: [{ text: 'How do I name a variable?' }] }]
const inDollars = { currency: { code: 'EUR', usdRate: 1, asOf: '2026-11-01' } }

const whole = (model: string) => `/v1beta/models/${model}:generateContent`
const events = (model: string) => `/v1beta/models/${model}:streamGenerateContent?alt=sse`
const array = (model: string) => `/v1beta/models/${model}:streamGenerateContent`

interface Element {
  readonly candidates?: readonly { readonly content: { readonly parts: readonly { readonly text?: string }[] } }[]
  readonly error?: { readonly code: number; readonly status: string; readonly message: string }
}

/** The text of an answer in any of the three forms. */
function textOf(answer: string): string {
  const parts: Element[] = answer.startsWith('data:')
    ? answer
        .trimEnd()
        .split('\n\n')
        .map((event) => JSON.parse(event.replace(/^data: /, '')) as Element)
    : ([JSON.parse(answer)].flat() as Element[])
  return parts
    .flatMap(({ candidates = [] }) => candidates.flatMap(({ content }) => content.parts.map(({ text = '' }) => text)))
    .join('')
}

/** Words that the upstream invents, as many as tokens. */
const wordsIn = (text: string): number => text.trim().split(/\s+/).length

describe('Gemini through the gate', () => {
  let gate: Gate
  before(async () => {
    gate = await startGate(inDollars)
  })
  after(() => gate.close())
  beforeEach(() => gate.upstream.reset())

  const post = (path: string, body: object = { contents }, init: Parameters<Gate['post']>[3] = {}) =>
    gate.post('gemini', path, body, { ...init, headers: { 'x-goog-api-key': providerKey, ...init.headers } })
  const rows = async () => (await gate.daemon.calls()).length

  for (const [form, path, type] of [
    ['one document', whole, /application\/json/],
    ['events', events, /text\/event-stream/],
    ['one JSON array', array, /application\/json/],
  ] as const) {
    it(`B13: settles ${form} exactly, with cached and thinking tokens at their own prices`, async () => {
      const before = await rows()
      gate.upstream.next({ inputTokens: 2000, cacheReadTokens: 500, thinkingTokens: 12, outputTokens: 30 })
      const response = await post(path('gemini-2.5-pro'))
      assert.match(response.headers.get('content-type') ?? '', type)
      assert.equal(wordsIn(textOf(await response.text())), 30)
      const [row] = await gate.daemon.settled(before + 1)
      assert.deepEqual(
        [row!.settlement, row!.outcome, row!.finish, row!.responseModel],
        ['exact', 'ok', 'STOP', 'gemini-2.5-pro'],
      )
      assert.deepEqual([row!.model, row!.dialect, row!.stream], ['gemini-2.5-pro', 'gemini-generate', path !== whole])
      const { input, cacheRead, output, reasoning } = row!.usage
      assert.deepEqual([input, cacheRead, output, reasoning], [1500, 500, 42, 12])
      assert.ok(Math.abs(row!.eur - (1500 * 1.25 + 500 * 0.125 + 42 * 10) / 1e6) < 1e-9, String(row!.eur))
    })

    it(`sends the key and the path of ${form} on as they came, with a ceiling put in`, async () => {
      const response = await post(path('gemini-2.5-flash'))
      await response.text()
      const [request] = gate.upstream.generations
      assert.equal(request!.path, `/gemini${path('gemini-2.5-flash')}`)
      assert.equal(request!.headers['x-goog-api-key'], providerKey)
      assert.deepEqual(request!.json, { contents, generationConfig: { maxOutputTokens: 4096 } })
      assert.equal(response.headers.get('x-tollgate-changes'), 'maxOutputTokens=4096')
    })
  }

  it('passes the bytes of both kinds of stream untouched', async () => {
    const element = (text: string, more: object = {}) => ({
      candidates: [{ content: { parts: [{ text }] }, index: 0, ...more }],
    })
    const end = {
      ...element('', { finishReason: 'STOP' }),
      usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3 },
    }
    const odd = JSON.stringify(element('北京🌍 "]}"'), null, 3)
    for (const [path, frames] of [
      [
        events('gemini-2.5-flash'),
        [`data: ${JSON.stringify(element('a'))}\r\n\r\n`, `data: ${JSON.stringify(end)}\r\n\r\n`],
      ],
      [array('gemini-2.5-flash'), [` [${odd}`, '\r\n,\r\n', odd, `,${JSON.stringify(end)}`, '\n]\n']],
    ] as const) {
      const before = await rows()
      gate.upstream.next({ frames, splitBytes: 7 })
      assert.equal(await (await post(path)).text(), frames.join(''))
      const [row] = await gate.daemon.settled(before + 1)
      assert.deepEqual([row!.settlement, row!.usage.input, row!.usage.output], ['exact', 7, 3])
    }
  })

  it('D09: charges 300,000 tokens of Gemini 2.5 Pro at 2.50 per million', async () => {
    const before = await rows()
    gate.upstream.next({ inputTokens: 300_000, outputTokens: 10 })
    await (await post(whole('gemini-2.5-pro'))).text()
    const [row] = await gate.daemon.settled(before + 1)
    assert.ok(Math.abs(row!.eur - (300_000 * 2.5 + 10 * 15) / 1e6) < 1e-9, String(row!.eur))
  })

  it('J04: reads a large body in its worker, with the model of its path and a picture that is no text', async () => {
    const before = await rows()
    const parts = [
      { text: ' apple'.repeat(30_000) },
      { inlineData: { mimeType: 'image/png', data: 'A'.repeat(1_900_000) } },
    ]
    const response = await post(events('gemini-3.6-flash'), { contents: [{ role: 'user', parts }] })
    await response.text()
    const estimate = Number(response.headers.get('x-tollgate-estimated-input'))
    assert.ok(estimate > 30_000 && estimate < 50_000, String(estimate))
    const [row] = await gate.daemon.settled(before + 1)
    assert.deepEqual([row!.model, row!.settlement], ['gemini-3.6-flash', 'exact'])
  })

  it('passes counters, lists, and the reading of caches and files, unmetered', async () => {
    const before = await rows()
    const counted = await gate.gemini().models.countTokens({ model: 'gemini-2.5-flash', contents: 'hello there' })
    assert.ok((counted.totalTokens ?? 0) > 0)
    const models = await gate.gemini().models.list()
    assert.ok(models.page.length > 0)
    assert.equal((await gate.gemini().models.get({ model: 'gemini-2.5-pro' })).name, 'models/gemini-2.5-pro')
    assert.deepEqual((await gate.gemini().caches.list()).page, [])
    assert.deepEqual((await gate.gemini().files.list()).page, [])
    assert.equal(await rows(), before)
    assert.equal(gate.upstream.requests.length, 5)
  })

  it('H02: answers for a counter that is out of order with its failure and our estimate', async () => {
    gate.upstream.script(({ path }) => (path.includes('countTokens') ? { status: 503 } : undefined))
    const response = await post('/v1beta/models/gemini-2.5-flash:countTokens')
    assert.equal(response.status, 503)
    assert.ok(Number(response.headers.get('x-tollgate-estimated-input')) > 5)
    await response.text()
  })

  it('refuses what it cannot account for in Google’s shape, and passes nothing of it on', async () => {
    for (const path of [
      '/v1beta/models/gemini-2.5-flash:batchGenerateContent',
      '/v1beta/models/veo-3:predictLongRunning',
      '/v1beta/cachedContents',
      '/v1beta/interactions',
      '/v1beta/openai/chat/completions',
    ]) {
      const refused = await readRefusal(await post(path))
      assert.deepEqual([refused.status, refused.code], [422, 'unsupported'], path)
      const { code, status } = refused.body['error'] as NonNullable<Element['error']>
      assert.deepEqual([code, status], [422, 'INVALID_ARGUMENT'])
    }
    assert.equal(gate.upstream.requests.length, 0)
  })

  it('says in the SDK’s own way what is wrong with a request', async () => {
    const refused = await readRefusal(
      await post(whole('gemini-2.5-flash'), { contents, generationConfig: { candidateCount: '8' } }),
    )
    assert.deepEqual([refused.status, refused.code], [400, 'invalid_request'])
    assert.equal((refused.body['error'] as NonNullable<Element['error']>).status, 'INVALID_ARGUMENT')
    const tooMany = await readRefusal(
      await post(whole('gemini-2.5-flash'), { contents, generation_config: { candidate_count: 8 } }),
    )
    assert.equal(tooMany.code, 'unsupported')
    assert.equal(gate.upstream.requests.length, 0)
  })

  it('A9: says when thoughts ate the whole ceiling', async () => {
    const before = await rows()
    gate.upstream.next({ thinkingTokens: 5000 })
    await (await post(array('gemini-2.5-flash'), { contents, generationConfig: { maxOutputTokens: 300 } })).text()
    const [row] = await gate.daemon.settled(before + 1)
    assert.equal(row!.finish, 'MAX_TOKENS')
    assert.ok(row!.warnings.includes('empty_answer'), row!.warnings.join())
    assert.deepEqual([row!.usage.output, row!.usage.reasoning], [300, 300])
  })

  it('passes a provider’s error on byte for byte, at no cost', async () => {
    const before = await rows()
    const errorBody = [{ error: { code: 429, message: 'Resource has been exhausted', status: 'RESOURCE_EXHAUSTED' } }]
    gate.upstream.next({ status: 429, errorBody })
    const response = await post(array('gemini-2.5-flash'))
    assert.deepEqual([response.status, await response.text()], [429, JSON.stringify(errorBody)])
    const [row] = await gate.daemon.settled(before + 1)
    assert.deepEqual([row!.eur, row!.usage.input], [0, 0])
  })

  const long: Step = { outputTokens: 1900, chunkDelayMs: 5 }

  /** Starts a stream and waits until some of it has passed. */
  async function begun(path: string, init: Parameters<Gate['post']>[3] = {}) {
    gate.upstream.next(long)
    const response = post(path, { contents, generationConfig: { maxOutputTokens: 2000 } }, init)
    const request = await gate.upstream.waitForRequests(1)
    await eventually('some output to pass', async () => {
      const [open] = (await gate.daemon.status()).inFlight
      return open && open.outputTokens > 3 ? open : null
    })
    return { response: await response, request }
  }

  for (const [form, path] of [
    ['events', events],
    ['one array', array],
  ] as const) {
    it(`F09: ends a stream of ${form} that is killed with an error that can be parsed, never a clean end`, async () => {
      const before = await rows()
      const { response, request } = await begun(path('gemini-2.5-flash'))
      const killed = await gate.daemon.json<{ cancelled: number }>('/api/kill', { scope: 'global' })
      const text = await response.text().finally(() => gate.daemon.json('/api/resume', { scope: 'global' }))
      assert.equal(killed.cancelled, 1)
      assert.match(textOf(text), /the little/)
      const last =
        form === 'events'
          ? (JSON.parse(
              text
                .trimEnd()
                .split('\n\n')
                .at(-1)!
                .replace(/^data: /, ''),
            ) as Element)
          : (JSON.parse(text) as Element[]).at(-1)!
      assert.deepEqual([last.error?.code, last.error?.status], [400, 'FAILED_PRECONDITION'])
      assert.equal((await gate.upstream.waitForClose(request)).finished, false)
      const [row] = await gate.daemon.settled(before + 1)
      // Google generates on and charges for it, so that all that was reserved is spent.
      assert.deepEqual([row!.outcome, row!.settlement, row!.usage.output], ['killed', 'partial', 2000])
    })

    it(`C01: settles a stream of ${form} whose client leaves at what was reserved, and closes the provider’s connection`, async () => {
      const before = await rows()
      const leaving = new AbortController()
      const { request } = await begun(path('gemini-2.5-flash'), { signal: leaving.signal })
      leaving.abort()
      assert.equal((await gate.upstream.waitForClose(request)).finished, false)
      const [row] = await gate.daemon.settled(before + 1)
      assert.deepEqual([row!.outcome, row!.settlement, row!.usage.output], ['client_closed', 'partial', 2000])
      assert.equal((await gate.daemon.status()).today.reservedEur, 0)
    })

    it(`F06: passes a stream of ${form} that just stops on as torn, and not as a success`, async () => {
      const before = await rows()
      gate.upstream.next({ outputTokens: 60, cutAfterChunks: 12 })
      const response = await post(path('gemini-2.5-flash'))
      await assert.rejects(response.text())
      const [row] = await gate.daemon.settled(before + 1)
      assert.equal(row!.outcome, 'upstream_truncated')
      assert.ok(row!.usage.output >= 12)
    })

    it(`F07: charges what was delivered where a stream of ${form} ends with the provider’s own error`, async () => {
      const before = await rows()
      gate.upstream.next({ midStreamError: { afterChunks: 5, message: 'The model is overloaded.' } })
      const text = await (await post(path('gemini-2.5-flash'))).text()
      assert.match(text, /The model is overloaded\./)
      const [row] = await gate.daemon.settled(before + 1)
      assert.equal(row!.outcome, 'upstream_error')
      assert.ok(row!.usage.output > 0 && row!.eur > 0)
    })
  }

  it('A12: asks the counter about a cache that is only named, with the client’s key', async () => {
    const exact = await startGate({ ...inDollars, plans: { agent: { estimator: 'exact' } } })
    try {
      exact.upstream.script(({ path }) => (path.includes('countTokens') ? { inputTokens: 90_000 } : undefined))
      const response = await exact.post(
        'gemini',
        `${events('gemini-2.5-pro')}&key=AIzaCanary`,
        { contents, cachedContent: 'cachedContents/abc' },
        { headers: { 'x-goog-api-key': providerKey } },
      )
      await response.text()
      const [count, call] = exact.upstream.requests
      assert.equal(count!.path, '/gemini/v1beta/models/gemini-2.5-pro:countTokens?key=AIzaCanary')
      assert.deepEqual(count!.json, {
        generateContentRequest: { model: 'models/gemini-2.5-pro', contents, cachedContent: 'cachedContents/abc' },
      })
      assert.equal(count!.headers['x-goog-api-key'], providerKey)
      assert.equal(call!.path, `/gemini${events('gemini-2.5-pro')}&key=AIzaCanary`)
      assert.equal(Number(response.headers.get('x-tollgate-estimated-input')), 90_900)
    } finally {
      await exact.close()
    }
  })

  it('gives a constrained task the cheaper model by its path, without paid tools', async () => {
    const tight = await startGate({
      ...inDollars,
      tiers: { 'gemini-2.5-pro': 'gemini-2.5-flash-lite' },
      plans: { agent: { task: { maxIterations: 10, warnAt: 0.1, constrainAt: 0.2 } } },
    })
    try {
      const base = tight.daemon.base('gemini', { task: 'tight' })
      const ask = async (text: string) => {
        const body = JSON.stringify({ contents: [{ parts: [{ text }] }], tools: [{ googleSearch: {} }] })
        const response = await fetch(`${base}${events('gemini-2.5-pro')}&key=AIzaCanary`, { method: 'POST', body })
        await response.text()
        return response.headers.get('x-tollgate-changes')
      }
      const changes: (string | null)[] = []
      for (const text of ['one', 'two', 'three', 'four']) changes.push(await ask(text))
      assert.equal(changes.at(-1), 'model=gemini-2.5-flash-lite,maxOutputTokens=1024,tools-=web_search')
      const last = tight.upstream.generations.at(-1)!
      assert.equal(last.path, `/gemini${events('gemini-2.5-flash-lite')}&key=AIzaCanary`)
      assert.deepEqual(last.json, {
        contents: [{ parts: [{ text: 'four' }] }],
        generationConfig: { maxOutputTokens: 1024 },
      })
      const [row] = await tight.daemon.settled(4)
      assert.equal(row!.model, 'gemini-2.5-flash-lite')
    } finally {
      await tight.close()
    }
  })

  it('K11: stops an agent on the real SDK whose model asks for the same tool every turn, after three calls', async () => {
    gate.upstream.script(() => ({ toolCall: { name: 'read_page', arguments: { page: 3 } } }))
    const history: Content[] = [{ role: 'user', parts: [{ text: 'Read page 3 and tell me when it changes.' }] }]
    const work = async (): Promise<string> => {
      for (let turn = 0; turn < 41; turn += 1) {
        const answer = await gate.gemini().models.generateContent({ model: 'gemini-2.5-flash', contents: history })
        const said = answer.candidates?.[0]?.content
        if (said !== undefined) history.push(said)
        const calls = answer.functionCalls ?? []
        if (calls.length === 0) return answer.text ?? ''
        const parts = calls.map(({ name }) => ({
          functionResponse: { name: name!, response: { output: 'nothing new' } },
        }))
        history.push({ role: 'user', parts })
      }
      return 'I give up.'
    }
    await assert.rejects(work(), (fault: unknown) => {
      assert.ok(fault instanceof ApiError)
      assert.match(fault.message, /loop_halted/)
      return true
    })
    assert.equal(gate.upstream.generations.length, 3)
  })
})

describe('a refusal in @google/genai', () => {
  let gate: Gate
  before(async () => {
    gate = await startGate({ budgets: { userDaily: { tokens: 3000 } } })
    gate.upstream.next({ inputTokens: 5000 })
    await gate
      .gemini()
      .models.generateContent({ model: 'gemini-2.5-flash', contents: 'x', config: { maxOutputTokens: 300 } })
    await gate.daemon.settled()
  })
  after(() => gate.close())

  it('A15: arrives once with its sentence, although its program asked for five tries', async () => {
    const seen = (await gate.daemon.events('refused')).length
    const client = new GoogleGenAI({
      apiKey: providerKey,
      httpOptions: { baseUrl: gate.daemon.base('gemini'), retryOptions: { attempts: 5 } },
    })
    const ask = { model: 'gemini-2.5-flash', contents: 'hello' }
    for (const run of [
      () => client.models.generateContent(ask),
      () => client.models.generateContentStream(ask),
      () => client.models.embedContent({ model: 'gemini-embedding-001', contents: ['hello'] }),
    ]) {
      await assert.rejects(run(), (fault: unknown) => {
        assert.ok(fault instanceof ApiError)
        assert.equal(fault.status, 400)
        const { error } = JSON.parse(fault.message) as { error: { message: string; status: string } }
        assert.match(error.message, /Daily/)
        assert.equal(error.status, 'FAILED_PRECONDITION')
        return true
      })
    }
    assert.equal((await gate.daemon.events('refused')).length - seen, 3)
  })

  it('keeps the semantic status for other clients', async () => {
    const refused = await readRefusal(await gate.post('gemini', whole('gemini-2.5-flash'), { contents }))
    assert.deepEqual([refused.status, refused.code, refused.figures.unit], [429, 'budget_exhausted', 'tokens'])
    assert.equal((refused.body['error'] as NonNullable<Element['error']>).status, 'RESOURCE_EXHAUSTED')
  })
})

describe('a key in the query of a Gemini call', () => {
  it('N05: reaches the provider and nothing else, whatever becomes of the call', async () => {
    const canary = 'AIzaSyCanary-0123456789abcdef'
    const gate = await startGate({
      upstreams: {
        gemini: { baseUrl: 'http://127.0.0.1:9', dialect: 'gemini' },
      },
    })
    const reached = await startGate()
    try {
      const call = async (on: Gate, path: string, init: RequestInit = {}) => {
        const headers = { 'x-goog-api-key': `${canary}-header` }
        const body = JSON.stringify({ contents })
        const response = await fetch(`${on.daemon.base('gemini')}${path}`, { method: 'POST', body, headers, ...init })
        return [...response.headers.values(), await response.text().catch(() => '')].join('\n')
      }
      reached.upstream.script(({ path }) =>
        path.includes('broken') ? { status: 500 } : path.includes('reset') ? { resetAfterChunks: 1 } : undefined,
      )
      const answers = [
        await call(reached, `${whole('gemini-2.5-flash')}?key=${canary}`),
        await call(reached, `${array('gemini-2.5-flash')}?key=${canary}&reset=1`),
        await call(reached, `${events('gemini-2.5-flash')}&key=${canary}&broken=1`),
        await call(reached, `/v1beta/models/gemini-2.5-flash:countTokens?key=${canary}&broken=1`),
        await call(reached, `/v1beta/models/gemini-2.5-flash:batchGenerateContent?key=${canary}`),
        await call(reached, `/v1beta/nonsense?key=${canary}`),
        await call(reached, `${whole('no-such-model')}?key=${canary}`),
        await call(reached, `${whole('gemini-2.5-flash')}?key=${canary}`, { body: '{not json' }),
        await call(gate, `${whole('gemini-2.5-flash')}?key=${canary}`),
        await call(gate, `/v1beta/models?key=${canary}`, { method: 'GET', body: null }),
      ]
      const [first] = reached.upstream.requests
      assert.equal(first!.path, `/gemini${whole('gemini-2.5-flash')}?key=${canary}`)
      assert.equal(first!.headers['x-goog-api-key'], `${canary}-header`)
      for (const answer of answers) assert.ok(!answer.includes(canary), answer)
      for (const { daemon } of [gate, reached]) {
        await daemon.settled()
        const told = [
          daemon.stderr(),
          daemon.stdout(),
          JSON.stringify(await daemon.calls()),
          JSON.stringify(await daemon.events()),
          JSON.stringify(await daemon.status()),
          await (await daemon.api('/metrics')).text(),
        ]
        for (const text of told) assert.ok(!text.includes(canary))
        const entries = readdirSync(daemon.dataDir, { recursive: true, withFileTypes: true })
        const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
        assert.ok(files.some((file) => file.endsWith('ledger.db')))
        for (const file of files) assert.ok(!readFileSync(file).toString('latin1').includes(canary), file)
      }
    } finally {
      await Promise.all([gate.close(), reached.close()])
    }
  })
})
