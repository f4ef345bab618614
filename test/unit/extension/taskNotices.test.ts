import assert from 'node:assert/strict'
import type { DaemonEvent } from '../../../extension/ui/eventFields.ts'
import { guardNotice } from '../../../extension/ui/guardNotices.ts'
import type { Offer } from '../../../extension/ui/offer.ts'
import { obsoleteKeys, overtakenKeys } from '../../../extension/ui/taskNotices.ts'
import type { Status } from '../../../shared/status.ts'
import { figures, status, task, text } from './support.ts'

const time = '2026-11-30T12:00:00.000Z'

function changed(fields: Record<string, unknown> = {}): DaemonEvent {
  return {
    event: 'state_changed',
    time,
    task: 'shop-3',
    scope: 'task',
    session: 'shop',
    client: 'claude-cli/2.1',
    from: 'warn',
    to: 'constrained',
    cause: 'ceiling',
    counter: 'iterations',
    value: 22,
    limit: 25,
    ...fields,
  }
}

function loop(fields: Record<string, unknown> = {}): DaemonEvent {
  return {
    event: 'loop',
    time,
    task: 'shop-3',
    state: 'halted',
    tool: 'read_page',
    repeats: 3,
    cycleLength: 1,
    ...fields,
  }
}

function severed(fields: Record<string, unknown> = {}): DaemonEvent {
  return {
    event: 'refused',
    time,
    code: 'task_halted',
    task: 'shop-3',
    severed: true,
    pid: 4242,
    process: 'node',
    ...fields,
  }
}

function offerFor(event: DaemonEvent, changes: Partial<Status> = { tasks: [task()] }): Offer | undefined {
  return guardNotice(event, status(changes), text, figures)
}

function titles(offer: Offer | undefined): readonly string[] | undefined {
  return offer?.choices.map(({ title }) => title)
}

describe('the message about a constrained task', () => {
  it('names the counter, what is left by the forecast, and asks by its buttons', () => {
    const forecast = { haltsInTurns: 3, eurAtHalt: 1.9 }
    const offer = offerFor(changed(), { tasks: [task({ state: 'constrained', forecast })] })
    assert.equal(
      offer?.message,
      'Task shop-3 (claude-cli/2.1) is close to its ceiling: 22 of 25 calls. Its next calls are made smaller. ' +
        'About 3 more calls fit; the task will have cost €1.90 then.',
    )
    assert.deepEqual(titles(offer), ['+20 Calls', 'Stop Task'])
    assert.equal(offer.kind, 'taskConstrained')
    assert.equal(offer.about, 'shop-3')
  })

  it('says nothing of a forecast that nobody has', () => {
    assert.match(offerFor(changed())?.message ?? '', /made smaller\.$/)
  })

  it('offers what raises the counter that climbs', () => {
    const eur = offerFor(changed({ counter: 'eur', value: 4.3, limit: 5 }))
    assert.match(eur?.message ?? '', /: €4\.30 of €5\.00\./)
    assert.deepEqual(eur?.choices[0], {
      title: 'Allow €1.00 More',
      step: {
        kind: 'allow',
        grant: { scope: 'task', ref: 'shop-3', eur: 1, by: 'extension' },
        done: 'Task shop-3 (claude-cli/2.1) may spend €1.00 more.',
      },
    })
    const time = offerFor(changed({ counter: 'wallSeconds', value: 260, limit: 300 }))
    assert.match(time?.message ?? '', /: 4 of 5 minutes\./)
    assert.deepEqual(titles(time), ['+10 Minutes', 'Stop Task'])
    const tokens = offerFor(changed({ counter: 'inputTokens', value: 1_750_000, limit: 2_000_000 }))
    assert.match(tokens?.message ?? '', /: 1\.8M of 2M input tokens\./)
    assert.deepEqual(titles(tokens), ['Stop Task'])
    assert.match(offerFor(changed({ counter: 'wallSeconds', value: 80, limit: 90 }))?.message ?? '', /80 of 90 seconds/)
  })

  it('grants calls and minutes to the task in the fields that the daemon reads', () => {
    const grantOf = (offer: Offer | undefined): unknown => {
      const step = offer?.choices[0]?.step
      return step?.kind === 'allow' ? step.grant : undefined
    }
    assert.deepEqual(grantOf(offerFor(changed())), { scope: 'task', ref: 'shop-3', iterations: 20, by: 'extension' })
    assert.deepEqual(grantOf(offerFor(changed({ counter: 'wallSeconds', value: 260, limit: 300 }))), {
      scope: 'task',
      ref: 'shop-3',
      minutes: 10,
      by: 'extension',
    })
  })

  it('is not made up when a number is missing', () => {
    assert.equal(offerFor(changed({ limit: null })), undefined)
    assert.equal(offerFor(changed({ counter: null })), undefined)
  })
})

