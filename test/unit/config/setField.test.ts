import assert from 'node:assert/strict'
import fc from 'fast-check'
import { parseText } from '../../../daemon/config/parse.ts'
import { setField } from '../../../daemon/config/setField.ts'

const calls = ['plans', 'agent', 'task', 'maxIterations'] as const
const eur = ['plans', 'agent', 'task', 'maxEur'] as const

const commented = `{
  // Ours.
  "plan": "agent", // for all
  "plans": {
    "agent": {
      "task": {
        /* calls
           of one task */
        "maxIterations": 25, // few
        "maxWallSeconds": null // off
      } // task
    },
  },
}
`

/** What a text says; a text that cannot be read fails. */
function plain(text: string): Record<string, unknown> {
  const read = parseText(text)
  if (!read.ok) assert.fail(`${read.problems.join(' ')}\n${text}`)
  return JSON.parse(JSON.stringify(read.value)) as Record<string, unknown>
}

describe('setting a field of a configuration text', () => {
  it('replaces a value and nothing else', () => {
    assert.equal(setField(commented, calls, 31), commented.replace('"maxIterations": 25,', '"maxIterations": 31,'))
  })

  it('adds a field behind the last, and leaves each comment with its field', () => {
    assert.equal(
      setField(commented, eur, 4.5),
      commented.replace('"maxWallSeconds": null // off\n', '"maxWallSeconds": null, // off\n        "maxEur": 4.5\n'),
    )
  })

  it('keeps a trailing comma where there is one', () => {
    assert.equal(
      setField('{\n  "plan": "agent", // a\n}\n', ['drainSeconds'], 9),
      '{\n  "plan": "agent", // a\n  "drainSeconds": 9,\n}\n',
    )
    assert.equal(setField('{ "plan": "agent", }', ['drainSeconds'], 9), '{ "plan": "agent", "drainSeconds": 9, }')
    assert.equal(
      setField('{\n  "plan": "agent"\n  ,\n}', ['drainSeconds'], 9),
      '{\n  "plan": "agent"\n  ,\n  "drainSeconds": 9,\n}',
    )
  })

  it('makes the objects on the way, in the indent and with the line ends of the text', () => {
    assert.equal(
      setField('{\r\n\t"plan": "agent"\r\n}\r\n', calls, 31),
      '{\r\n\t"plan": "agent",\r\n\t"plans": {\r\n\t\t"agent": {\r\n\t\t\t"task": {\r\n\t\t\t\t"maxIterations": 31\r\n\t\t\t}\r\n\t\t}\r\n\t}\r\n}\r\n',
    )
  })

  it('leaves an object that is one line on one line', () => {
    assert.equal(
      setField('{\n    "plans": { "agent": { "loop": null } } // mine\n}\n', calls, 31),
      '{\n    "plans": { "agent": { "loop": null, "task": { "maxIterations": 31 } } } // mine\n}\n',
    )
  })

  it('fills an empty object and keeps what is said in it', () => {
    assert.equal(setField('{}\n', ['drainSeconds'], 9), '{\n  "drainSeconds": 9\n}\n')
    assert.equal(
      setField('{\n  // nothing yet\n}\n', ['drainSeconds'], 9),
      '{\n  // nothing yet\n  "drainSeconds": 9\n}\n',
    )
    assert.equal(
      setField('{\n  "plans": {\n    "agent": {}\n  }\n}', ['plans', 'agent', 'maxN'], 2),
      '{\n  "plans": {\n    "agent": {\n      "maxN": 2\n    }\n  }\n}',
    )
  })

  it('turns a null on the way into an object', () => {
    assert.equal(
      setField('{\n  "plans": {\n    "agent": { "task": null }\n  }\n}', calls, 31),
      '{\n  "plans": {\n    "agent": { "task": {\n      "maxIterations": 31\n    } }\n  }\n}',
    )
  })

  it('keeps a byte order mark', () => {
    assert.equal(setField('\uFEFF{"drainSeconds": 5}', ['drainSeconds'], 9), '\uFEFF{"drainSeconds": 9}')
  })

  it('gives a text that can be read, has the value, and has every other value and comment as before', () => {
    const gap = fc.constantFrom('', ' ', '\n', '\n  ', '\r\n\t', ' // c\n', ' /* d */ ', '\n// e\n  ', ' /* f\n g */')
    const text = fc
      .tuple(fc.array(gap, { minLength: 14, maxLength: 14 }), fc.constantFrom('', ','), fc.constantFrom('', ','))
      .map(([g, outer, inner]) => {
        const task = `{${g[0]}"maxIterations"${g[1]}:${g[2]}25${g[3]},${g[4]}"maxWallSeconds": null${g[5]}${inner}${g[6]}}`
        return `${g[7]}{${g[8]}"plans":${g[9]}{"agent":${g[10]}{"task": ${task}${g[11]}}}${g[12]}${outer}${g[13]}}`
      })
    const comments = (from: string): readonly string[] => from.match(/\/\/ \w|\/\*[^*]*\*\//g) ?? []
    fc.assert(
      fc.property(text, fc.constantFrom(calls, eur, ['drainSeconds'] as const), (before, path) => {
        const after = setField(before, path, 7)
        const expected = plain(before)
        let holder: Record<string, unknown> = expected
        for (const step of path.slice(0, -1)) holder = holder[step] as Record<string, unknown>
        holder[path.at(-1)!] = 7
        assert.deepEqual(plain(after), expected)
        assert.deepEqual(comments(after), comments(before))
      }),
    )
  })

  it('adds to a list, or makes it, with each object on one line', () => {
    const rule = { provider: null, match: 'a', factor: 1.1 }
    const first = ['prices', 'corrections', 0] as const
    const line = '{ "provider": null, "match": "a", "factor": 1.1 }'
    assert.equal(
      setField('{\n  "plan": "agent" // all\n}\n', first, rule),
      `{\n  "plan": "agent", // all\n  "prices": {\n    "corrections": [\n      ${line}\n    ]\n  }\n}\n`,
    )
    assert.equal(
      setField(
        '{\n  "prices": { "corrections": [\n    { "match": "b" }, // why\n  ] }\n}\n',
        ['prices', 'corrections', 1],
        rule,
      ),
      `{\n  "prices": { "corrections": [\n    { "match": "b" }, // why\n    ${line},\n  ] }\n}\n`,
    )
    assert.equal(
      setField('{"prices":{"corrections":[{"match":"b"}]}}', ['prices', 'corrections', 1], rule),
      `{"prices":{"corrections":[{"match":"b"}, ${line}]}}`,
    )
    assert.equal(
      setField('{"prices":{"corrections":[{"factor":2 /* guess */}]}}', [...first, 'factor'], 3),
      '{"prices":{"corrections":[{"factor":3 /* guess */}]}}',
    )
  })
})
