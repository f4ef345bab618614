import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { packReadme } from '../../../extension/packedReadme.ts'

describe('the README of the package', () => {
  it('leaves the pictures of the repository out', () => {
    assert.equal(packReadme('a\n\n![The first: one](media/one.png)\n\n- b'), 'a\n\n\n\n- b')
  })

  it('names the files that the repository links to', () => {
    assert.equal(packReadme('See [docs/cli.md](docs/cli.md).'), 'See `docs/cli.md`.')
    assert.equal(packReadme('| [`docs/cli.md`](docs/cli.md#run) | commands |'), '| `docs/cli.md` | commands |')
    assert.equal(
      packReadme('[the codes](docs/refusals.md#codes), [x](../x.md)'),
      'the codes (`docs/refusals.md`), x (`../x.md`)',
    )
  })

  it('keeps what leads somewhere: addresses and anchors', () => {
    const kept = '[a](https://example.com/x.md) [b](#budgets) [c](mailto:a@example.com) ![d](https://example.com/d.png)'
    assert.equal(packReadme(kept), kept)
  })

  it('leaves code alone', () => {
    const code = ['`[a](docs/cli.md)` and `one', 'two ![b](b.png)`', '', '```md', '[c](docs/cli.md)', '```', ''].join(
      '\n',
    )
    assert.equal(packReadme(`${code}[d](docs/cli.md)`), `${code}d (\`docs/cli.md\`)`)
    // A lone backtick begins no code.
    assert.equal(packReadme('a ` b\n\n[docs/cli.md](docs/cli.md) `c`'), 'a ` b\n\n`docs/cli.md` `c`')
  })

  it('is made of the README as it is: no relative path is left, and the text is the same', () => {
    const markdown = readFileSync('README.md', 'utf8')
    const packed = packReadme(markdown)
    assert.notEqual(packed, markdown)
    for (const [, target] of packed.matchAll(/\]\(([^)]+)\)/g)) assert.match(target!, /^(?:https:|#)/)
    assert.doesNotMatch(packed, /<(?:img|a)\b|^\[[^\]]+\]:/m, 'pictures and links are written as Markdown, in place')
    const words = (text: string): string =>
      text.replace(/!\[[^\]]*\]\([^)]*\)/g, '').replace(/\[([^\]]+)\]\(\1\)/g, '`$1`')
    assert.equal(packed, words(markdown))
  })
})
