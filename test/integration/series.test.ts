import assert from 'node:assert/strict'
import type { Report } from '../../shared/report.ts'
import type { Series } from '../../shared/series.ts'
import type { EventRow } from '../../shared/status.ts'
import type { Daemon } from './harness/daemon.ts'
import { flatAsk, flatConfig, flatEur, flatUsage } from './harness/flatPrice.ts'
import { startGate } from './harness/gate.ts'
import type { Gate } from './harness/gate.ts'

describe('a series of calls that were made', () => {
  let gate: Gate
  let daemon: Daemon

  before(async () => {
    gate = await startGate(flatConfig(null))
    ;({ daemon } = gate)
    for (const [project, model, outputTokens] of [
      ['shop', 'flat-1', 100],
      ['shop', 'flat-2', 200],
      ['docs', 'flat-1', 300],
    ] as const) {
      gate.upstream.next(flatUsage(outputTokens))
      const response = await fetch(`${daemon.base('openai', { task: 't1', project })}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(flatAsk(400, { model })),
      })
      assert.equal(response.status, 200, await response.text())
    }
    await daemon.settled(3)
  })
  after(() => gate.close())

  for (const unit of ['hour', 'day', 'month'] as const) {
    it(`adds up to the report of the same days, by ${unit}`, async () => {
      for (const by of ['model', 'project'] as const) {
        const series = await daemon.json<Series>(`/api/series?unit=${unit}&by=${by}&days=2`)
        const report = await daemon.json<Report>(`/api/report?by=${by}&days=2`)
        assert.deepEqual(series.totals, report.totals)
        assert.deepEqual([series.totals.calls, series.totals.eur], [3, flatEur(600)])
        assert.deepEqual(
          series.rows.map(({ name, totals }) => [name, totals.calls, totals.eur]),
          report.rows.map(({ name, calls, eur }) => [name, calls, eur]),
        )
        for (const { points } of series.rows) assert.ok(points.every(({ at }) => at < series.buckets.length))
        assert.deepEqual([series.from, series.to, series.timezone], [report.from, report.to, report.timezone])
      }
    })
  }

  it('is refused with a sentence where it would be too long', async () => {
    const response = await daemon.api('/api/series?unit=hour&days=8')
    assert.equal(response.status, 400)
    assert.match(await response.text(), /A series by hour has at most 7 days\./)
  })

  it('has its refusals apart from all other events', async () => {
    await daemon.json('/api/kill', { scope: 'global' })
    const response = await fetch(`${daemon.base('openai')}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(flatAsk(10)),
    })
    assert.equal(response.status, 403)
    const { events } = await daemon.json<{ events: EventRow[] }>('/api/events?event=refused')
    assert.deepEqual(
      events.map(({ event, code }) => [event, code]),
      [['refused', 'killed']],
    )
  })
})
