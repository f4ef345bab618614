import assert from 'node:assert/strict'
import fc from 'fast-check'
import { PacingBook } from '../../../daemon/observe/pacing.ts'
import { readPacing } from '../../../daemon/observe/pacingHeaders.ts'

const nowMs = Date.UTC(2026, 10, 30, 12)
const nowSeconds = nowMs / 1000
const claude = 'anthropic-ratelimit-unified'

describe('what headers say about a provider’s windows', () => {
  it('reads the share, state and reset of each window of a Claude subscription', () => {
    const headers = {
      [`${claude}-status`]: 'allowed_warning',
      [`${claude}-reset`]: String(nowSeconds + 3600),
      [`${claude}-representative-claim`]: 'five_hour',
      [`${claude}-5h-status`]: 'allowed_warning',
      [`${claude}-5h-utilization`]: '0.9114583',
      [`${claude}-5h-reset`]: String(nowSeconds + 3600),
      [`${claude}-7d-status`]: 'allowed',
      [`${claude}-7d-utilization`]: '0.26',
      [`${claude}-7d-reset`]: String(nowSeconds + 300_000),
      [`${claude}-7d_opus-utilization`]: '1.02',
      [`${claude}-overage-status`]: 'rejected',
    }
    assert.deepEqual(readPacing(headers, nowMs), [
      { window: '5h', usedShare: 0.9114583, state: 'warning', resetsAtMs: nowMs + 3_600_000 },
      { window: '7d', usedShare: 0.26, state: 'allowed', resetsAtMs: nowMs + 300_000_000 },
      { window: '7d_opus', usedShare: 1.02, state: null, resetsAtMs: null },
    ])
  })

  it('takes the one state without a window for the window that it names', () => {
    const headers = {
      [`${claude}-status`]: 'rejected',
      [`${claude}-reset`]: String(nowSeconds + 60),
      [`${claude}-representative-claim`]: 'seven_day',
    }
    assert.deepEqual(readPacing(headers, nowMs), [
      { window: '7d', usedShare: null, state: 'rejected', resetsAtMs: nowMs + 60_000 },
    ])
    assert.deepEqual(readPacing({ [`${claude}-status`]: 'rejected' }, nowMs), [])
  })

  it('reads per cent, length and reset of the two windows of Codex, the reset as a time or a distance', () => {
    const headers = {
      'x-codex-primary-used-percent': '37.5',
      'x-codex-primary-window-minutes': '300',
      'x-codex-primary-reset-after-seconds': '900',
      'x-codex-secondary-used-percent': '12',
      'x-codex-secondary-window-minutes': '10080',
      'x-codex-secondary-reset-at': String(nowSeconds + 7200),
    }
    assert.deepEqual(readPacing(headers, nowMs), [
      { window: '5h', usedShare: 0.375, state: null, resetsAtMs: nowMs + 900_000 },
      { window: '7d', usedShare: 0.12, state: null, resetsAtMs: nowMs + 7_200_000 },
    ])
    assert.deepEqual(readPacing({ 'x-codex-primary-used-percent': '1' }, nowMs)[0]?.window, 'primary')
    const absent = { 'x-codex-secondary-used-percent': '0', 'x-codex-secondary-window-minutes': '0' }
    assert.deepEqual(readPacing(absent, nowMs), [])
  })

  it('reads what is left of a rate limit, with resets in all their spellings', () => {
    const limited = (reset: string): object => ({
      'x-ratelimit-limit-tokens': '30000',
      'x-ratelimit-remaining-tokens': '22500',
      'x-ratelimit-reset-tokens': reset,
    })
    const resets: Record<string, number> = {
      '6m0s': 360_000,
      '2m59.56s': 179_560,
      '25000ms': 25_000,
      '1h2m3s': 3_723_000,
      '10s': 10_000,
      '1d': 86_400_000,
    }
    for (const [text, ms] of Object.entries(resets)) {
      assert.deepEqual(readPacing({ ...limited(text) }, nowMs), [
        { window: 'tokens', usedShare: 0.25, state: null, resetsAtMs: nowMs + ms },
      ])
    }
    for (const text of ['', '12', 'soon', '-1s', 's']) {
      assert.equal(readPacing({ ...limited(text) }, nowMs)[0]?.resetsAtMs, null, text)
    }
  })

  it('leaves out a rate limit that is whole again in a moment', () => {
    for (const reset of ['6ms', '9.999s', '1s']) {
      const headers = {
        'x-ratelimit-limit-requests': '100',
        'x-ratelimit-remaining-requests': '99',
        'x-ratelimit-reset-requests': reset,
      }
      assert.deepEqual(readPacing(headers, nowMs), [])
    }
  })

  it('says nothing of a window whose value is not exactly a value, and keeps the others', () => {
    for (const wrong of ['', ' 0.5', '-1', '1e3', '50%', 'NaN', '0x10', '11', '0.5, 0.6']) {
      const headers = { [`${claude}-5h-utilization`]: wrong, [`${claude}-7d-utilization`]: '0.5' }
      assert.deepEqual(
        readPacing(headers, nowMs).map(({ window }) => window),
        ['7d'],
        wrong,
      )
    }
    const twice = { [`${claude}-5h-utilization`]: ['0.5', '0.6'] }
    assert.deepEqual(readPacing(twice, nowMs), [])
  })

  it('leaves out a window whose reset has passed or lies beyond any window', () => {
    for (const reset of [nowSeconds, nowSeconds - 1, nowSeconds + 41 * 86_400]) {
      const headers = { [`${claude}-5h-utilization`]: '0.5', [`${claude}-5h-reset`]: String(reset) }
      assert.deepEqual(readPacing(headers, nowMs), [])
    }
  })

  it('yields at most eight sound windows, whatever the headers are', () => {
    const name = fc.oneof(
      fc.string(),
      fc.stringMatching(/^anthropic-ratelimit-unified-\d{1,3}[hd](_[a-z]{1,4})?-(utilization|status|reset)$/),
      fc.constantFrom(
        'x-codex-primary-used-percent',
        'x-codex-primary-window-minutes',
        'x-ratelimit-limit-tokens',
        'x-ratelimit-remaining-tokens',
        'x-ratelimit-reset-tokens',
      ),
    )
    const value = fc.oneof(fc.string(), fc.stringMatching(/^\d{1,12}(\.\d{1,3})?$/), fc.constantFrom('allowed', '1m2s'))
    fc.assert(
      fc.property(fc.dictionary(name, value), (headers) => {
        const found = readPacing(headers, nowMs)
        assert.ok(found.length <= 8)
        for (const { window, usedShare, resetsAtMs } of found) {
          assert.match(window, /^[a-z0-9_]{1,24}$/)
          assert.ok(usedShare === null || (usedShare >= 0 && usedShare <= 10))
          assert.ok(resetsAtMs === null || resetsAtMs > nowMs)
        }
      }),
    )
  })
})

