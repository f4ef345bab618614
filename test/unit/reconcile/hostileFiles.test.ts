import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { readInvoiceFile } from '../../../daemon/commands/reconcile/invoiceFile.ts'
import { UnreadableInvoice } from '../../../daemon/reconcile/invoice.ts'
import { readInvoice } from '../../../daemon/reconcile/readInvoice.ts'
import { usdAmount, utcDay } from '../../../daemon/reconcile/values.ts'

const openrouter = 'created_at,cost_total,model_permaslug\n'

/** The sentence of a text that cannot be read. */
function problemOf(text: string): string {
  try {
    readInvoice(text)
  } catch (fault) {
    assert.ok(fault instanceof UnreadableInvoice, String(fault))
    return fault.message
  }
  return assert.fail('it was read')
}

describe('an odd export', () => {
  it('is read with a byte order mark, CRLF, other delimiters and columns that nobody knows', () => {
    const plain = readInvoice(`${openrouter}2026-11-02,1.5,gpt-5\n`)
    for (const text of [
      `\uFEFF${openrouter}2026-11-02,1.5,gpt-5\n`,
      `${openrouter}2026-11-02,1.5,gpt-5`.replaceAll('\n', '\r\n'),
      `${openrouter}2026-11-02,1.5,gpt-5\n\n\n`.replaceAll(',', ';'),
      `${openrouter}2026-11-02,1.5,gpt-5`.replaceAll(',', '\t'),
      'note,CREATED_AT,__proto__,cost_total,model_permaslug\n"a\n""b"", c",2026-11-02,x,1.5,gpt-5\n',
    ]) {
      assert.deepEqual(readInvoice(text), plain, JSON.stringify(text))
    }
  })

  it('is refused with the line of the cell, counted with the line feeds inside cells', () => {
    assert.equal(
      problemOf(`${openrouter}2026-11-02,1.5,"gpt\r\n5"\r\n\r\n2026-11-03,"1,234.56",gpt-5\n`),
      'Line 5: cost_total has a thousands separator or a decimal comma: "1,234.56". Export plain numbers such as 1234.56.',
    )
    assert.equal(problemOf(`${openrouter}2026-11-02,1.5\n`), 'Line 2 has 2 cells where the first line names 3 columns.')
    assert.match(
      problemOf(`${openrouter}11/02/2026,1.5,a\n`),
      /^Line 2: created_at must be a date such as 2026-11-30, .* not "11\/02\/2026"\.$/,
    )
    assert.equal(
      problemOf(`${openrouter}2026-11-02,"1`),
      'The file is no CSV near line 2: a quote is not closed or stands inside a cell.',
    )
  })

  it('is refused where it is empty, cut off, an error or no text', () => {
    assert.equal(problemOf(''), 'The file is empty.')
    assert.equal(problemOf(' \r\n\uFEFF'), 'The file is empty.')
    assert.match(problemOf('{"data":['), /may be cut off/)
    assert.match(
      problemOf('{"error":{"message":"invalid x-api-key"}}'),
      /an error of the provider: "invalid x-api-key"/,
    )
    assert.match(problemOf('PK\u0003\u0004\u0000\u0000'), /no text in UTF-8/)
  })

  it('is named as what it is where it is another format', () => {
    assert.match(
      problemOf('foo,bar\n1,2\n'),
      /^The file is a CSV with the columns "foo", "bar", which is no known export\. Known: .*--map/,
    )
    assert.match(
      problemOf('usage_date_utc,model,token_type\n'),
      /^The file looks like Anthropic cost report \(CSV\), but has not \(or twice\) the column cost_usd\./,
    )
    assert.match(
      problemOf('{"data":[{"results":[{"a":1}]}]}'),
      /^The file is JSON with results with "a", which is no known export/,
    )
    assert.match(problemOf('[1]'), /^The file is JSON without a list "data" of days/)
    assert.match(problemOf('{"data":[{"id":1}]}'), /^data\[0\] has no list "results"/)
  })

  it('is refused where a needed column is there twice, because nobody could say which is meant', () => {
    assert.match(
      problemOf('created_at,cost_total,cost_total,model_permaslug\n'),
      /has not \(or twice\) the column cost_total/,
    )
  })
})

