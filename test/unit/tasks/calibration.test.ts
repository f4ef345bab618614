import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { TaskSample } from '../../../daemon/ledger/ledger.ts'
import { calibrate, daysFrom, haltedIn, leastTasks, lowestCeilings, p99 } from '../../../daemon/tasks/calibration.ts'
import type { Calibration, Ceilings, Halted } from '../../../daemon/tasks/calibration.ts'
import { nanoFromEur } from '../../../shared/money.ts'
import type { EventRow } from '../../../shared/status.ts'

let tasks = 0

/** A task at the p99 that the built-in ceilings were made for, unless it says otherwise. */
function sample(change: Partial<TaskSample> = {}): TaskSample {
  tasks += 1
  return {
    task: `t${tasks}`,
    session: null,
    client: 'OpenAI/JS',
    project: null,
    keyId: 'default',
    iterations: 9,
    inputTokens: 210_000,
    wallSeconds: 40,
    costNanoEur: nanoFromEur(0.7),
    wasKilled: false,
    ...change,
  }
}

function samples(count: number, change: Partial<TaskSample> = {}): TaskSample[] {
  return Array.from({ length: count }, () => sample(change))
}

const nobody: Halted = { tasks: new Set(), sessions: new Set() }

function calibrated(given: readonly TaskSample[], halted: Halted = nobody): Calibration {
  return calibrate(given, halted, (_, client) => (client.startsWith('claude-cli') ? 'coding' : 'agent'))
}

function event(name: string, fields: Readonly<Record<string, unknown>>): EventRow {
  return { id: 1, time: '2026-11-30T12:00:00.000Z', event: name, ...fields }
}