describe('the pacing of upstreams', () => {
  const used = (share: string, inSeconds: number): Record<string, string> => ({
    [`${claude}-5h-utilization`]: share,
    [`${claude}-5h-reset`]: String(nowSeconds + inSeconds),
  })

  it('is the latest word on each window, and ends with its reset', () => {
    const book = new PacingBook()
    book.saw('anthropic', used('0.2', 3600), nowMs)
    book.saw('other', used('0.7', 60), nowMs)
    book.saw('anthropic', used('0.3', 3600), nowMs + 1000)
    book.saw('anthropic', { 'content-type': 'application/json' }, nowMs + 2000)
    assert.deepEqual(
      book.current(nowMs + 2000).map(({ upstream, usedShare, seenAtMs }) => [upstream, usedShare, seenAtMs]),
      [
        ['anthropic', 0.3, nowMs + 1000],
        ['other', 0.7, nowMs],
      ],
    )
    assert.deepEqual(
      book.current(nowMs + 60_000).map(({ upstream }) => upstream),
      ['anthropic'],
    )
    assert.deepEqual(book.current(nowMs + 3_600_000), [])
  })

  it('is believed for an hour where no reset was said', () => {
    const book = new PacingBook()
    book.saw('anthropic', { [`${claude}-7d-utilization`]: '0.5' }, nowMs)
    assert.equal(book.current(nowMs + 3_599_999).length, 1)
    assert.equal(book.current(nowMs + 3_600_000).length, 0)
  })
})
