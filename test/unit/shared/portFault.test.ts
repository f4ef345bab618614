import assert from 'node:assert/strict'
import fc from 'fast-check'
import { portFaultOf, portFaultSentence } from '../../../shared/portFault.ts'
import type { PortFault } from '../../../shared/portFault.ts'

const fault: fc.Arbitrary<PortFault> = fc
  .tuple(fc.integer({ min: 1, max: 65_535 }), fc.constantFrom('taken' as const, 'unusable' as const))
  .map(([port, kind]) => ({ port, kind }))

describe('the sentence of a port that a daemon cannot have', () => {
  it('is known again, with the name that the daemon gives itself and without', () => {
    fc.assert(
      fc.property(fault, fc.constantFrom('', 'tollgate: '), (one, name) => {
        assert.deepEqual(portFaultOf(`${name}${portFaultSentence(one)}`), one)
      }),
    )
  })

  it('names the port and the flag, for those who read it in a terminal', () => {
    assert.equal(
      portFaultSentence({ port: 4141, kind: 'taken' }),
      'port 4141 is used by another program. Give another one with --port.',
    )
  })

  it('is no other line of a log', () => {
    fc.assert(fc.property(fc.string(), (line) => portFaultOf(line) === null))
    for (const line of [
      '',
      'port 4141 is used by another program.',
      `${portFaultSentence({ port: 4141, kind: 'taken' })} And more.`,
      'export 4141 is used by another program. Give another one with --port.',
      'The setting port 4142 is used; port 4141 is used by another program. Give another one with --port!',
    ])
      assert.equal(portFaultOf(line), null, line)
  })
})
