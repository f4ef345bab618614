import assert from 'node:assert/strict'
import fc from 'fast-check'
import { plain, plainName } from '../../../extension/ui/tooltipTable.ts'

/** What markdown shows: each backslash before a sign is taken away. */
function shown(markdown: string): string {
  return markdown.replace(/\\([!-/:-@[-`{-~])/g, '$1')
}

describe('text from outside in the tooltip', () => {
  it('has no power in markdown, and is shown as it is', () => {
    const hostile = '[Resume](command:tollgate.resume) <img src=x> **b** `c` | ![d](http://e/f.png) &amp; ~~g~~ # h'
    assert.equal(shown(plain(hostile)), hostile)
    assert.doesNotMatch(plain(hostile), /(?<!\\)[[\]()<>*`|!&~#]/)
  })

  it('is no link by itself', () => {
    assert.equal(plain('https://evil.example'), 'https\\://evil.example')
    assert.equal(plain('x_www.evil.example and WWW.evil.example'), 'x\\_www\\.evil.example and WWW\\.evil.example')
    assert.equal(plain('me@evil.example'), 'me\\@evil.example')
  })

  it('puts no icon into the tooltip: the backslash that stops one is still there after markdown was read', () => {
    assert.equal(shown(plain('$(zap)')), '\\$(zap)')
  })

  it('is one line, without signs that turn the text around', () => {
    assert.equal(plain('a\r\n\nb\u2028c\u202ed\u0000'), 'a b c d ')
  })

  it('leaves no sign of markdown bare, whatever a client sends', () => {
    const unit = fc.oneof(
      fc.constantFrom('www.', 'https://', '$(', '](', '\\', '\n', '\u202e', '|', '`', '<', '&', 'a', '.', '@', '😀'),
      fc.string({ maxLength: 3 }),
    )
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 20 }), (units) => {
        const markdown = plain(units.join(''))
        const bare = markdown.replace(/\\./gsu, '')
        assert.doesNotMatch(bare, /[[\]()<>*_`|!&~#+{}:@\\]|\p{C}/u)
        assert.doesNotMatch(markdown, /www\./i)
      }),
    )
  })

  it('is not broken at the hyphens of a name that fits into a line; a long one may be', () => {
    assert.equal(plainName('term-1130-3'), 'term\u20111130\u20113')
    assert.equal(plainName('claude-haiku-4-5-20251001'), 'claude-haiku-4-5-20251001'.replaceAll('-', '\u2011'))
    assert.equal(plainName(`${'long-'.repeat(8)}name`), `${'long-'.repeat(8)}name`)
    assert.equal(plain('a-b'), 'a-b')
  })

  it('is cut where a name is longer than a cell bears, and between letters', () => {
    assert.equal(plainName('a'.repeat(60)), 'a'.repeat(60))
    assert.equal(plainName('😀'.repeat(31)), `${'😀'.repeat(29)}…`)
    assert.equal(plainName('b'.repeat(100_000)).length, 60)
  })
})
