import assert from 'node:assert/strict'
import { noCaps } from '../../../extension/ui/exhaustedCaps.ts'
import { renderTooltip } from '../../../extension/ui/tooltip.ts'
import { tooltipCommands } from '../../../extension/ui/tooltipLinks.ts'
import { plain } from '../../../extension/ui/tooltipTable.ts'
import type { Status } from '../../../shared/status.ts'
import { figures, loop, status, task, text } from './support.ts'

const time = '2026-11-30T12:00:00.000Z'

function tooltip(changes: Partial<Status>): string {
  return renderTooltip(
    {
      gate: { kind: 'up', status: status(changes), exhausted: noCaps },
      terminals: { bypassed: false, wrongHost: false, skipped: [] },
      host: null,
      show: 'spendAndTokens',
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
    assert.ok(
      shown.includes(
        `| shop\u20113 · claude\u2011cli/2.1 | &nbsp;&nbsp;&nbsp;€0.84 | &nbsp;&nbsp;&nbsp;25 | &nbsp;&nbsp;&nbsp;halted · ${resume} |`,
      ),
    )
  })

  it('are shown constrained with the forecast and a link that stops them', () => {
    const forecast = { haltsInTurns: 3, eurAtHalt: 1.9 }
    const shown = tooltip({ tasks: [task({ state: 'constrained', forecast })] })
    assert.ok(shown.includes(`constrained, smaller calls, about 3 calls left · ${stop}`))
  })

  it('are shown halted in a loop although their counters are far from a ceiling', () => {
    assert.ok(tooltip({ tasks: [task({ loop })] }).includes(`halted, repeats read\\_page · ${resume}`))
    const unnamed = tooltip({ tasks: [task({ loop: { ...loop, tool: null } })] })
    assert.ok(unnamed.includes(`halted, repeats itself · ${resume}`))
  })

  it('are left out while they are well and quiet, and shown while a call of theirs runs', () => {
    assert.doesNotMatch(tooltip({ tasks: [task()] }), /shop.3/)
    const inFlight = [{ call: 'a', task: 'shop-3', model: 'gpt-5', elapsedMs: 1000, outputTokens: 5 }]
    assert.ok(tooltip({ tasks: [task()], inFlight }).includes(`running · ${stop}`))
    assert.ok(tooltip({ tasks: [task({ state: 'warn' })], inFlight }).includes(`near its ceiling · ${stop}`))
  })

  it('name the client, and take no more room than a cell bears', () => {
    const shown = tooltip({ tasks: [task({ state: 'halted', client: `x|https://evil.example ${'y'.repeat(200)}` })] })
    const row = shown.split('\n').find((line) => line.includes('shop\u20113')) ?? ''
    assert.ok(row.startsWith('| shop\u20113 · x\\|https\\://evil.example y'))
    assert.ok(row.length < 250)
    assert.ok(tooltip({ tasks: [task({ state: 'halted', client: '' })] }).includes('| shop\u20113 | '))
  })

  it('are called by their id alone where they are guarded terminals, in the link too', () => {
    const shown = tooltip({ tasks: [task({ id: 'term-1130-3', state: 'halted' })] })
    assert.match(shown, /\| term\u20111130\u20113 \| /)
    assert.ok(shown.includes('(command:tollgate.resumeTask?%5B%22term-1130-3%22%5D)'))
  })

  it('are called by who calls and since when where nobody gave them a name, also beside a running call', () => {
    const made = task({ id: 's239c2ce0cd000002-1', named: false, client: 'OpenAI/JS', state: 'halted' })
    const inFlight = [{ call: 'a', task: made.id, model: 'gpt-5', elapsedMs: 1000, outputTokens: 5 }]
    const shown = tooltip({ tasks: [made], inFlight })
    const label = `OpenAI/JS, ${plain(figures.when(made.startedAt, Date.parse(time)))}`
    assert.ok(shown.includes(`| ${label} | &nbsp;&nbsp;&nbsp;€0.84 |`))
    assert.ok(shown.includes(`| gpt\u20115 | &nbsp;&nbsp;&nbsp;1 s | &nbsp;&nbsp;&nbsp;${label} |`))
    assert.ok(shown.includes('(command:tollgate.resumeTask?%5B%22s239c2ce0cd000002-1%22%5D)'))
  })

  it('come with the halted ones first, and not more than six', () => {
    const tasks = [
      ...Array.from({ length: 7 }, (_, index) => task({ id: `c${index}`, state: 'constrained' })),
      task({ id: 'last', state: 'halted' }),
    ]
    const shown = tooltip({ tasks })
    assert.ok(shown.indexOf('| last ·') > 0 && shown.indexOf('| last ·') < shown.indexOf('| c0 ·'))
    assert.doesNotMatch(shown, /\| c5 ·/)
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