describe('calibration', () => {
  it('gives about the built-in ceilings for the traffic that they were made for', () => {
    assert.deepEqual(calibrated(samples(leastTasks)).proposals.get('agent'), {
      maxIterations: 26,
      maxInputTokens: 2_000_000,
      maxWallSeconds: 300,
      maxEur: 4.97,
    })
  })

  it('takes the 99th percentile by nearest rank, so that one task of a hundred does not count', () => {
    const values = Array.from({ length: 100 }, (_, at) => at + 1)
    assert.equal(p99(values), 99)
    assert.equal(p99(values.slice(0, 99)), 99)
    assert.equal(p99([7]), 7)
    assert.equal(p99([]), 0)
    const outlier = sample({ iterations: 500 })
    assert.equal(calibrated([...samples(99), outlier]).groups[0]!.p99.iterations, 9)
    assert.equal(calibrated([...samples(98), outlier]).groups[0]!.p99.iterations, 500)
  })

  it('rounds up to two digits, ten seconds and a cent', () => {
    const odd = samples(20, {
      iterations: 101,
      inputTokens: 1_234_567,
      wallSeconds: 100.001,
      costNanoEur: nanoFromEur(0.123),
    })
    assert.deepEqual(calibrated(odd).proposals.get('agent'), {
      maxIterations: 290,
      maxInputTokens: 12_000_000,
      maxWallSeconds: 760,
      maxEur: 0.88,
    })
  })

  it('never proposes less than a task needs to do anything', () => {
    const tiny = samples(20, { iterations: 1, inputTokens: 30, wallSeconds: 0, costNanoEur: 0 })
    assert.deepEqual(calibrated(tiny).proposals.get('agent'), lowestCeilings)
  })

  it('proposes nothing for a group that is too small, and shows its figures', () => {
    const { groups, proposals } = calibrated(samples(leastTasks - 1))
    assert.equal(proposals.size, 0)
    assert.equal(groups[0]!.proposal, null)
    assert.equal(groups[0]!.tasks, leastTasks - 1)
    assert.equal(groups[0]!.p99.eur, 0.7)
  })

  it('keeps clients, projects and plans apart, and gives a plan the largest of its groups', () => {
    const { groups, proposals } = calibrated([
      ...samples(20, { iterations: 10, project: 'shop' }),
      ...samples(21, { iterations: 5, wallSeconds: 80, project: 'site' }),
      ...samples(22, { iterations: 100, client: 'claude-cli/2.1.3' }),
      ...samples(3, { iterations: 900 }),
    ])
    assert.deepEqual(
      groups.map(({ client, project, plan, tasks }) => [client, project, plan, tasks]),
      [
        ['claude-cli', null, 'coding', 22],
        ['OpenAI/JS', 'site', 'agent', 21],
        ['OpenAI/JS', 'shop', 'agent', 20],
        ['OpenAI/JS', null, 'agent', 3],
      ],
    )
    assert.equal(proposals.get('agent')?.maxIterations, 28)
    assert.equal(proposals.get('agent')?.maxWallSeconds, 600)
    assert.equal(proposals.get('coding')?.maxIterations, 280)
  })

  it('takes versions of one client together', () => {
    const versions = Array.from({ length: 20 }, (_, at) => sample({ client: `claude-cli/2.1.${at}` }))
    const { groups } = calibrated([...versions, sample({ client: 'claude-cli/v3' })])
    assert.deepEqual(
      groups.map(({ client, tasks }) => [client, tasks]),
      [['claude-cli', 21]],
    )
  })

  it('leaves out what was stopped: the figure of such a task is the ceiling, and would raise it each time', () => {
    const [stopped, inSession, killed] = [
      sample({ iterations: 500 }),
      sample({ iterations: 500, session: 's1' }),
      sample({ iterations: 500, wasKilled: true }),
    ]
    const halted = { tasks: new Set([stopped.task]), sessions: new Set(['s1']) }
    const result = calibrated([...samples(20, { session: 's2' }), stopped, inSession, killed], halted)
    assert.equal(result.healthyTasks, 20)
    assert.equal(result.haltedTasks, 3)
    assert.equal(result.groups[0]!.p99.iterations, 9)
  })

  it('reads from events which tasks and sessions were halted', () => {
    const { tasks, sessions } = haltedIn([
      event('state_changed', { scope: 'task', task: 'ceiling', state: 'halted', cause: 'ceiling' }),
      event('state_changed', { scope: 'task', task: 'warned', state: 'warn' }),
      event('state_changed', { scope: 'session', task: 's1', state: 'halted' }),
      event('loop', { task: 'looped', state: 'halted' }),
      event('loop', { task: 'repeats', state: 'warn' }),
      event('killed', { scope: 'task', ref: 'killed' }),
      event('killed', { scope: 'key', ref: 'default' }),
      event('refused', { task: 'refused', state: 'halted' }),
      event('state_changed', { state: 'halted' }),
    ])
    assert.deepEqual([...tasks], ['ceiling', 'looped', 'killed'])
    assert.deepEqual([...sessions], ['s1'])
  })

  it('reads days from 1 to 365', () => {
    for (const [text, days] of [
      ['1', 1],
      ['365', 365],
      ['030', 30],
    ] as const)
      assert.equal(daysFrom(text), days)
    for (const text of ['0', '366', '-1', '1.5', '1e2', ' 3', '', 'x']) assert.equal(daysFrom(text), null)
  })

  const figures = fc.record({
    iterations: fc.integer({ min: 1, max: 100_000 }),
    inputTokens: fc.integer({ min: 0, max: 1_000_000_000_000 }),
    wallSeconds: fc.integer({ min: 0, max: 1_000_000_000 }).map((ms) => ms / 1000),
    costNanoEur: fc.integer({ min: 0, max: 1_000_000_000_000 }),
  })
  const history = fc.array(figures, { minLength: leastTasks, maxLength: 130 })
  const proposalFor = (given: readonly Partial<TaskSample>[]): Ceilings =>
    calibrated(given.map(sample)).proposals.get('agent') ?? assert.fail('no proposal')
  const names = ['maxIterations', 'maxInputTokens', 'maxWallSeconds', 'maxEur'] as const

  it('never proposes less than the p99 of the tasks', () => {
    fc.assert(
      fc.property(history, (given) => {
        const proposal = proposalFor(given)
        assert.ok(proposal.maxIterations >= p99(given.map((one) => one.iterations)))
        assert.ok(proposal.maxInputTokens >= p99(given.map((one) => one.inputTokens)))
        assert.ok(proposal.maxWallSeconds >= p99(given.map((one) => one.wallSeconds)))
        assert.ok(nanoFromEur(proposal.maxEur) >= p99(given.map((one) => one.costNanoEur)))
        assert.ok(names.every((name) => proposal[name] >= lowestCeilings[name]))
      }),
    )
  })

  it('never proposes less because a task needed more', () => {
    fc.assert(
      fc.property(history, fc.nat(), figures, (given, at, more) => {
        const index = at % given.length
        const grown = given.map((one, i) =>
          i !== index
            ? one
            : {
                iterations: one.iterations + more.iterations,
                inputTokens: one.inputTokens + more.inputTokens,
                wallSeconds: one.wallSeconds + more.wallSeconds,
                costNanoEur: one.costNanoEur + more.costNanoEur,
              },
        )
        const [before, after] = [proposalFor(given), proposalFor(grown)]
        for (const name of names) assert.ok(after[name] >= before[name], name)
      }),
    )
  })

  it('does not depend on the order of the tasks', () => {
    fc.assert(
      fc.property(history, (given) => {
        assert.deepEqual(proposalFor(given), proposalFor(given.toReversed()))
      }),
    )
  })
})
