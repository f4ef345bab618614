import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { humanPauseMs } from '../../daemon/transcript/humanTurn.ts'
import { runCommand } from './harness/command.ts'
import { startGate } from './harness/gate.ts'
import type { Gate } from './harness/gate.ts'
import { chatAgent, codeOf, faultOf, sdkAgents } from './harness/sdkAgents.ts'
import type { SdkAgent } from './harness/sdkAgents.ts'

const sameCall = { toolCall: { name: 'read_page', arguments: { page: 3 } } }
const nothingNew = (): string => 'Page 3: nothing new.'

describe('an agent on a real SDK whose model asks for the same tool every turn', () => {
  let gate: Gate
  const agents = new Map<string, SdkAgent>()
  before(async () => {
    gate = await startGate({
      plans: { patient: { loop: { maxRepeats: 4 } } },
      keys: [{ key: 'key-of-a-patient-plan', plan: 'patient' }],
    })
  })
  after(() => gate.close())
  beforeEach(() => gate.upstream.reset())

  for (const { name, make } of sdkAgents) {
    it(`K11: is stopped after 3 model calls, and reads which tool it was and how to go on: ${name}`, async () => {
      const agent = make({ daemon: gate.daemon })
      agents.set(name, agent)
      gate.upstream.script(() => sameCall)
      agent.say(`Read page 3 and tell me when it changes (${name}).`)
      const refused = (await gate.daemon.events('refused')).length
      const fault = await faultOf(agent.run(nothingNew))
      assert.equal(gate.upstream.generations.length, 3)
      const { status, code } = codeOf(fault)
      assert.equal(status, 403)
      if (code !== null) assert.equal(code, 'loop_halted')
      assert.match(fault.message, /the tool "read_page" was called 3 times with the same arguments/)
      assert.match(
        fault.message,
        /It goes on with a new message from a person, .* or with "tollgate resume --scope task/,
      )
      const said = (await gate.daemon.events('refused')).slice(refused)
      assert.deepEqual(
        said.map((event) => event['code']),
        ['loop_halted'],
        'the SDK asked once and did not repeat it',
      )
    })

    it(`does not take a message that its program appends at once for a person's: ${name}`, async () => {
      const agent = agents.get(name)!
      gate.upstream.script(() => sameCall)
      agent.say('Continue.')
      await faultOf(agent.run(nothingNew))
      assert.equal(gate.upstream.generations.length, 0)
    })
  }

  describe('after a message from a person', () => {
    // What is tested here is that pause: a person needs it to read and to write. One serves all four.
    before(() => pause(humanPauseMs + 100))

    for (const { name } of sdkAgents) {
      it(`K09: goes on, and is stopped again when it falls back into the loop: ${name}`, async () => {
        const agent = agents.get(name)!
        gate.upstream.next(sameCall, { text: 'Page 3 is as it was.' })
        agent.say('Look once more, then report.')
        assert.equal(await agent.run(nothingNew), 'Page 3 is as it was.')
        assert.equal(gate.upstream.generations.length, 2)

        gate.upstream.script(() => sameCall)
        agent.say('And again.')
        await faultOf(agent.run(nothingNew))
        assert.equal(gate.upstream.generations.length, 4, 'three equal calls since the person wrote')
      })
    }
  })

  it('K09: does what the message says, word for word, and goes on', async () => {
    const agent = chatAgent({ daemon: gate.daemon })
    gate.upstream.script(() => sameCall)
    agent.say('Read page 3 until it changes.')
    const fault = await faultOf(agent.run(nothingNew))
    const command = /"tollgate (resume [^"]+)"/.exec(fault.message)?.[1] ?? ''
    const resumed = await runCommand([...command.split(' '), '--data-dir', gate.daemon.dataDir])
    assert.equal(resumed.code, 0, resumed.stderr)
    gate.upstream.script(() => ({ text: 'It has not changed.' }))
    assert.equal(await agent.run(nothingNew), 'It has not changed.')
  })

  it('K01: is warned at 3, constrained at 4 and halted at 5 equal results where the plan is patient', async () => {
    const agent = chatAgent({ daemon: gate.daemon, key: 'key-of-a-patient-plan' })
    gate.upstream.script(() => ({ toolCall: { name: 'bash', arguments: { command: 'npm install left-pad' } } }))
    agent.say('Install the package.')
    const before = (await gate.daemon.events('loop')).length
    const fault = await faultOf(agent.run(() => 'npm error code ETIMEDOUT'))
    assert.match(fault.message, /the tool "bash" was called 5 times/)
    assert.equal(gate.upstream.generations.length, 5)
    const said = (await gate.daemon.events('loop')).slice(before)
    assert.deepEqual(
      said.map(({ state, repeats, tool }) => [state, repeats, tool]),
      [
        ['warn', 3, 'bash'],
        ['constrained', 4, 'bash'],
        ['halted', 5, 'bash'],
      ],
    )
  })
})
