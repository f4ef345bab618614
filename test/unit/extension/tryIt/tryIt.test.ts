import assert from 'node:assert/strict'
import fc from 'fast-check'
import { outcomeOf, wantsKey } from '../../../../extension/tryIt/answer.ts'
import type { TryAnswer } from '../../../../extension/tryIt/answer.ts'
import { exampleModel, tryOutputTokens, tryRequest } from '../../../../extension/tryIt/request.ts'
import { resultDetails, resultSentence } from '../../../../extension/tryIt/result.ts'
import type { TryResult } from '../../../../extension/tryIt/result.ts'
import { builtInUpstreams } from '../../../../shared/addresses.ts'
import type { CallRow } from '../../../../shared/status.ts'
import { builtInRow } from '../../../../shared/upstreams.ts'
import { noUsage } from '../../../../shared/usage.ts'
import { figures, text } from '../support.ts'
import { callRow } from '../../callRow.ts'

const address = { origin: 'http://127.0.0.1:4141', key: 'abc', project: 'shop' }

function request(name: 'openai' | 'anthropic' | 'gemini' | 'ollama' | 'groq', apiKey: string | null = 'sk-1') {
  const { url, headers, body } = tryRequest({ address, upstream: builtInRow(name), model: 'm/1', apiKey })
  return { url, headers, body: JSON.parse(body) as Record<string, unknown> }
}

describe('the request of Try It', () => {
  const base = 'http://127.0.0.1:4141/k/abc/p/shop'

  it('is what a client of each dialect sends, with a ceiling of 32 tokens', () => {
    const openai = request('openai')
    assert.equal(openai.url, `${base}/openai/v1/chat/completions`)
    assert.equal(openai.headers['authorization'], 'Bearer sk-1')
    assert.equal(openai.body['max_completion_tokens'], tryOutputTokens)
    assert.equal(request('groq').body['max_tokens'], tryOutputTokens)

    const anthropic = request('anthropic')
    assert.equal(anthropic.url, `${base}/anthropic/v1/messages`)
    assert.equal(anthropic.headers['x-api-key'], 'sk-1')
    assert.equal(anthropic.headers['anthropic-version'], '2023-06-01')
    assert.equal(anthropic.body['max_tokens'], tryOutputTokens)

    const gemini = request('gemini')
    assert.equal(gemini.url, `${base}/gemini/v1beta/models/m%2F1:generateContent`)
    assert.equal(gemini.headers['x-goog-api-key'], 'sk-1')
    assert.deepEqual(gemini.body['generationConfig'], { maxOutputTokens: tryOutputTokens })

    const ollama = request('ollama', null)
    assert.equal(ollama.url, `${base}/ollama/api/chat`)
    assert.deepEqual(ollama.body['options'], { num_predict: tryOutputTokens })
  })

  it('has the key in one header and nowhere else, and no such header without a key', () => {
    for (const name of ['openai', 'anthropic', 'gemini', 'ollama'] as const) {
      const { url, headers, body } = request(name, 'sk-secret')
      assert.doesNotMatch(url + JSON.stringify(body), /sk-secret/)
      assert.equal(Object.values(headers).filter((value) => value.includes('sk-secret')).length, 1)
      const without = request(name, null).headers
      for (const header of ['authorization', 'x-api-key', 'x-goog-api-key']) assert.equal(without[header], undefined)
    }
  })

  it('has an example of a model for every upstream', () => {
    for (const name of builtInUpstreams) assert.match(exampleModel(builtInRow(name)), /^[\w./:-]+$/)
    assert.equal(exampleModel({ name: 'corp', dialect: 'openai', free: false }), 'gpt-4o-mini')
  })
})

const gateHeaders = { 'x-tollgate-call': 'c1', 'x-tollgate-state': 'ok', 'x-tollgate-estimated-input': '14' }

function answer(changes: Partial<TryAnswer> = {}): TryAnswer {
  const body = JSON.stringify({ choices: [{ message: { content: 'Hello there.' } }] })
  return { status: 200, headers: { 'content-type': 'application/json', ...gateHeaders }, body, ...changes }
}

