import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { anomalyKinds, refusalCodes, warningCodes } from '../../../shared/codes.ts'
import { createMetrics, gaugeMeanings } from '../../../daemon/observe/metrics.ts'
import type { GaugeName } from '../../../daemon/observe/metrics.ts'

interface Rule {
  readonly alert: string
  readonly fields: ReadonlySet<string>
  readonly expression: string
}

/** Reads the file in the plain form that it is written in; what has another form is an error. */
function rules(text: string): readonly Rule[] {
  const [head, ...parts] = text.split(/^ {6}- alert: /m)
  assert.match(head ?? '', /^(?:#.*\n)*groups:\n {2}- name: tollgate\n {4}rules:\n$/)
  return parts.map((part) => {
    const [alert = '', ...lines] = part.trimEnd().split('\n')
    const fields = new Set<string>()
    let expression = ''
    let section = ''
    for (const line of lines) {
      const field = /^ {8}(\w+):(?: (.*))?$/.exec(line)
      const inner = /^ {10}(\w+): .+$/.exec(line)
      if (line === '') continue
      if (field !== null) {
        section = field[1]!
        fields.add(section)
        if (section === 'expr' && field[2] !== '>-') expression = field[2] ?? ''
      } else if (section === 'expr') expression += `${line.trim()} `
      else if (inner !== null) fields.add(`${section}.${inner[1]!}`)
      else assert.fail(`not understood: ${line}`)
    }
    return { alert, fields, expression }
  })
}

const text = readFileSync(new URL('../../../docs/prometheus-rules.yml', import.meta.url), 'utf8')
const found = rules(text)

describe('docs/prometheus-rules.yml', () => {
  it('has rules with a name of their own, an expression, a severity and two sentences', () => {
    assert.ok(found.length >= 6)
    assert.equal(new Set(found.map(({ alert }) => alert)).size, found.length)
    for (const { alert, fields, expression } of found) {
      assert.match(alert, /^Tollgate[A-Z]\w+$/)
      assert.ok(expression.length > 0, alert)
      for (const field of ['expr', 'labels.severity', 'annotations.summary', 'annotations.description']) {
        assert.ok(fields.has(field), `${alert} ${field}`)
      }
      assert.equal(expression.split('(').length, expression.split(')').length, alert)
      assert.equal(expression.split('{').length, expression.split('}').length, alert)
    }
  })

  it('names only metrics that are exported', () => {
    const metrics = createMetrics()
    const gauges = (Object.keys(gaugeMeanings) as GaugeName[]).map((name) => ({ name, value: 1, labels: {} }))
    const exported = new Set([...metrics.render(gauges).matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name!))
    const named = new Set(found.flatMap(({ expression }) => expression.match(/tollgate_\w+/g) ?? []))
    assert.ok(named.size >= 6)
    for (const name of named) assert.ok(exported.has(name), name)
  })

  it('selects only codes and kinds that there are', () => {
    const known: Record<string, readonly string[]> = {
      code: [...Object.keys(refusalCodes), ...warningCodes],
      kind: anomalyKinds,
    }
    let selected = 0
    for (const { expression } of found) {
      for (const [, label, values] of expression.matchAll(/\b(code|kind)(?:=|!=|=~|!~)"([^"]+)"/g)) {
        for (const value of values!.split('|')) {
          assert.ok(known[label!]?.includes(value), `${label} ${value}`)
          selected += 1
        }
      }
    }
    assert.ok(selected >= 4)
  })
})
