import assert from 'node:assert/strict'
import { readJson } from '../../../../extension/clients/json.ts'
import { changePolicy } from '../../../../extension/truncation/policy.ts'

describe('the policy for prompts that do not fit, in config.json', () => {
  it('is added to an empty file, to one without plans and beside what a plan has', () => {
    for (const [config, expected] of [
      ['', { plans: { agent: { truncation: { before: 'raise' } } } }],
      ['{}', { plans: { agent: { truncation: { before: 'raise' } } } }],
      [
        '{"plans":{"agent":{"truncation":{"after":"error"}}},"port":1}',
        { plans: { agent: { truncation: { after: 'error', before: 'raise' } } }, port: 1 },
      ],
      [
        '{"plans":{"agent":{"truncation":{"before":"warn"}}}}',
        { plans: { agent: { truncation: { before: 'raise' } } } },
      ],
    ] as const) {
      const change = changePolicy(config, 'agent', 'raise')
      assert.ok(change.kind === 'edit', config)
      assert.deepEqual(readJson(change.after, undefined), expected)
    }
  })

  it('leaves comments as they are', () => {
    const config = '{\n  // mine\n  "port": 1, // port\n  "plans": {}\n}\n'
    const change = changePolicy(config, 'agent', 'refuse')
    assert.ok(change.kind === 'edit')
    assert.ok(change.after.includes('// mine') && change.after.includes('// port'))
  })

  it('takes the place of a block that is switched off by null, and of no other part', () => {
    const config = '{\n  "plans": {\n    "agent": { "truncation": null, "allowUnpriced": true }\n  }\n}\n'
    const change = changePolicy(config, 'agent', 'raise')
    assert.ok(change.kind === 'edit')
    const agent = { truncation: { before: 'raise' }, allowUnpriced: true }
    assert.deepEqual(readJson(change.after, undefined), { plans: { agent } })
  })

  it('is set in a file with a byte order mark, comments and Windows line ends, for a plan whose name has dots', () => {
    const config = '\uFEFF{\r\n  // mine\r\n  "plans": {\r\n    "a.b": { "truncation": {} },\r\n  },\r\n}\r\n'
    const change = changePolicy(config, 'a.b', 'refuse')
    assert.ok(change.kind === 'edit')
    assert.deepEqual(readJson(change.after, undefined), { plans: { 'a.b': { truncation: { before: 'refuse' } } } })
    assert.ok(change.after.startsWith('\uFEFF{\r\n  // mine\r\n'))
    assert.doesNotMatch(change.after, /[^\r]\n/)
    const other = changePolicy(config, 'a', 'raise')
    assert.ok(other.kind === 'edit')
    const plans = { 'a.b': { truncation: {} }, a: { truncation: { before: 'raise' } } }
    assert.deepEqual(readJson(other.after, undefined), { plans })
  })

  it('is not written twice', () => {
    const config = '{"plans":{"agent":{"truncation":{"before":"raise"}}}}'
    assert.deepEqual(changePolicy(config, 'agent', 'raise'), { kind: 'already' })
  })

  it('is not written into what cannot be parsed or has another shape', () => {
    for (const config of [
      '{',
      '[]',
      'null',
      '{"plans":[]}',
      '{"plans":{"agent":null}}',
      '{"plans":{"agent":{"truncation":3}}}',
    ]) {
      assert.deepEqual(changePolicy(config, 'agent', 'raise'), { kind: 'malformed' }, config)
    }
  })

  it('takes no plan for a member of every object', () => {
    const change = changePolicy('{"plans":{}}', 'constructor', 'raise')
    assert.ok(change.kind === 'edit')
  })
})
