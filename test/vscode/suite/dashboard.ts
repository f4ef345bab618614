import assert from 'node:assert/strict'
import * as vscode from 'vscode'
import type { Drawn } from '../../../extension/dashboard/messages.ts'
import { api, ask, eventually } from './window.ts'

/** Waits for a drawing of the page that is as it has to be. */
function drawn(what: string, isRight: (drawing: Drawn) => boolean): Promise<Drawn> {
  return eventually(`a dashboard with ${what}`, () => {
    const drawing = api().dashboard()
    return drawing !== null && isRight(drawing) ? drawing : undefined
  })
}

async function turn(words: number): Promise<void> {
  const response = await ask('Hello '.repeat(words), { task: 'charted' })
  assert.equal(response.status, 200)
  await response.text()
}

describe('the dashboard', () => {
  const view = { period: 'today', unit: 'hour', by: 'model', measure: 'tokens', task: 'charted' } as const

  after(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors')
    await eventually('a closed dashboard', () => api().dashboard() === null || undefined)
  })

  it('is drawn with the calls of today and the turns of a task, in the colours of the theme', async () => {
    await turn(300)
    await turn(600)
    await vscode.commands.executeCommand('tollgate.openDashboard', view)
    const { charts, theme } = await drawn('two turns', (drawing) => drawing.charts.turns.linePoints === 2)
    assert.ok(charts.spend.names.includes('gpt-4o'), charts.spend.names.join())
    assert.ok(charts.spend.bars >= 1)
    assert.deepEqual(charts.turns.names, ['Cached input', 'New input', 'Output', 'Spent so far'])
    // Input and output of two turns; nothing was cached.
    assert.equal(charts.turns.bars, 4)
    assert.ok(['light', 'dark', 'highContrast', 'highContrastLight'].includes(theme))
  })

  it('draws the next turn by itself', async () => {
    await turn(900)
    const { charts } = await drawn('three turns', (drawing) => drawing.charts.turns.linePoints === 3)
    assert.equal(charts.turns.bars, 6)
  })

  it('gives the figures behind a chart as CSV, one line a turn', () => {
    const lines = api().dashboardCsv('turns')?.trimEnd().split('\r\n') ?? []
    assert.equal(lines[0], 'Turn,Time,Model,Cached input,New input,Output,Cost,Spent so far')
    assert.equal(lines.length, 4)
    assert.match(lines[3] ?? '', /^3,\d{4}-\d\d-\d\dT[\d:.]+Z,gpt-4o,0,\d+,\d+,0\.\d+,0\.\d+$/)
    const hours = api().dashboardCsv('spend')?.trimEnd().split('\r\n') ?? []
    assert.match(hours.at(-1) ?? '', /^\d{4}-\d\d-\d\dT\d\d:00:00[+-]\d\d:\d\d,/)
  })

  it('asks nothing while it is hidden, and is as it was when it is shown again', async () => {
    const before = await drawn('what was chosen', ({ view: shown }) => shown.task === 'charted')
    assert.deepEqual(before.view, view)
    const document = await vscode.workspace.openTextDocument({ content: 'over it' })
    await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Active, preview: false })
    await eventually('a hidden dashboard', () => api().dashboard() === null || undefined)
    await turn(1200)
    assert.equal(api().dashboard(), null)
    await vscode.commands.executeCommand('tollgate.openDashboard')
    const again = await drawn('four turns', (drawing) => drawing.charts.turns.linePoints === 4)
    assert.deepEqual(again.view, before.view)
    // The page was thrown away and loaded anew, with what VS Code kept of it.
    assert.equal(again.loads, before.loads + 1)
  })

  it('is one panel, which takes over another task', async () => {
    await vscode.commands.executeCommand('tollgate.openDashboard', { task: 'nobody-made-this' })
    const { charts } = await drawn('another task', ({ view: shown }) => shown.task === 'nobody-made-this')
    assert.equal(charts.turns.bars, 0)
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs)
    assert.equal(tabs.filter(({ label }) => label === 'Tollgate Dashboard').length, 1)
  })
})
