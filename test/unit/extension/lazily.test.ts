import assert from 'node:assert/strict'
import { lazily } from '../../../extension/lazily.ts'
import { createText } from '../../../extension/text/text.ts'
import { createFigures } from '../../../extension/ui/figures.ts'

describe('what the start of the extension does not pay for', () => {
  it('is made when it is asked for first, and once', () => {
    let times = 0
    const made = lazily(() => ({ times: ++times }))
    assert.equal(times, 0)
    assert.equal(made(), made())
    assert.equal(times, 1)
  })

  it('are the formats of numbers and dates', () => {
    const { NumberFormat, DateTimeFormat } = Intl
    let formats = 0
    const counted = <Format extends object>(format: Format): Format =>
      new Proxy(format, {
        construct: (target, args, self) => {
          formats += 1
          return Reflect.construct(target as never, args, self) as object
        },
      })
    Object.assign(Intl, { NumberFormat: counted(NumberFormat), DateTimeFormat: counted(DateTimeFormat) })
    try {
      const figures = createFigures('de')
      assert.equal(formats, 0)
      assert.equal(figures.eur(1.5) + figures.eur(2), '1,50\u00a0€2,00\u00a0€')
      assert.equal(formats, 1)
    } finally {
      Object.assign(Intl, { NumberFormat, DateTimeFormat })
    }
  })

  it('are the sentences of parts that are not shown yet', () => {
    const said: string[] = []
    const text = createText({ t: (message) => (said.push(message), message) })
    const early = new Set(said)
    const { spend, dashboard, terminal, tryIt, window, clients, doctor } = text
    const late = said.length - early.size
    for (const part of [spend, dashboard, terminal, tryIt, window, clients, doctor]) assert.ok(Object.keys(part).length)
    assert.ok(late > early.size, `${late} of ${said.length}`)
    assert.equal(text.spend, spend)
  })
})
