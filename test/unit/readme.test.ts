import assert from 'node:assert/strict'
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Marketplace pages are read on phones, and the pictures are in every clone. */
const mostPictureBytes = 1_000_000

const documents = [
  ...readdirSync('.').filter((name) => name.endsWith('.md')),
  ...readdirSync('docs').map((name) => join('docs', name)),
].filter((name) => name.endsWith('.md'))

describe('the documents', () => {
  for (const document of documents) {
    it(`link only to what is there: ${document}`, () => {
      for (const link of linksOf(document).filter((one) => !/^https?:/.test(one))) {
        const [path = '', anchor] = link.split('#')
        const target = path === '' ? document : join(dirname(document), path)
        assert.ok(existsSync(target), `${link} leads nowhere`)
        if (anchor !== undefined) assert.ok(anchorsOf(target).includes(anchor), `${target} has no heading #${anchor}`)
      }
    })
  }

  it('show pictures that fit on a page, each with a text for who does not see it', () => {
    const pictures = [...readFileSync('README.md', 'utf8').matchAll(/!\[([^\]]*)\]\(([^)]+)\)/g)]
    assert.ok(pictures.length >= 3)
    for (const [, alternative = ''] of pictures) assert.ok(alternative.length > 20)
    const shown = pictures.map(([, , path = '']) => path)
    const bytes = shown.reduce((sum, path) => sum + statSync(path).size, 0)
    assert.ok(bytes < mostPictureBytes, `the pictures have ${bytes} bytes`)
    const kept = readdirSync(join('media', 'readme')).map((name) => `media/readme/${name}`)
    assert.deepEqual(kept.toSorted(), shown.toSorted(), 'every picture that is kept is shown')
  })
})

function linksOf(document: string): string[] {
  return [...textOf(document).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
}

/** Anchors of the headings, as GitHub makes them. */
function anchorsOf(document: string): string[] {
  return [...textOf(document).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-'),
  )
}

/** A document without its code, in which brackets mean something else. */
function textOf(document: string): string {
  return readFileSync(document, 'utf8').replace(/^```[\s\S]*?^```/gm, '')
}
