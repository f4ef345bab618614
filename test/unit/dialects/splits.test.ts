import assert from 'node:assert/strict'
import fc from 'fast-check'
import { plain, readAnswer, readPieces } from './builders.ts'
import { transcripts } from './transcripts.ts'

describe('answers that arrive in pieces', () => {
  for (const { name, dialect, form, body } of transcripts) {
    const bytes = Buffer.from(body)
    const whole = plain(readAnswer(dialect, form, body))

    it(`${name}: is read completely and ends cleanly`, () => {
      assert.deepEqual(
        [whole['inputKnown'], whole['outputKnown'], whole['terminal'], whole['streamError']],
        [true, true, true, null],
      )
    })
    it(`F01: ${name}: reads the same when it is split at every byte`, () => {
      for (let at = 1; at < bytes.length; at += 1) {
        assert.deepEqual(
          plain(readPieces(dialect, form, [bytes.subarray(0, at), bytes.subarray(at)])),
          whole,
          `at byte ${at}`,
        )
      }
    })
    it(`F01: ${name}: reads the same byte by byte, and in any pieces`, () => {
      assert.deepEqual(
        plain(
          readPieces(
            dialect,
            form,
            Array.from(bytes, (byte) => Uint8Array.of(byte)),
          ),
        ),
        whole,
      )
      fc.assert(
        fc.property(fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 12 }), (cuts) => {
          const places = [0, ...cuts.toSorted((left, right) => left - right), bytes.length]
          const pieces = places.slice(1).map((end, index) => bytes.subarray(places[index], end))
          assert.deepEqual(plain(readPieces(dialect, form, pieces)), whole)
        }),
        { numRuns: 50 },
      )
    })
    if (form === 'sse') {
      for (const [said, ending] of [
        ['CRLF', '\r\n'],
        ['a lone CR', '\r'],
      ] as const) {
        it(`F02: ${name}: reads the same with ${said}, split at every byte`, () => {
          const other = Buffer.from(body.replaceAll('\n', ending))
          for (let at = 0; at < other.length; at += 1) {
            assert.deepEqual(
              plain(readPieces(dialect, form, [other.subarray(0, at), other.subarray(at)])),
              whole,
              `at byte ${at}`,
            )
          }
        })
      }
      it(`F04: ${name}: takes comments and pings for nothing`, () => {
        const noisy = body.replaceAll(
          /(^|\n\n)(?=.)/g,
          '$1:\n\n: OPENROUTER PROCESSING\n\n: ping - 2026\nevent: ping\ndata: {"type": "ping"}\n\n',
        )
        assert.deepEqual(plain(readAnswer(dialect, form, noisy)), whole)
      })
    }
    if (form === 'ndjson') {
      it(`I08: ${name}: reads the same with CRLF, blank lines and no line end after the last`, () => {
        assert.deepEqual(plain(readAnswer(dialect, form, body.replaceAll('\n', '\r\n\r\n').trimEnd())), whole)
      })
    }
    it(`${name}: never throws, whatever bytes come instead`, () => {
      fc.assert(
        fc.property(
          fc.array(
            fc.oneof(
              fc.uint8Array(),
              fc.constant(bytes.subarray(0, 40)),
              fc.constant(Buffer.from('\n\n')),
              fc.json().map((json) => Buffer.from(`data: ${json}\n\n`)),
            ),
          ),
          (pieces) => {
            assert.equal(typeof readPieces(dialect, form, pieces).terminal, 'boolean')
          },
        ),
        { numRuns: 50 },
      )
    })
  }
})
