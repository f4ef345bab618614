import assert from 'node:assert/strict'
import fc from 'fast-check'
import { addFirst, itemsOf, removeItem, replaceItem } from '../../../daemon/config/listField.ts'
import { parseText } from '../../../daemon/config/parse.ts'

const path = ['prices', 'overrides'] as const
const fresh = { match: 'new', prices: { input_mtok: 1, output_mtok: 2 } }
const line = '{ "match": "new", "prices": { "input_mtok": 1, "output_mtok": 2 } }'

/** The items as a test compares them: the parser's objects have no prototype. */
function plainItems(...asked: Parameters<typeof itemsOf>): ReturnType<typeof itemsOf> {
  return JSON.parse(JSON.stringify(itemsOf(...asked))) as ReturnType<typeof itemsOf>
}

const commented = `{
  "plan": "agent", // for all
  "prices": {
    "overrides": [
      // ours
      { "match": "a" }, // first
      // theirs
      { "match": "b" } // second
    ],
  },
}
`

describe('a list in a configuration text', () => {
  it('gets a new item in front and keeps every other character', () => {
    assert.equal(
      addFirst(commented, path, fresh),
      commented.replace('"overrides": [\n', `"overrides": [\n      ${line},\n`),
    )
  })

  it('is made where there is none, in the layout of the text', () => {
    assert.equal(addFirst('{}\n', path, fresh), `{\n  "prices": {\n    "overrides": [\n      ${line}\n    ]\n  }\n}\n`)
    assert.equal(
      addFirst('{\r\n\t"prices": { "overrides": [] } // x\r\n}', path, fresh),
      `{\r\n\t"prices": { "overrides": [\r\n\t\t${line}\r\n\t] } // x\r\n}`,
    )
  })

  it('keeps a comment in an empty list', () => {
    const text = '{\n  "prices": {\n    "overrides": [\n      // none yet\n    ]\n  }\n}'
    assert.equal(addFirst(text, path, fresh), text.replace('[\n', `[\n      ${line}\n`))
  })

  it('loses an item with its comma and the comment on its line, and no other comment', () => {
    assert.equal(removeItem(commented, path, 0), commented.replace('      { "match": "a" }, // first\n', ''))
    assert.equal(removeItem(commented, path, 1), commented.replace('      { "match": "b" } // second\n', ''))
  })

  it('loses an item of one line', () => {
    const text = '{"prices":{"overrides":[{"match":"a"}, {"match":"b"}]}}'
    assert.equal(removeItem(text, path, 0), '{"prices":{"overrides":[{"match":"b"}]}}')
    assert.deepEqual(plainItems(removeItem(text, path, 1), path), [{ match: 'a' }])
    assert.deepEqual(plainItems(removeItem('{"prices":{"overrides":[{"match":"a"}]}}', path, 0), path), [])
  })

  it('has an item replaced where it stands', () => {
    assert.equal(replaceItem(commented, path, 1, fresh), commented.replace('{ "match": "b" }', line))
  })

  it('is left alone where there is no such item', () => {
    assert.equal(removeItem(commented, path, 2), commented)
    assert.equal(replaceItem('{}', path, 0, fresh), '{}')
    assert.deepEqual(plainItems('{}', path), [])
  })

  it('says the same after any edits as a plain list would, and stays readable', () => {
    const layouts = fc.constantFrom(
      commented,
      '{}',
      '{"prices":{"overrides":[{"match":"a"},{"match":"b"}]}}',
      '\uFEFF{\n}',
    )
    const edits = fc.array(fc.record({ kind: fc.constantFrom('add', 'remove', 'replace'), at: fc.nat(3) }), {
      maxLength: 8,
    })
    fc.assert(
      fc.property(layouts, edits, (layout, list) => {
        let text: string = layout
        const plain = [...plainItems(text, path)]
        list.forEach(({ kind, at }, turn) => {
          const item = { match: `item ${turn}`, prices: { input_mtok: turn, output_mtok: 2 } }
          if (kind === 'add') {
            text = addFirst(text, path, item)
            plain.unshift(item)
          } else if (kind === 'remove') {
            text = removeItem(text, path, at)
            plain.splice(at, 1)
          } else {
            text = replaceItem(text, path, at, item)
            if (at < plain.length) plain[at] = item
          }
          const read = parseText(text)
          assert.ok(read.ok, read.ok ? '' : `${read.problems.join(' ')}\n${text}`)
          assert.deepEqual(plainItems(text, path), plain)
        })
        for (const comment of layout.match(/\/\/ (?:ours|theirs|for all)/g) ?? [])
          assert.ok(text.includes(comment), text)
      }),
    )
  })
})
