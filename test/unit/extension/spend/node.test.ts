import assert from 'node:assert/strict'
import fc from 'fast-check'
import { bounded, changesBetween, nodeOf, oneLine } from '../../../../extension/ui/spendNode.ts'
import type { SpendNode } from '../../../../extension/ui/spendNode.ts'
import { allOf } from './parts.ts'

const leaf = (id: string, label = id): SpendNode => nodeOf({ id, label, icon: 'info' })
const branch = (id: string, children: readonly SpendNode[], label = id): SpendNode =>
  nodeOf({ id, label, icon: 'info', children })

describe('what is drawn anew', () => {
  it('is nothing where nothing changed', () => {
    const tree = (): SpendNode[] => [branch('a', [leaf('b'), leaf('c')])]
    assert.deepEqual(changesBetween(tree(), tree()), [])
  })

  it('is the row that changed, and not its parent', () => {
    const before = [branch('a', [leaf('b'), branch('c', [leaf('d')])]), leaf('e')]
    const after = [branch('a', [leaf('b'), branch('c', [leaf('d', 'other')])]), leaf('e')]
    assert.deepEqual(changesBetween(before, after), ['d'])
  })

  it('is the parent where rows came, went or changed places', () => {
    const before = [branch('a', [leaf('b'), leaf('c')])]
    for (const children of [[leaf('c'), leaf('b')], [leaf('b')], [leaf('b'), leaf('c'), leaf('d')], []]) {
      assert.deepEqual(changesBetween(before, [branch('a', children)]), ['a'])
    }
  })

  it('is everything where the sections changed', () => {
    assert.equal(changesBetween([leaf('a')], [leaf('a'), leaf('b')]), 'all')
    assert.equal(changesBetween([], [leaf('a')]), 'all')
  })

  it('covers every difference, and names nothing below a row that it names', () => {
    interface Shape {
      readonly label: string
      readonly children: readonly Shape[]
    }
    const shape: fc.Memo<Shape> = fc.memo((depth) =>
      fc.record({
        label: fc.constantFrom('x', 'y'),
        children: depth > 1 ? fc.array(shape(), { maxLength: 3 }) : fc.constant([]),
      }),
    )
    const tree = shape(4)
    const grow = (id: string, shape: Shape): SpendNode =>
      branch(
        id,
        shape.children.map((child, index) => grow(`${id}.${index}`, child)),
        shape.label,
      )
    fc.assert(
      fc.property(tree, tree, (one, other) => {
        const [before, after] = [[grow('0', one)], [grow('0', other)]]
        const changes = changesBetween(before, after)
        assert.ok(changes !== 'all')
        /** What VS Code shows when it asks anew for the named rows and everything below them, and keeps the others. */
        const show = (old: SpendNode | undefined, now: SpendNode): SpendNode => {
          if (old === undefined || changes.includes(now.id)) return now
          return { ...old, children: old.children.map((child, index) => show(child, now.children[index] ?? child)) }
        }
        assert.deepEqual(show(before[0], after[0]!), after[0])
        for (const id of changes) assert.ok(!changes.some((above) => above !== id && id.startsWith(`${above}.`)))
      }),
    )
  })
})

describe('a bounded list', () => {
  it('loses no row up to its limit and says how many there are beyond', () => {
    fc.assert(
      fc.property(fc.nat(300), fc.integer({ min: 1, max: 20 }), (length, most) => {
        const rows = Array.from({ length }, (_, index) => leaf(`r${index}`))
        const shown = bounded('list', rows, most, (count) => `${count} more`)
        assert.ok(shown.length <= most + 1)
        const leaves = allOf(shown).filter(({ id }) => id !== 'list/more')
        assert.deepEqual(
          leaves.map(({ id }) => id),
          rows.slice(0, most + 200).map(({ id }) => id),
        )
        if (length > most) assert.equal(shown.at(-1)?.label, `${length - most} more`)
      }),
    )
  })
})

describe('a text from outside', () => {
  it('becomes one bounded line without control characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.integer({ min: 2, max: 90 }), (text, most) => {
        const line = oneLine(text, most)
        assert.ok(Array.from(line).length <= most)
        assert.doesNotMatch(line, /[\p{Cc}\p{Cf}\u2028\u2029]/u)
      }),
    )
  })
})
