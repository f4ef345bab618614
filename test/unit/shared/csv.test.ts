import assert from 'node:assert/strict'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { csvText } from '../../../shared/csv.ts'

/** A cell that a spreadsheet works out: a sign at its start, with what is dropped before it, and no number. */
const formula = /^[\s\p{Cc}\p{Cf}"]*[=+\-@＝＋－＠]/u
const isFormula = (cell: string): boolean => formula.test(cell) && !/^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(cell)

/** What a program sees whose cells end at one sign, whatever stands in quotes beyond their start. */
const cellsBy = (separator: string, text: string): string[][] =>
  parse(text, {
    delimiter: separator,
    recordDelimiter: ['\r\n', '\n', '\r'],
    relax_quotes: true,
    relax_column_count: true,
  })

describe('a text in a CSV file', () => {
  it('is quoted where it holds a quote, a line break or what separates cells', () => {
    for (const [text, cell] of [
      ['plain name', 'plain name'],
      ['a,b', '"a,b"'],
      ['a;b', '"a;b"'],
      ['a\tb', '"a\tb"'],
      ['say "hi"', '"say ""hi"""'],
      ['two\nlines', '"two\nlines"'],
      ['', ''],
    ]) {
      assert.equal(csvText(text!), cell)
    }
  })

  it('is no formula at its start, also behind blanks, a line feed, a quote or in double width', () => {
    for (const text of [
      '=1+1',
      '+a',
      '-a',
      '@SUM(A1)',
      ' =1+1',
      '\u00a0=1',
      '\u200b=1',
      '＝1+1',
      '＋a',
      '－a',
      '＠a',
    ]) {
      assert.equal(csvText(text), `'${text}`)
    }
    assert.equal(csvText('"=1'), `"'""=1"`)
    for (const text of ['\t=1', '\r=1', '\n=1']) assert.equal(csvText(text), `"'${text[0]}'=1"`)
    assert.equal(csvText('\tname'), `"'\tname"`)
  })

  it('is no formula in its middle where the semicolon ends a cell, as in a German Excel', () => {
    const cell = csvText("x;=cmd|'/C calc'!A0;y")
    assert.equal(cell, `"x;'=cmd|'/C calc'!A0;y"`)
    assert.deepEqual(cellsBy(';', `2026-11-30,${cell},1\n`), [['2026-11-30,"x', "'=cmd|'/C calc'!A0", 'y",1']])
    assert.equal(csvText('x; "=1"'), `"x;' ""=1"""`)
    assert.equal(csvText('x\t=1'), `"x\t'=1"`)
    assert.equal(csvText('x\n=1'), `"x\n'=1"`)
  })

  it('stays a number where it is one, below zero too', () => {
    for (const text of ['5', '-5', '+5', '-0.25', '-5e-7', '007']) assert.equal(csvText(text), text)
    assert.equal(csvText('a;-5;b'), '"a;-5;b"')
    for (const text of ['-5-1', '-5+A1', '--5', '-', '+49 30']) assert.equal(csvText(text), `'${text}`)
  })

  it('leaves signs inside of a text alone', () => {
    for (const text of ['claude-opus-5', 'a=b', 'ada@example', 'gpt-4o+']) assert.equal(csvText(text), text)
  })

  const parts = ['=', '+1', '-', '@', '＝', ';', '\t', '\n', '\r', '"', ' ', ',', 'a', '5', "'", '\u200b']
  const anyText = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(fc.constantFrom(...parts)).map((all) => all.join('')),
  )

  it('is a formula nowhere, whatever ends a cell (property)', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const cell of csvText(text)
          .replace(/^"|"$/g, '')
          .split(/[;\t\r\n]/))
          assert.ok(!isFormula(cell), cell)
      }),
      { numRuns: 2000 },
    )
  })

  it('comes back with nothing but apostrophes added (property)', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const [[cell = ''] = []]: string[][] = parse(`${csvText(text)},end\r\n`, { recordDelimiter: '\r\n' })
        assert.equal(cell.replaceAll("'", ''), text.replaceAll("'", ''))
        if (!/[=+\-@＝＋－＠\t\r\n]/.test(text)) assert.equal(cell, text)
      }),
      { numRuns: 2000 },
    )
  })
})