describe('the answer of Try It', () => {
  it('is found in every dialect', () => {
    const bodies: unknown[] = [
      { choices: [{ message: { content: 'Hello.' } }] },
      {
        content: [
          { type: 'thinking', thinking: 'x' },
          { type: 'text', text: 'Hello.' },
        ],
      },
      { candidates: [{ content: { parts: [{ text: 'Hel' }, { text: 'lo.' }] } }] },
      { message: { role: 'assistant', content: 'Hello.' }, done: true },
    ]
    for (const body of bodies) {
      assert.deepEqual(outcomeOf(answer({ body: JSON.stringify(body) }), null), { kind: 'answered', said: 'Hello.' })
    }
  })

  it('is a refusal where the gate says so, with its sentence in every dialect', () => {
    const headers = { ...gateHeaders, 'x-tollgate-code': 'budget_exhausted' }
    const sentence = 'Daily spending budget of user me is used up.'
    const tollgate = { code: 'budget_exhausted', scopeRef: '[me](command:evil)', limit: 10 }
    for (const body of [
      { error: { message: sentence, tollgate } },
      { type: 'error', error: { message: sentence, tollgate } },
      { error: sentence, tollgate },
    ]) {
      const refused = outcomeOf(answer({ status: 429, headers, body: JSON.stringify(body) }), null)
      const about = { code: 'budget_exhausted', scopeRef: '[me] (command:evil)', limit: 10 }
      assert.deepEqual(refused, { kind: 'refused', code: 'budget_exhausted', about, sentence })
    }
  })

  it('never shows the key, which providers quote when they do not know it, and no link', () => {
    const body = JSON.stringify({ error: { message: 'Incorrect key sk-secret: [fix](command:evil) (sk-secret)' } })
    const outcome = outcomeOf(answer({ status: 401, body }), 'sk-secret')
    assert.deepEqual(outcome, { kind: 'upstreamError', sentence: 'Incorrect key …: [fix] (command:evil) (…)' })
  })

  it('asks for a key where the provider wants one, and not where the gate refused the call', () => {
    assert.ok(wantsKey(answer({ status: 401 })))
    assert.ok(!wantsKey(answer()))
    assert.ok(!wantsKey(answer({ status: 401, headers: { 'x-tollgate-code': 'invalid_key' } })))
  })

  it('never throws, whatever came', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), fc.integer({ min: 100, max: 599 }), (body, status) => {
        outcomeOf(answer({ status, body }), 'sk')
      }),
    )
  })
})

function row(changes: Partial<CallRow> = {}): CallRow {
  return callRow({
    project: 'shop',
    client: 'tollgate-try/0.1.0',
    responseModel: 'gpt-4o',
    usage: { ...noUsage, input: 12, output: 8 },
    eur: 0.0001,
    reservedEur: 0.0004,
    estimatedInput: 14,
    price: 'table 2026-11-01',
    durationMs: 812,
    firstByteMs: 700,
    ...changes,
  })
}

function result(changes: Partial<TryResult> = {}): TryResult {
  return {
    upstream: 'openai',
    model: 'gpt-4o',
    address: 'http://127.0.0.1:4141/k/…/p/shop/openai/v1/chat/completions',
    answer: answer(),
    outcome: { kind: 'answered', said: 'Hello there.' },
    row: row(),
    atMs: Date.parse('2026-11-30T12:00:00.000Z'),
    ...changes,
  }
}

describe('the result of Try It', () => {
  const sentence = (changes: Partial<TryResult>) => resultSentence(result(changes), text, figures)

  it('says what was estimated, reported, put out and paid', () => {
    assert.equal(
      sentence({}),
      'gpt-4o through openai: 14 input tokens estimated, 12 reported, 8 output tokens, €0.0001.',
    )
  })

  it('never shows a call without a price as free of charge, nor a free one as priced', () => {
    assert.match(sentence({ row: row({ eur: 0, price: null, warnings: ['unpriced_call'] }) }), /price unknown\.$/)
    assert.match(sentence({ row: row({ eur: 0, price: null }) }), /, free\.$/)
    assert.match(sentence({ row: row({ eur: 0, listPriceEur: 0.02 }) }), /€0\.02 at list price, not billed\.$/)
  })

  it('says that the provider reported nothing, instead of showing the estimate as its count', () => {
    assert.match(sentence({ row: row({ settlement: 'estimated' }) }), /14 input tokens estimated, none reported/)
    assert.match(sentence({ row: undefined }), /14 input tokens estimated, none reported .* price unknown/)
  })

  it('says a refusal in the words of the extension where it has figures, and what clients are told in the details', () => {
    const told = 'Daily spending budget of user me is 0: paid calls are off. Raise it in the settings.'
    const about = { scope: 'user', scopeRef: 'me', window: 'day', unit: 'eur', kind: 'spent', limit: 0 }
    const outcome = { kind: 'refused', code: 'budget_exhausted', about, sentence: told } as const
    const said = 'Tollgate refused the call: The budget is 0, so paid calls are off: €0.00 a day for you.'
    assert.equal(sentence({ outcome }), said)
    assert.ok(resultDetails(result({ outcome }), text, figures).includes(`${said}\n${told}\n`))
  })

  it('gives the refusal’s own sentence, or the provider’s', () => {
    const refused = { kind: 'refused', code: 'unsupported', about: {}, sentence: 'Not that endpoint.' } as const
    assert.equal(sentence({ outcome: refused }), 'Tollgate refused the call: Not that endpoint.')
    const error = { kind: 'upstreamError', sentence: 'No such model.' } as const
    assert.equal(
      sentence({ outcome: error, answer: answer({ status: 404 }) }),
      'openai answered with an error (404): No such model.',
    )
  })

  it('has every figure and header of the gate in its details, and neither the local key nor another header', () => {
    const details = resultDetails(result(), text, figures)
    assert.match(details, /^ {2}Input, estimated +14$/m)
    assert.match(details, /^ {2}Input, reported +12$/m)
    assert.match(details, /^ {2}Output +8$/m)
    assert.match(details, /^ {2}Held before the call +€0\.0004$/m)
    assert.match(details, /^ {2}Cost +€0\.0001$/m)
    assert.match(details, /^ {2}x-tollgate-estimated-input +14$/m)
    assert.match(details, /Hello there\./)
    assert.doesNotMatch(details, /content-type|abc/)
    const none = resultDetails(result({ row: undefined }), text, figures)
    assert.match(none, /The ledger has no row of this call\./)
  })
})
