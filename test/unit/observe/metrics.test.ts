import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { refusalCodes, warningCodes } from '../../../shared/codes.ts'
import { createMetrics, gaugeMeanings } from '../../../daemon/observe/metrics.ts'
import type { Gauge, GaugeName, Metrics, SettledSample } from '../../../daemon/observe/metrics.ts'

const sample: SettledSample = {
  upstream: 'openai',
  dialect: 'openai-chat',
  model: 'gpt-5-mini',
  inputTokens: 1930,
  outputTokens: 40,
  durationMs: 1500,
  firstByteMs: 300,
  costNanoEur: 2_500_000,
  listNanoEur: 0,
  outcome: 'ok',
}

/** Value of the series with this exact name and these labels. */
function series(metrics: Metrics, name: string, gauges: readonly Gauge[] = []): number | undefined {
  const line = metrics
    .render(gauges)
    .split('\n')
    .find((each) => each.startsWith(`${name} `))
  return line === undefined ? undefined : Number(line.slice(name.length + 1))
}

const labels = 'gen_ai_operation_name="chat",gen_ai_provider_name="openai",gen_ai_request_model="gpt-5-mini"'

describe('metrics', () => {
  it('show every refusal code and every warning from the start, at 0', () => {
    const metrics = createMetrics()
    for (const code of Object.keys(refusalCodes))
      assert.equal(series(metrics, `tollgate_refusals_total{code="${code}"}`), 0)
    for (const code of warningCodes) assert.equal(series(metrics, `tollgate_warnings_total{code="${code}"}`), 0)
    const counters = metrics.counters()
    for (const code of [...Object.keys(refusalCodes), ...warningCodes]) assert.equal(counters[code], 0)
  })

  it('count refusals and warnings by their code', () => {
    const metrics = createMetrics()
    metrics.refused('budget_exhausted')
    metrics.refused('budget_exhausted')
    metrics.warned('empty_answer')
    assert.equal(series(metrics, 'tollgate_refusals_total{code="budget_exhausted"}'), 2)
    assert.equal(series(metrics, 'tollgate_warnings_total{code="empty_answer"}'), 1)
    assert.equal(metrics.counters()['budget_exhausted'], 2)
    assert.equal(metrics.counters()['empty_answer'], 1)
    assert.equal(metrics.counters()['killed'], 0)
  })

  it('count a truncated answer that became an error once in the status', () => {
    const metrics = createMetrics()
    metrics.warned('truncated')
    metrics.refused('truncated')
    metrics.warned('truncated')
    assert.equal(metrics.counters()['truncated'], 2)
  })

  it('record tokens, duration, first chunk and cost of a settled call', () => {
    const metrics = createMetrics()
    metrics.settled(sample)
    metrics.settled({ ...sample, inputTokens: 70, firstByteMs: null })
    const input = `{${labels},gen_ai_token_type="input"`
    assert.equal(series(metrics, `gen_ai_client_token_usage_sum${input}}`), 2000)
    assert.equal(series(metrics, `gen_ai_client_token_usage_bucket${input},le="64"}`), 0)
    assert.equal(series(metrics, `gen_ai_client_token_usage_bucket${input},le="256"}`), 1)
    assert.equal(series(metrics, `gen_ai_client_token_usage_bucket${input},le="4096"}`), 2)
    assert.equal(series(metrics, `gen_ai_client_token_usage_bucket${input},le="+Inf"}`), 2)
    assert.equal(series(metrics, `gen_ai_client_token_usage_sum{${labels},gen_ai_token_type="output"}`), 80)
    assert.equal(series(metrics, `gen_ai_client_operation_duration_seconds_sum{${labels}}`), 3)
    assert.equal(series(metrics, `gen_ai_client_operation_time_to_first_chunk_seconds_count{${labels}}`), 1)
    assert.equal(
      series(metrics, 'tollgate_cost_eur_total{gen_ai_provider_name="openai",gen_ai_request_model="gpt-5-mini"}'),
      0.005,
    )
    assert.equal(series(metrics, 'tollgate_calls_settled_total{outcome="ok"}'), 2)
  })

  it("name the error of a failed call and use the conventions' names of providers", () => {
    const metrics = createMetrics()
    metrics.settled({ ...sample, upstream: 'mistral', dialect: 'openai-completions', outcome: 'killed' })
    const failed =
      'gen_ai_operation_name="text_completion",gen_ai_provider_name="mistral_ai",gen_ai_request_model="gpt-5-mini",error_type="killed"'
    assert.equal(series(metrics, `gen_ai_client_operation_duration_seconds_count{${failed}}`), 1)
  })

  it('name what Gemini does as the conventions do', () => {
    const metrics = createMetrics()
    metrics.settled({ ...sample, upstream: 'gemini', dialect: 'gemini-generate' })
    metrics.settled({ ...sample, upstream: 'gemini', dialect: 'gemini-embed' })
    for (const operation of ['generate_content', 'embeddings']) {
      const own = `gen_ai_operation_name="${operation}",gen_ai_provider_name="gcp.gemini",gen_ai_request_model="gpt-5-mini"`
      assert.equal(series(metrics, `gen_ai_client_operation_duration_seconds_count{${own}}`), 1, operation)
    }
  })

  it('have no output tokens for embeddings', () => {
    const metrics = createMetrics()
    metrics.settled({ ...sample, dialect: 'openai-embeddings', outputTokens: 0 })
    assert.doesNotMatch(metrics.render([]), /gen_ai_token_type="output"/)
  })

  it('give only the first models a series, whatever names clients make up', () => {
    const metrics = createMetrics(3)
    for (let at = 0; at < 500; at += 1) metrics.settled({ ...sample, model: `made-up-${at}` })
    const models = new Set(
      [...metrics.render([]).matchAll(/gen_ai_request_model="([^"]*)"/g)].map(([, model]) => model),
    )
    assert.deepEqual([...models].sort(), ['made-up-0', 'made-up-1', 'made-up-2', 'other'])
    assert.match(metrics.render([]), /token_usage_count\{[^}]*"other",gen_ai_token_type="input"\} 497/)
  })

  it('ignore a duration that is no number', () => {
    const metrics = createMetrics()
    metrics.settled({ ...sample, durationMs: Number.NaN })
    metrics.settled(sample)
    assert.equal(series(metrics, `gen_ai_client_operation_duration_seconds_sum{${labels}}`), 1.5)
  })

  it('render gauges that are handed in, and an infinite one as +Inf', () => {
    const metrics = createMetrics()
    const gauges: readonly Gauge[] = [
      { name: 'tollgate_budget_spent', value: 1.84, labels: { window: 'day', unit: 'eur' } },
      { name: 'tollgate_calls_in_flight', value: 2, labels: {} },
      { name: 'tollgate_budget_cap', value: Infinity, labels: { window: 'day', unit: 'eur' } },
    ]
    assert.equal(series(metrics, 'tollgate_budget_spent{window="day",unit="eur"}', gauges), 1.84)
    assert.equal(series(metrics, 'tollgate_calls_in_flight', gauges), 2)
    assert.match(metrics.render(gauges), /^tollgate_budget_cap\{window="day",unit="eur"\} \+Inf$/m)
  })

  it('keep every line readable for a scraper, whatever a model is called', () => {
    const line = /^(# (HELP|TYPE) [a-z_]+ .*|[a-z_]+(\{([a-z_]+="([^"\\\n]|\\[\\"n])*",?)+\})? (\+Inf|-?[0-9.e+-]+))$/
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (model) => {
        const metrics = createMetrics()
        metrics.settled({ ...sample, model })
        for (const each of metrics.render([]).trimEnd().split('\n')) assert.match(each, line)
      }),
      { numRuns: 50 },
    )
  })

  it('count what fell into the buckets exactly once', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 200_000_000 }), { minLength: 1, maxLength: 50 }), (amounts) => {
        const metrics = createMetrics()
        for (const inputTokens of amounts) metrics.settled({ ...sample, inputTokens })
        for (const bound of [1, 1024, 67_108_864]) {
          const name = `gen_ai_client_token_usage_bucket{${labels},gen_ai_token_type="input",le="${bound}"}`
          assert.equal(series(metrics, name), amounts.filter((amount) => amount <= bound).length)
        }
      }),
      { numRuns: 50 },
    )
  })

  it('are all described in docs/metrics.md, with their type, and no other is', () => {
    const metrics = createMetrics()
    metrics.settled(sample)
    const gauges = (Object.keys(gaugeMeanings) as GaugeName[]).map((name) => ({ name, value: 1, labels: {} }))
    const rendered = [...metrics.render(gauges).matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(
      ([, name, type]) => `${name!} ${type!}`,
    )
    const page = readFileSync(new URL('../../../docs/metrics.md', import.meta.url), 'utf8')
    const described = [...page.matchAll(/^\| `([a-z_]+)` \| (\w+) \|/gm)].map(([, name, type]) => `${name!} ${type!}`)
    assert.deepEqual(described.sort(), rendered.sort())
  })
})