describe('the message about a halted task', () => {
  const halted = (fields: Record<string, unknown> = {}): DaemonEvent => changed({ to: 'halted', value: 26, ...fields })

  it('names the ceiling and offers more room or a resume', () => {
    const offer = offerFor(halted())
    assert.equal(offer?.message, 'Task shop-3 (claude-cli/2.1) is halted at its ceiling of 25 calls. May it go on?')
    assert.deepEqual(titles(offer), ['+20 Calls', 'Resume', 'Stop Task'])
    assert.equal(offer.kind, 'taskHalted')
  })

  it('says one of a thing as one', () => {
    const ceiling = (fields: Record<string, unknown>): string =>
      / its ceiling of (.*)\. May/.exec(offerFor(halted(fields))?.message ?? '')?.[1] ?? ''
    assert.equal(ceiling({ value: 2, limit: 1 }), '1 call')
    assert.equal(ceiling({ counter: 'inputTokens', value: 2, limit: 1 }), '1 input token')
    assert.equal(ceiling({ counter: 'wallSeconds', value: 2, limit: 1 }), '1 second')
    assert.equal(ceiling({ counter: 'wallSeconds', value: 61, limit: 60 }), '60 seconds')
    assert.equal(ceiling({ counter: 'wallSeconds', value: 130, limit: 120 }), '2 minutes')
    assert.match(offerFor(changed({ value: 0, limit: 1 }))?.message ?? '', /: 0 of 1 call\./)
  })

  it('acts on the latest task of a session that came to its own ceiling', () => {
    const session = halted({ scope: 'session', task: 'shop', counter: 'eur', value: 100.2, limit: 100 })
    const offer = offerFor(session, { tasks: [task({ id: 'shop-9' }), task()] })
    assert.match(offer?.message ?? '', /^Session shop \(claude-cli\/2\.1\) is halted at its ceiling of €100\.00/)
    const steps = offer?.choices.map(({ step }) =>
      step.kind === 'allow' ? step.grant.ref : step.kind === 'resume' || step.kind === 'stop' ? step.task : '',
    )
    assert.deepEqual(steps, ['shop-9', 'shop-9', 'shop-9'])
    assert.equal(offer?.about, 'shop-9')
    assert.deepEqual(titles(offerFor(session, { tasks: [] })), [])
  })

  it('is not shown where the ceiling is reached exactly, before a call came that was refused', () => {
    assert.equal(offerFor(changed({ value: 25 })), undefined)
    assert.ok(offerFor(changed({ value: 24 })))
    assert.ok(offerFor(changed({ value: 25, to: 'halted' })))
  })

  it('is not shown for what a person did, and not below constrained', () => {
    for (const cause of ['person', 'pause', 'resume', 'room']) assert.equal(offerFor(halted({ cause })), undefined)
    for (const to of ['ok', 'warn']) assert.equal(offerFor(changed({ to })), undefined)
  })

  it('calls a task without a name by who calls and since when, and acts on its id', () => {
    const made = task({ id: 's239c2ce0cd000002-1', named: false, client: 'OpenAI/JS' })
    const since = figures.when(made.startedAt, Date.parse(time))
    const message = (fields: Record<string, unknown>, row = made): string | undefined =>
      offerFor(halted({ task: made.id, client: 'OpenAI/JS', ...fields }), { tasks: [row] })?.message
    assert.equal(
      message({}),
      `A task of OpenAI/JS (since ${since}) is halted at its ceiling of 25 calls. May it go on?`,
    )
    const nobody = message({ client: '' }, { ...made, client: '' })
    assert.equal(nobody, `A task (since ${since}) is halted at its ceiling of 25 calls. May it go on?`)
    const step = offerFor(halted({ task: made.id }), { tasks: [made] })?.choices[1]?.step
    assert.equal(step?.kind === 'resume' && step.task, made.id)
    assert.match(offerFor(halted({ task: made.id }), { tasks: [] })?.message ?? '', /^Task s239c2ce0cd000002-1 /)
  })

  it('shows a long id by its ends and gives a name from outside no link', () => {
    const id = 'f3a91b7722c04de8a1b2c3d4-12'
    assert.match(
      offerFor(halted({ task: id, client: 'x[y](http://z)' }))?.message ?? '',
      /^Task f3a91b77…3d4-12 \(x y /,
    )
    assert.doesNotMatch(offerFor(halted({ client: 'x[y](http://z)' }))?.message ?? '', /\]\(/)
  })

  it('offers no step for an id that no address can carry', () => {
    assert.deepEqual(titles(offerFor(halted({ task: '../kill' }), { tasks: [] })), [])
  })
})

describe('the message about a loop', () => {
  it('names the tool and how often it came, and offers no room, which would not help (K01)', () => {
    const offer = offerFor(loop())
    assert.equal(
      offer?.message,
      'Task shop-3 (claude-cli/2.1) is halted: it called the tool read_page 3 times with the same arguments and the ' +
        'same result. May it go on?',
    )
    assert.deepEqual(titles(offer), ['Resume', 'Stop Task'])
    assert.equal(offer.kind, 'loopHalted')
  })

  it('tells a round of several steps', () => {
    assert.match(
      offerFor(loop({ cycleLength: 2, repeats: 4 }))?.message ?? '',
      /2 steps with the tool read_page came 4/,
    )
    assert.match(offerFor(loop({ cycleLength: 2, tool: null }))?.message ?? '', /: 2 steps came 3 times/)
    assert.match(offerFor(loop({ tool: null }))?.message ?? '', /: the same step came 3 times/)
  })

  it('is shown for a halt only', () => {
    for (const state of ['ok', 'warn', 'constrained']) assert.equal(offerFor(loop({ state })), undefined)
  })
})

describe('the message about a process that still calls', () => {
  it('names the process and offers to end it, once per process', () => {
    const offer = offerFor(severed())
    assert.equal(
      offer?.message,
      'Task shop-3 (claude-cli/2.1) is halted, and the process node (4242) still calls. ' +
        'Its connections are closed without an answer.',
    )
    assert.deepEqual(offer.choices[0], {
      title: 'End Process',
      step: { kind: 'endProcess', pid: 4242, name: 'node', seen: null },
    })
    assert.equal(offerFor(severed({ call: 'other' }))?.key, offer.key)
    assert.notEqual(offerFor(severed({ pid: 4243 }))?.key, offer.key)
  })

  it('offers nothing to end where the process is not known', () => {
    const offer = offerFor(severed({ pid: null, process: null }))
    assert.match(offer?.message ?? '', /the process could not be found\.$/)
    assert.deepEqual(titles(offer), ['Show Log'])
  })

  it('is not shown for a halted call that got its sentence', () => {
    assert.equal(offerFor(severed({ severed: undefined })), undefined)
  })
})

describe('the messages about traffic', () => {
  const refused = (fields: Record<string, unknown>): DaemonEvent => ({ event: 'refused', time, ...fields })
  const storm = { code: 'restart_storm', scope: 'key', scopeRef: 'local', limit: 20, unit: 'calls' }
  const velocity = { code: 'velocity', scope: 'task', scopeRef: 'shop-3', limit: 0.5, unit: 'eur', window: 'minute' }

  it('tell a restart storm once per key and day, whatever the task is called', () => {
    const offer = offerFor(refused({ ...storm, task: 'run-1' }))
    assert.match(offer?.message ?? '', /^The same task was started 20 times within minutes/)
    assert.match(offerFor(refused({ ...storm, limit: 1 }))?.message ?? '', /^The same task was started once within/)
    assert.equal(offerFor(refused({ ...storm, task: 'run-2' }))?.key, offer?.key)
    assert.notEqual(offerFor({ ...refused(storm), time: '2026-12-01T00:00:00.000Z' })?.key, offer?.key)
  })

  it('tell who spends too fast, and stop a task that does', () => {
    const offer = offerFor(refused(velocity))
    assert.match(offer?.message ?? '', /^Task shop-3 \(claude-cli\/2\.1\) spends more than €0\.50 a minute\./)
    assert.deepEqual(titles(offer), ['Stop Task', 'Show Why'])
    const key = offerFor(refused({ ...velocity, scope: 'key', scopeRef: 'local' }))
    assert.match(key?.message ?? '', /^Key local spends more/)
    assert.deepEqual(titles(key), ['Show Why'])
    assert.match(
      offerFor(refused({ ...velocity, limit: 0 }))?.message ?? '',
      /refused: rate\.eurPerMinute of the plan is 0\.$/,
    )
  })

  it('tell that something else answers, once per model and day', () => {
    const degraded = (fields: Record<string, unknown>): DaemonEvent => ({
      event: 'degraded',
      time,
      model: 'gpt-4o',
      to: 'ollama/qwen3:4b',
      ...fields,
    })
    const offer = offerFor(degraded({}))
    assert.equal(
      offer?.message,
      'A budget is used up: ollama/qwen3:4b answers instead of gpt-4o. Raise the cap to get gpt-4o back.',
    )
    assert.equal(offerFor(degraded({ to: 'cache' }))?.key, offer.key)
    assert.match(offerFor(degraded({ to: 'cache' }))?.message ?? '', /answers of equal earlier calls/)
    assert.notEqual(offerFor(degraded({ model: 'gpt-5' }))?.key, offer.key)
  })

  it('leave the rest to the log, a prompt that may be too large among it', () => {
    assert.equal(
      offerFor({ event: 'over_window', time, model: 'qwen3:4b', estimated: 12_920, window: 4096 }),
      undefined,
    )
    assert.equal(offerFor({ event: 'storm', time, key: 'local', limit: 20 }), undefined)
    assert.equal(offerFor(refused({ code: 'budget_exhausted', kind: 'spent', scope: 'user' })), undefined)
  })
})

describe('the messages about one session', () => {
  it('are about its latest task, whatever they tell, so that they wait for each other and one answer ends them', () => {
    const session = { scope: 'session', task: 'shop' }
    const events = [changed({ ...session, to: 'halted', value: 26 }), changed(session), loop(session), severed(session)]
    const about = (changes: Partial<Status>) => events.map((event) => offerFor(event, changes)?.about)
    assert.deepEqual(about({ tasks: [task({ id: 'shop-9' }), task()] }), Array(4).fill('shop-9'))
    assert.deepEqual(about({ tasks: [] }), Array(4).fill('shop'))
  })
})

describe('messages that are said once', () => {
  const halted = changed({ to: 'halted', value: 26 })
  const obsolete = (event: DaemonEvent, offer: Offer | undefined): boolean =>
    obsoleteKeys(event).some((prefix) => offer!.key.startsWith(prefix))

  it('have a key per task, state and day', () => {
    const key = offerFor(changed())?.key
    assert.equal(offerFor(changed({ counter: 'eur', value: 4.9, limit: 5 }))?.key, key)
    assert.notEqual(offerFor(halted)?.key, key)
    assert.notEqual(offerFor(changed({ task: 'shop-30' }))?.key, key)
    assert.notEqual(offerFor({ ...changed(), time: '2026-12-01T08:00:00.000Z' })?.key, key)
  })

  it('count days in the zone of the gate', () => {
    const storm = { event: 'refused', code: 'restart_storm', limit: 20 } as const
    const [before, midnight] = ['2026-11-30T22:59:59.000Z', '2026-11-30T23:00:00.000Z']
    for (const event of [changed(), loop(), severed(), { ...storm, time }]) {
      const keyAt = (at: string, timezone: string) =>
        offerFor({ ...event, time: at }, { tasks: [task()], timezone })?.key
      assert.ok(keyAt(before, 'Europe/Berlin'))
      assert.notEqual(keyAt(before, 'Europe/Berlin'), keyAt(midnight, 'Europe/Berlin'))
      assert.equal(keyAt(before, 'UTC'), keyAt(midnight, 'UTC'))
    }
  })

  it('are said again after more room or a resume', () => {
    const room = changed({ from: 'halted', to: 'ok', cause: 'room' })
    const resumed = changed({ from: 'halted', to: 'ok', cause: 'resume', counter: null })
    for (const event of [room, resumed]) {
      for (const said of [changed(), halted, severed()]) assert.ok(obsolete(event, offerFor(said)))
    }
    assert.ok(obsolete(changed({ from: 'halted', to: 'constrained', cause: 'room' }), offerFor(halted)))
    assert.ok(obsolete(resumed, offerFor(loop())))
    assert.ok(obsolete({ event: 'resumed', time, scope: 'task', ref: 'shop-3' }, offerFor(loop())))
    assert.ok(obsolete(loop({ state: 'warn' }), offerFor(loop())))
  })

  it('about a task that is close to its ceiling are over once it is halted, and are not said again for that', () => {
    const isOvertaken = (event: DaemonEvent, offer: Offer | undefined): boolean =>
      overtakenKeys(event).some((prefix) => offer!.key.startsWith(prefix))
    for (const event of [halted, changed({ to: 'halted', cause: 'person' }), loop()]) {
      assert.ok(isOvertaken(event, offerFor(changed())))
      assert.ok(!isOvertaken(event, offerFor(halted)) && !isOvertaken(event, offerFor(loop())))
      assert.ok(!isOvertaken(event, offerFor(changed({ task: 'shop-30' }))))
      assert.ok(!obsolete(event, offerFor(changed())))
    }
    assert.deepEqual([overtakenKeys(changed()), overtakenKeys(loop({ state: 'warn' }))], [[], []])
  })

  it('are not said again by the rise itself, by other tasks, or because room does not end a loop', () => {
    assert.ok(!obsolete(changed(), offerFor(changed())))
    assert.ok(!obsolete(halted, offerFor(changed())))
    assert.ok(!obsolete(loop(), offerFor(loop())))
    assert.ok(!obsolete(changed({ task: 'shop', to: 'ok', cause: 'room' }), offerFor(halted)))
    assert.ok(!obsolete(changed({ to: 'ok', cause: 'room' }), offerFor(loop())))
    assert.ok(!obsolete({ event: 'resumed', time, scope: 'global', ref: '' }, offerFor(halted)))
  })
})
