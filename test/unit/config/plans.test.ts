import assert from 'node:assert/strict'
import { basePlan } from '../../../daemon/config/defaults.ts'
import { loadConfig } from '../../../daemon/config/load.ts'
import type { Plan } from '../../../shared/config.ts'

function plans(written: unknown): Readonly<Record<string, Plan>> {
  const loaded = loadConfig({ text: JSON.stringify({ plans: written }), env: {}, systemTimezone: 'UTC' })
  assert.ok(loaded.ok, loaded.ok ? '' : loaded.problems.join(' '))
  return loaded.config.plans
}

describe('plans', () => {
  it('has agent, coding and chat, each complete', () => {
    const built = plans({})
    assert.deepEqual(Object.keys(built), ['agent', 'coding', 'chat'])
    for (const plan of Object.values(built)) assert.deepEqual(Object.keys(plan).sort(), Object.keys(basePlan).sort())
  })

  it('gives chat its small limits and the rest of agent', () => {
    const { agent, chat } = plans({})
    assert.deepEqual(chat, {
      ...agent,
      maxBodyBytes: 32768,
      maxMessageChars: 8000,
      maxConversationTokens: 6000,
      maxOutputTokens: 400,
      timeouts: { ...agent!.timeouts, totalMs: 30000 },
    })
  })

  it('lets a plan inherit what it leaves out from agent, inside its blocks too', () => {
    const { mine } = plans({ mine: { task: { maxIterations: 3, onConstrained: { compact: false } } } })
    assert.deepEqual(mine, {
      ...basePlan,
      task: {
        ...basePlan.task,
        maxIterations: 3,
        onConstrained: { ...basePlan.task!.onConstrained, compact: false },
      },
    })
  })

  it('lets every plan inherit from the agent that the user wrote', () => {
    const built = plans({ agent: { maxN: 4, rate: { concurrent: 2 } }, mine: { rate: { callsPerMinute: 9 } } })
    assert.equal(built['chat']?.maxN, 4)
    assert.equal(built['coding']?.rate.concurrent, 2)
    assert.deepEqual(built['mine']?.rate, { ...basePlan.rate, concurrent: 2, callsPerMinute: 9 })
  })

  it("lays the user's chat over the built-in one", () => {
    const { chat } = plans({ chat: { maxOutputTokens: 100, estimator: 'chars3' } })
    assert.ok(chat)
    assert.equal(chat.maxOutputTokens, 100)
    assert.equal(chat.estimator, 'chars3')
    assert.equal(chat.maxBodyBytes, 32768)
    assert.equal(chat.timeouts.totalMs, 30000)
  })

  it('turns a block off with null and hands that down', () => {
    const built = plans({ agent: { loop: null, degrade: null }, mine: { storm: null } })
    assert.equal(built['agent']?.loop, null)
    assert.equal(built['chat']?.loop, null)
    assert.equal(built['mine']?.degrade, null)
    assert.equal(built['mine'].storm, null)
  })

  it('turns a block on again with the built-in values for what it leaves out', () => {
    const { mine } = plans({ agent: { task: null }, mine: { task: { maxEur: 1 } } })
    assert.deepEqual(mine?.task, { ...basePlan.task, maxEur: 1 })
  })

  it('keeps null for unlimited and 0 for none inside a plan (A13)', () => {
    const { mine } = plans({
      mine: { maxOutputTokens: null, models: [], rate: { callsPerMinute: 0 }, task: { maxEur: 0 } },
    })
    assert.ok(mine)
    assert.equal(mine.maxOutputTokens, null)
    assert.deepEqual(mine.models, [])
    assert.equal(mine.rate.callsPerMinute, 0)
    assert.equal(mine.task?.maxEur, 0)
  })

  it('refuses thresholds in the wrong order and a fallback that does not exist', () => {
    const wrong = loadConfig({
      text: JSON.stringify({
        plans: {
          a: { task: { warnAt: 0.9 } },
          b: { degrade: { fallback: { upstream: 'nowhere', model: 'm' } } },
        },
      }),
      env: {},
      systemTimezone: 'UTC',
    })
    assert.ok(!wrong.ok)
    assert.deepEqual(wrong.problems, [
      'plans.a.task.warnAt must not be above constrainAt.',
      'plans.b.degrade.fallback.upstream must be the name of an upstream.',
    ])
  })
})
