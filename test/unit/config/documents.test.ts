import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { refusalCodes, warningCodes } from '../../../shared/codes.ts'
import { defaults } from '../../../daemon/config/defaults.ts'
import { fieldPaths, fieldSchema } from '../../../daemon/config/fieldTree.ts'
import { loadConfig } from '../../../daemon/config/load.ts'
import { fileSchema } from '../../../daemon/config/schema.ts'

function read(name: string): string {
  return readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8')
}

/** Cells of the table rows whose first cell is one name in backticks. */
function rows(markdown: string): readonly (readonly string[])[] {
  return markdown
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .slice(1, -1)
        .split(' |')
        .map((cell) => cell.trim()),
    )
}

function valueAt(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((inner, step) => (inner as Record<string, unknown> | null | undefined)?.[step], value)
}

describe('docs/configuration.md', () => {
  const fields = fieldPaths(fieldSchema(fileSchema))
  const documented = rows(read('configuration.md')).filter(
    (row) => row[0]?.includes('.') === true || fields.includes(row[0]?.slice(1, -1) ?? ''),
  )
  const loaded = loadConfig({ text: null, env: {}, systemTimezone: 'UTC' })
  assert.ok(loaded.ok)
  const { plans } = loaded.config
  const general = documented.filter((row) => row.length === 3 && fields.includes(row[0]!.slice(1, -1)))

  it('names every field that can be written, and no other', () => {
    assert.deepEqual(general.map((row) => row[0]!.slice(1, -1)).sort(), [...fields].sort())
  })

  it('states the default of every field that has one', () => {
    for (const [name, stated] of general) {
      const path = name!.slice(1, -1)
      const value = path.startsWith('plans.*.')
        ? valueAt(plans['agent'], path.slice('plans.*.'.length))
        : valueAt(defaults, path)
      if (path.includes('*') && !path.startsWith('plans.*.')) continue
      if (path === 'timezone') assert.equal(stated, "the system's")
      else if (path.includes('fallback.')) assert.equal(stated, '`null`')
      else assert.equal(stated, value === undefined ? '' : `\`${JSON.stringify(value)}\``, path)
    }
  })

  it('states what coding and chat have instead', () => {
    const differences = rows(read('configuration.md')).filter(
      (row) =>
        row.length === 3 &&
        valueAt(plans['agent'], row[0]!.slice(1, -1)) !== undefined &&
        !fields.includes(row[0]!.slice(1, -1)),
    )
    const told = { coding: 1, chat: 2 } as const
    for (const [name, column] of Object.entries(told)) {
      const expected = fieldPaths(fieldSchema(fileSchema))
        .filter((path) => path.startsWith('plans.*.'))
        .map((path) => path.slice('plans.*.'.length))
        .filter((path) => JSON.stringify(valueAt(plans[name], path)) !== JSON.stringify(valueAt(plans['agent'], path)))
      const stated = differences.filter((row) => row[column] !== '')
      assert.deepEqual(stated.map((row) => row[0]!.slice(1, -1)).sort(), expected.sort(), name)
      for (const row of stated) {
        const value = valueAt(plans[name], row[0]!.slice(1, -1))
        const text = Array.isArray(value)
          ? value.map((each) => `\`${String(each)}\``).join(', ')
          : `\`${JSON.stringify(value)}\``
        assert.equal(row[column], text)
      }
    }
  })

  it('has an example that is a valid configuration', () => {
    const [example] = /(?<=```jsonc\n)[\s\S]*?(?=```)/.exec(read('configuration.md')) ?? []
    const result = loadConfig({ text: example ?? '', env: {}, systemTimezone: 'UTC' })
    assert.ok(result.ok, result.ok ? '' : result.problems.join(' '))
  })

  it('has example variables that are valid', () => {
    const env = Object.fromEntries(
      [...read('configuration.md').matchAll(/^(TOLLGATE_[A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [
        name!,
        value!.replaceAll("'", ''),
      ]),
    )
    assert.ok(Object.keys(env).length >= 5)
    const result = loadConfig({ text: null, env, systemTimezone: 'UTC' })
    assert.ok(result.ok, result.ok ? '' : result.problems.join(' '))
    assert.deepEqual(result.warnings, [])
  })
})

describe('docs/refusals.md', () => {
  const [refusals = '', warnings = ''] = read('refusals.md').split('## Warnings')

  it('has exactly the codes, statuses and meanings of the table in the code', () => {
    assert.deepEqual(
      rows(refusals),
      Object.entries(refusalCodes).map(([code, { status, says }]) => [`\`${code}\``, String(status), says]),
    )
  })

  it('has exactly the warnings of the code', () => {
    assert.deepEqual(
      rows(warnings).map((row) => row[0]),
      warningCodes.map((code) => `\`${code}\``),
    )
  })
})