describe('a file', () => {
  let folder: string
  before(() => (folder = mkdtempSync(join(tmpdir(), 'tollgate-invoice-'))))
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('of 100 MB is refused by its size, before it is read', () => {
    const file = join(folder, 'large.csv')
    writeFileSync(file, '')
    truncateSync(file, 100 * 1024 * 1024)
    assert.throws(() => readInvoiceFile(file), {
      message: `${file} has 100 MB, and at most 50 MB are read: export fewer days or less detail.`,
    })
  })

  it('that is not there, a folder, or in another encoding is refused with a sentence', () => {
    assert.throws(() => readInvoiceFile(join(folder, 'none.csv')), /none\.csv cannot be read: ENOENT/)
    mkdirSync(join(folder, 'inner'))
    assert.throws(() => readInvoiceFile(join(folder, 'inner')), UnreadableInvoice)
    writeFileSync(join(folder, 'latin.csv'), Buffer.from([0x61, 0xe4, 0x0a]))
    assert.throws(() => readInvoiceFile(join(folder, 'latin.csv')), /latin\.csv is no text in UTF-8/)
  })
})

describe('an amount', () => {
  it('is exact to the nano-dollar, with a sign, an exponent or a dollar sign', () => {
    for (const [text, nano] of [
      ['0.8958740000000000', 895_874_000],
      ['-0.5', -500_000_000],
      ['$1.50', 1_500_000_000],
      ['-$1.50', -1_500_000_000],
      ['1.2e-7', 120],
      ['.25', 250_000_000],
      ['-0.0', 0],
      ['0.1234567891', 123_456_789],
    ] as const) {
      assert.equal(usdAmount(text, 'x'), nano, text)
    }
    assert.equal(usdAmount(' ', 'x'), null)
  })

  it('is never guessed', () => {
    for (const text of [
      '1,5',
      '1.234,56',
      "1'000",
      '1 000',
      '--1',
      '-$-1',
      '1.2.3',
      'NaN',
      'Infinity',
      '1e400',
      '0x10',
      '(1.50)',
      '1.5 USD',
      '-',
    ])
      assert.throws(() => usdAmount(text, 'Line 3: usd'), /^UnreadableInvoice: Line 3: usd /, text)
    for (const value of [Number.NaN, Infinity, true, {}, []])
      assert.throws(() => usdAmount(value, 'x'), UnreadableInvoice)
  })

  it('comes out as it was written, whatever it is', () => {
    fc.assert(
      fc.property(fc.integer({ min: -9_000_000_000_000_000, max: 9_000_000_000_000_000 }), (nano) => {
        const sign = nano < 0 ? '-' : ''
        const digits = String(Math.abs(nano)).padStart(10, '0')
        assert.equal(usdAmount(`${sign}${digits.slice(0, -9)}.${digits.slice(-9)}`, 'x'), nano)
      }),
    )
  })
})

describe('a day', () => {
  it('is the UTC day of a date, a time with or without a zone, or seconds', () => {
    for (const [value, day] of [
      ['2026-11-30', '2026-11-30'],
      ['2026-11-30 23:59:59.999', '2026-11-30'],
      ['2026-11-30T23:30:00-02:00', '2026-12-01'],
      ['2026-12-01T00:30:00+0100', '2026-11-30'],
      ['2026-11-30 00:00:00 UTC', '2026-11-30'],
      ['1793577600', '2026-11-02'],
      [1_793_577_599, '2026-11-01'],
    ] as const) {
      assert.equal(utcDay(value, 'x'), day, String(value))
    }
  })

  it('that is none is refused', () => {
    for (const value of [
      '2026-11-31',
      '2026-13-01',
      '30.11.2026',
      '11/30/2026',
      '',
      'November',
      '2026-11-30T25:00',
      null,
      -1,
      1e15,
    ])
      assert.throws(() => utcDay(value, 'x'), UnreadableInvoice, String(value))
  })
})

describe('any file', () => {
  it('is read or refused with a sentence, and never anything else', () => {
    const pieces = fc.constantFrom(
      ...[
        'created_at',
        'cost_total',
        'model_permaslug',
        'usage_date_utc',
        'model',
        'cost_usd',
        'token_type',
        'start_time',
      ],
      ...['amount_value', 'amount_currency', ',', ';', '\n', '\r\n', '"', '{', '}', '[', ']', '"data":', '"results":'],
      ...['2026-11-02', '1.5', '-', 'e', ' ', '\uFEFF', '\u0000', '🙂'],
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(pieces, fc.string({ maxLength: 5 })), { maxLength: 60 }), (parts) => {
        try {
          for (const { amount } of readInvoice(parts.join('')).rows) assert.ok(Number.isSafeInteger(amount))
        } catch (fault) {
          assert.ok(fault instanceof UnreadableInvoice, String(fault))
          assert.match(fault.message, /^[^\n]{10,}[.…]$/)
        }
      }),
      { numRuns: 500 },
    )
  })
})
