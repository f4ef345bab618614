import assert from 'node:assert/strict'
import fc from 'fast-check'
import { withoutVolatile } from '../../../daemon/transcript/volatile.ts'

/** Pairs that are one state: only what changes by itself differs. */
const same: Readonly<Record<string, readonly [string, string]>> = {
  'ISO times': ['at 2026-12-01T10:15:30.123Z done', 'at 2026-12-02T11:00:00Z done'],
  'log times': ['2026-12-01 10:15:30,123 ERROR x', '2026-12-01 10:16:31,001 ERROR x'],
  'times with an offset': ['2026-12-01T10:15:30+01:00', '2026-12-01T10:15:31+01:00'],
  'clock times': ['[10:15:30] ok', '[23:59:59.999] ok'],
  'times of day': ['as of 3:05 PM', 'as of 11:40 PM'],
  'epoch milliseconds that say so': ['{"timestamp": 1764583000123}', '{"timestamp": 1764583001456}'],
  'epoch seconds that say so': ['created_at=1764583000', 'created_at=1764583999'],
  milliseconds: ['12 passing (340ms)', '12 passing (1204ms)'],
  'seconds with a fraction': ['Time: 0.53 s', 'Time: 12.1 s'],
  'minutes and seconds': ['real 0m0.003s', 'real 1m23.4s'],
  'hours and minutes': ['up 2h5m', 'up 13h41m'],
  'durations in fields': ['{"duration_seconds":1.25}', '{"duration_seconds":0.4}'],
  'how long ago': ['updated 3 minutes ago', 'updated 41 minutes ago'],
  pids: ['started with pid 4242', 'started with pid 17'],
  'pids in JSON': ['{"pid": 4242}', '{"pid": 17}'],
  "Node's warnings": ['(node:812) Warning', '(node:99121) Warning'],
  "a sanitizer's marks": ['==812== ERROR', '==9112== ERROR'],
  'temporary folders': ['cannot open /tmp/tmpab12cd/x.txt', 'cannot open /tmp/tmpzz98qq/x.txt'],
  'temporary folders of macOS': ['/var/folders/ab/c0ffee/T/a1b2c3/x', '/var/folders/ab/c0ffee/T/d4e5f6/x'],
  'temporary folders of Windows': [
    'C:\\Users\\ada\\AppData\\Local\\Temp\\a1b2\\x',
    'C:\\Users\\ada\\AppData\\Local\\Temp\\c3d4\\x',
  ],
  'folders of pytest': ['/tmp/pytest-of-ada/pytest-11/x', '/tmp/pytest-of-ada/pytest-12/x'],
  addresses: ['<Task at 0x7f3c2a1b0d90>', '<Task at 0x7f3c2a1b0e10>'],
  'chosen ports': ['listening on localhost:54321', 'listening on localhost:49152'],
  'request ids': ['{"request_id":"req_a1b2c3d4"}', '{"request_id":"req_e5f6a7b8"}'],
  'space at the end': ['done\n', 'done'],
}

/** Pairs that are two states: the difference may be progress. */
const different: Readonly<Record<string, readonly [string, string]>> = {
  percentages: ['12% of 40 MB', '57% of 40 MB'],
  sizes: ['1712345678 bytes', '1799999999 bytes'],
  counts: ['3 failed, 9 passed', '2 failed, 10 passed'],
  'lines and columns': ['src/a.ts:10:32: error', 'src/a.ts:17:32: error'],
  'three numbers after a colon': ['main.c:10:15:30 note', 'main.c:10:15:31 note'],
  'dates without a time': ['next run 2026-12-01', 'next run 2026-12-02'],
  'remaining time': ['running, 3 minutes remaining', 'running, 2 minutes remaining'],
  'expected arrival': ['ETA 00:03:10', 'ETA 00:02:50'],
  'seconds left': ['remaining: 42s', 'remaining: 12s'],
  UUIDs: ['{"id":"6f1c2d3e-0000-4000-8000-000000000001"}', '{"id":"6f1c2d3e-0000-4000-8000-000000000002"}'],
  'numbered files in a temporary folder': ['wrote /tmp/page-3.json', 'wrote /tmp/page-4.json'],
  'fixed ports': ['localhost:8080 refused', 'localhost:8081 refused'],
  'hashes of commits': ['HEAD is now at 1a2b3c4', 'HEAD is now at 9f8e7d6'],
  versions: ['added left-pad@1.2.3', 'added left-pad@1.2.4'],
}

describe('a result without what changes by itself', () => {
  for (const [kind, [one, other]] of Object.entries(same)) {
    it(`is the same whatever the ${kind}`, () => {
      assert.notEqual(one, other)
      assert.equal(withoutVolatile(one), withoutVolatile(other))
    })
  }

  for (const [kind, [one, other]] of Object.entries(different)) {
    it(`is another with other ${kind}`, () => {
      assert.notEqual(withoutVolatile(one), withoutVolatile(other))
    })
  }

  it('is looked at from both ends where it is large; between them the length counts', () => {
    const filler = 'x'.repeat(400_000)
    const large = (head: string, middle: string, tail: string): string =>
      withoutVolatile(`${head}${filler}${middle}${filler}${tail}`)
    assert.ok(large('a', 'b', 'c').length < 140_000)
    assert.equal(large('10:15:30 a', 'b', 'c took 12 ms'), large('10:15:31 a', 'd', 'c took 99 ms'))
    assert.notEqual(large('a', 'b', 'c'), large('b', 'b', 'c'))
    assert.notEqual(large('a', 'b', 'c'), large('a', 'b', 'd'))
    assert.notEqual(large('a', 'b', 'c'), large('a', 'bb', 'c'))
  })

  it('is not changed where nothing volatile is in it', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-zA-Z ,;!?-]{0,200}$/), (text) => {
        assert.equal(withoutVolatile(text), text.trimEnd())
      }),
    )
  })
})
