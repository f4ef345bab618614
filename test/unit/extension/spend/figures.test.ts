import assert from 'node:assert/strict'
import { createNumbers } from '../../../../extension/dashboard/numbers.ts'
import { localiserIn } from '../../../../extension/text/localiser.ts'
import { createText } from '../../../../extension/text/text.ts'
import { createFigures } from '../../../../extension/ui/figures.ts'

/** No-break spaces as plain ones: which of them a language takes differs between versions of its data. */
function plain(texts: readonly string[]): readonly string[] {
  return texts.map((text) => text.replace(/\s/gu, ' '))
}

describe('figures of the Spend view', () => {
  it('never write an amount of money above 0 as nothing', () => {
    const figures = createFigures('en')
    assert.deepEqual(
      [0, 0.00002, 0.00005, 0.0032, 0.01, 1.84].map((amount) => figures.eur(amount)),
      ['€0.00', '<€0.0001', '€0.0001', '€0.0032', '€0.01', '€1.84'],
    )
  })

  it('write moments of a table with seconds, of the same width', () => {
    const figures = createFigures('en')
    const stamps = ['2026-01-02T03:04:05.000Z', '2026-11-30T22:59:59.000Z'].map((iso) => figures.stamp(iso))
    assert.match(stamps[0]!, /:\d\d:05$/)
    assert.equal(stamps[0]!.length, stamps[1]!.length)
    assert.equal(figures.stamp('never'), 'never')
  })

  it('write a calendar date in the language, whatever the zone of the machine', () => {
    assert.equal(createFigures('en').day('2026-11-01'), 'Nov 1, 2026')
    assert.equal(createFigures('de').day('2026-11-01'), '01.11.2026')
    assert.equal(createFigures('en').day('soon'), 'soon')
  })

  it('never write what was spent of a cap as nothing, on whichever side the currency stands', () => {
    const of = (language: string): readonly string[] => {
      const figures = createFigures(language)
      return plain([
        figures.eurOf(8.1, 10),
        figures.eurOf(0.0032, 10),
        figures.eurOf(0.00001, 10),
        figures.eurOf(0.002, 0.005),
      ])
    }
    assert.deepEqual(of('en'), ['€8.10/10.00', '€0.0032/10.00', '<€0.0001/10.00', '€0.0020/0.0050'])
    assert.deepEqual(of('de'), ['8,10/10,00 €', '0,0032/10,00 €', '<0,0001/10,00 €', '0,0020/0,0050 €'])
    assert.deepEqual(of('tr'), ['€8,10/10,00', '€0,0032/10,00', '<€0,0001/10,00', '€0,0020/0,0050'])
  })

  it('call the currency by its name in the language, and one that has none there by its code', () => {
    const names = (language: string): readonly string[] =>
      ['EUR', 'USD', 'CHF', 'XYZ', 'none'].map((currency) => createFigures(language, currency).currency)
    assert.deepEqual(names('en'), ['euros', 'US dollars', 'Swiss francs', 'XYZ', 'euros'])
    assert.deepEqual(names('de'), ['Euro', 'US-Dollar', 'Schweizer Franken', 'XYZ', 'Euro'])
    assert.deepEqual(names('tr'), ['Euro', 'ABD doları', 'İsviçre frangı', 'XYZ', 'Euro'])
  })

  it('write a moment to the second as they write it to the minute, with the date where that is another day', () => {
    const [iso, nowMs] = ['2026-11-30T09:14:32.000Z', Date.parse('2026-11-30T12:00:00.000Z')]
    const figures = createFigures('en')
    assert.match(figures.whenExactly(iso, nowMs), /^\d\d:14:32/)
    assert.match(figures.whenExactly(iso, nowMs + 3 * 86_400_000), /^November (29|30|1) at \d\d:14:32/)
    assert.equal(figures.whenExactly('never', nowMs), 'never')
  })

  it('have four decimals below a cent, and none of them where they would round to one', () => {
    const figures = createFigures('en')
    assert.deepEqual(
      [0.0099, 0.00994, 0.00996].map((amount) => figures.eur(amount)),
      ['€0.0099', '€0.0099', '€0.01'],
    )
  })

  for (const [language, shown] of [
    ['en', ['€1.84', '€?', '128k', '1.2M', '38,980', '2.5', '36%']],
    ['de', ['1,84 €', '? €', '128k', '1,2M', '38.980', '2,5', '36 %']],
    ['tr', ['€1,84', '€?', '128k', '1,2M', '38.980', '2,5', '%36']],
  ] as const) {
    it(`are of the user's language: ${language}`, () => {
      const figures = createFigures(language)
      assert.deepEqual(
        plain([
          figures.eur(1.84),
          figures.unknownEur,
          figures.tokens(128_000),
          figures.tokens(1_234_567),
          figures.whole(38_980),
          figures.amount(2.5),
          figures.percent(0.36),
        ]),
        shown,
      )
    })
  }

  it('are of the currency of the gate', () => {
    const figures = createFigures('de', 'USD')
    assert.deepEqual(plain([figures.eur(1.84), figures.unknownEur, figures.eurOf(1, 10)]), [
      '1,84 $',
      '? $',
      '1,00/10,00 $',
    ])
  })

  it('stand in sentences as they stand alone, and ids of processes as they are', () => {
    const german = createText(
      localiserIn(createFigures('de'), {
        t: (message, ...args) => message.replace(/\{(\d)\}/g, (_, index: string) => String(args[Number(index)])),
      }),
    )
    assert.match(german.stopped(5, 1204), /^5 calls stopped in 1\.204 ms\./)
    assert.match(german.processEnded('python3', 40_123), /\(40123\)/)
    assert.equal(german.reasonExit(3_221_225_477, ''), 'It ended with code 3221225477.')
  })
})

describe('numbers of the dashboard', () => {
  for (const [language, shown] of [
    ['en', ['-3.1%', '+4%', '1.034', 'Mon, Nov 30, 2026', 'November 2026']],
    ['de', ['-3,1 %', '+4 %', '1,034', 'Mo., 30. Nov. 2026', 'November 2026']],
    ['tr', ['-%3,1', '+%4', '1,034', '30 Kas 2026 Pzt', 'Kasım 2026']],
  ] as const) {
    it(`are of the user's language: ${language}`, () => {
      const numbers = createNumbers(language, 'EUR', 'Europe/Berlin')
      assert.deepEqual(
        plain([
          numbers.of('signedPercent', -0.031),
          numbers.of('signedPercent', 0.04),
          numbers.ratio(1.0342),
          numbers.bucket('day', '2026-11-30'),
          numbers.bucket('month', '2026-11'),
        ]),
        shown,
      )
    })
  }
})
