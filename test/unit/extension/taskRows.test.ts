import assert from 'node:assert/strict'
import type { DaemonEvent } from '../../../extension/ui/eventFields.ts'
import { loopsAfter, noLoops } from '../../../extension/ui/loops.ts'
import type { Loops } from '../../../extension/ui/loops.ts'
import { renderTooltip, tooltipCommands } from '../../../extension/ui/tooltip.ts'
import type { Status } from '../../../shared/status.ts'
import { figures, status, task, text } from './support.ts'

const time = '2026-11-30T12:00:00.000Z'

function tooltip(changes: Partial<Status>, loops: Loops = noLoops): string {
  return renderTooltip(
    {
      gate: { kind: 'up', status: status(changes), exhausted: null, loops },
      terminals: { bypassed: false, wrongHost: false, skipped: [] },
      host: null,
      nowMs: Date.parse(time),
    },
    text,
    figures,
  )
}

const resume = '[Resume](command:tollgate.resumeTask?%5B%22shop-3%22%5D)'
const stop = '[Stop](command:tollgate.stopTask?%5B%22shop-3%22%5D)'

describe("tasks in the status bar's tooltip", () => {
  it('are shown halted with a link that lets them go on', () => {
    const shown = tooltip({ tasks: [task({ state: 'halted', iterations: 25 })] })
    assert.match(shown, /\| \*\*Task\*\* \|/)
    assert.ok(shown.includes(`| shop-3 | &emsp;€0.84 | &emsp;25 | &emsp;halted · ${resume} |`))
  })

  it('are shown constrained with the forecast and a link that stops them', () => {
    const forecast = { haltsInTurns: 3, eurAtHalt: 1.9 }
    const shown = tooltip({ tasks: [task({ state: 'constrained', forecast })] })
    assert.ok(shown.includes(`constrained, about 3 calls left · ${stop}`))
  })

  it('are shown halted in a loop although their counters are far from a ceiling', () => {
    const loops = new Map([['shop-3', { tool: 'read_page', repeats: 3 }]])
    assert.ok(tooltip({ tasks: [task()] }, loops).includes(`halted, repeats read\\_page · ${resume}`))
  })

  it('are left out while they are well and quiet, and shown while a call of theirs runs', () => {
    assert.doesNotMatch(tooltip({ tasks: [task()] }), /shop-3/)
    const inFlight = [{ call: 'a', task: 'shop-3', model: 'gpt-5', elapsedMs: 1000, outputTokens: 5 }]
    assert.ok(tooltip({ tasks: [task()], inFlight }).includes(`running · ${stop}`))
    assert.ok(tooltip({ tasks: [task({ state: 'warn' })], inFlight }).includes(`near its ceiling · ${stop}`))
  })

  it('come with the halted ones first, and not more than six', () => {
    const tasks = [
      ...Array.from({ length: 7 }, (_, index) => task({ id: `c${index}`, state: 'constrained' })),
      task({ id: 'last', state: 'halted' }),
    ]
    const shown = tooltip({ tasks })
    assert.ok(shown.indexOf('| last |') > 0 && shown.indexOf('| last |') < shown.indexOf('| c0 |'))
    assert.doesNotMatch(shown, /\| c5 \|/)
    assert.match(shown, /and 2 more/)
  })

  it('link only to commands that the tooltip is trusted for, and nowhere with an id that no address can carry', () => {
    const shown = tooltip({ tasks: [task({ state: 'halted' }), task({ id: 'x](command:evil)', state: 'halted' })] })
    const linked = [...shown.matchAll(/[^\\]\]\(command:([^)?]+)/g)].map((match) => match[1])
    assert.ok(linked.includes('tollgate.resumeTask'))
    for (const command of linked)
      assert.ok(
        tooltipCommands.some((name) => name === command),
        command,
      )
  })
})

describe('halted loops', () => {
  const event = (name: DaemonEvent['event'], fields: Record<string, unknown> = {}): DaemonEvent => ({
    event: name,
    time,
    task: 'shop-3',
    ...fields,
  })
  const halted = loopsAfter(noLoops, event('loop', { state: 'halted', tool: 'read_page', repeats: 3 }))

  it('are kept until the task is free again', () => {
    assert.deepEqual([...halted], [['shop-3', { tool: 'read_page', repeats: 3 }]])
    for (const free of [
      event('loop', { state: 'warn' }),
      event('call_started'),
      event('state_changed', { cause: 'resume', to: 'ok' }),
      event('resumed', { scope: 'task', ref: 'shop-3' }),
    ]) {
      assert.equal(loopsAfter(halted, free).size, 0, free.event)
    }
  })

  it('are the same object after an event that changes nothing', () => {
    for (const other of [
      event('call_settled'),
      event('refused', { code: 'loop_halted' }),
      event('state_changed', { cause: 'ceiling', to: 'halted' }),
      event('call_started', { task: 'other' }),
      event('killed', { task: undefined }),
    ]) {
      assert.equal(loopsAfter(halted, other), halted, other.event)
    }
  })

  it('do not grow without end', () => {
    let loops = noLoops
    for (let count = 0; count < 150; count++)
      loops = loopsAfter(loops, event('loop', { task: `t${count}`, state: 'halted' }))
    assert.equal(loops.size, 100)
    assert.ok(loops.has('t149') && !loops.has('t0'))
  })
})
