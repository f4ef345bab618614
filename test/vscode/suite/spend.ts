import assert from 'node:assert/strict'
import * as vscode from 'vscode'
import type { SpendNode } from '../../../extension/ui/spendNode.ts'
import { prompts } from '../host/prompts.ts'
import { api, ask, control, eventually, extension, record, setSetting, statusBarShows } from './window.ts'

/** Every row that the Spend view shows. */
function rows(nodes: readonly SpendNode[] = api().spend().nodes): readonly SpendNode[] {
  return nodes.flatMap((node) => [node, ...rows(node.children)])
}

function shows(what: string, look: (node: SpendNode) => boolean): Promise<SpendNode> {
  return eventually(what, () => rows().find(look))
}

async function open(): Promise<void> {
  await vscode.commands.executeCommand('tollgate.spend.focus')
  await eventually('the open view', () => api().spend().isVisible || undefined)
}

async function leave(): Promise<void> {
  await vscode.commands.executeCommand('workbench.view.explorer')
  await eventually('the closed view', () => !api().spend().isVisible || undefined)
}

async function refuse(task: string): Promise<void> {
  assert.equal((await ask('Hello', { task })).headers.get('x-tollgate-code'), 'task_halted')
}

describe('the Spend view', () => {
  before(async () => {
    await extension().activate()
    await statusBarShows(/pulse/)
  })

  after(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors')
    await leave()
  })

  it('counts what was blocked while nobody looked, and forgets it when somebody does', async () => {
    // What other tests were refused is looked at first: the badge is drawn at most once a second, and theirs may be under way.
    await open()
    await eventually('no badge before', () => api().spend().badge === 0 || undefined)
    await leave()
    await (await ask(prompts.dear, { task: 'viewed' })).text()
    await control('POST', '/api/tasks/viewed/halt')
    await refuse('viewed')
    await refuse('viewed')
    await eventually('a badge', () => api().spend().badge >= 2 || undefined)
    await open()
    await eventually('no badge', () => api().spend().badge === 0 || undefined)
  })

  it('has today by model and project, and shows that a call was blocked and why', async () => {
    await open()
    const model = await shows(
      'the model with its tokens',
      ({ id, tooltip }) => id === 'model/gpt-4o' && tooltip.includes('new input tokens'),
    )
    assert.match(model.description, /^€\d+\.\d\d · \d+ calls?$/)
    await shows('the calls without a project', ({ id, label }) => id === 'projectless' && label === 'no project')
    const blocked = await shows(
      'the refusal',
      ({ id, task }) => id.startsWith('blocked/task_halted/') && task === 'viewed',
    )
    assert.match(blocked.label, /^Task viewed .*\.$/)
    assert.match(blocked.tooltip, /Task: viewed/)
  })

  it('calls a task without a name by who calls and since when', async () => {
    await open()
    assert.equal((await ask('Hello')).status, 200)
    const made = await shows('the task', ({ id, label }) => id.startsWith('task/') && /^node, \d\d:\d\d/.test(label))
    assert.ok(made.task !== null && made.tooltip.startsWith(made.task), made.tooltip)
    assert.match(made.spoken, /^A task of node \(since \d\d:\d\d/)
  })

  it('lets a halted task go on, and stops it again, from its row', async () => {
    await open()
    const halted = await shows('the halted task', ({ id, menu }) => id === 'task/viewed' && menu.includes('resume'))
    assert.match(halted.description, /^halted · \d+ calls? · €\d/)
    await vscode.commands.executeCommand('tollgate.spend.resumeTask', halted.id)
    assert.equal((await ask('Hello', { task: 'viewed' })).status, 200)
    await shows('the task that may be stopped', ({ id, menu }) => id === 'task/viewed' && menu.includes('stop'))
    await vscode.commands.executeCommand('tollgate.spend.stopTask', halted.id)
    await refuse('viewed')
    await shows('the stopped task', ({ id, menu }) => id === 'task/viewed' && menu.includes('resume'))
  })

  it("shows a task's calls in a read-only table", async () => {
    await open()
    await shows('the task', ({ id }) => id === 'task/viewed')
    await vscode.commands.executeCommand('tollgate.spend.showCalls', 'task/viewed')
    const document = await eventually('the document', () =>
      vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === 'tollgate-calls'),
    )
    const lines = await eventually('two calls', () => {
      const text = document.getText().split('\n')
      return text.filter((line) => line.includes('gpt-4o')).length === 2 ? text : undefined
    })
    assert.match(lines[0] ?? '', /^Task viewed .*, calls$/)
    assert.match(lines.find((line) => line.includes('gpt-4o')) ?? '', /100,000 +0 +2,000 +€0\.\d\d/)

    // It grows while it is open.
    await vscode.commands.executeCommand('tollgate.spend.resumeTask', 'task/viewed')
    assert.equal((await ask('Hello', { task: 'viewed' })).status, 200)
    await eventually('a third call', () => document.getText().split('gpt-4o').length === 4 || undefined)
  })

  it('opens the dashboard with the turns of the task whose row was chosen', async () => {
    await open()
    await shows('the task', ({ id }) => id === 'task/viewed')
    await vscode.commands.executeCommand('tollgate.spend.openDashboard', 'task/viewed')
    await eventually('its turns', () => api().dashboard()?.view.task === 'viewed' || undefined)
    await vscode.commands.executeCommand('workbench.action.closeAllEditors')
  })

  it('says above the rows that all calls are stopped', async () => {
    await open()
    await vscode.commands.executeCommand('tollgate.stopAll')
    await eventually('the message', () => /stopped all model calls/.test(api().spend().message) || undefined)
    await vscode.commands.executeCommand('tollgate.resume')
    await eventually('no message', () => api().spend().message === '' || undefined)
  })

  it('shows what was blocked while this window was not told of it', async () => {
    await open()
    await control('POST', '/api/tasks/unheard/halt')
    await setSetting('enabled', false)
    await statusBarShows(/gate off/)
    try {
      await eventually('an empty view', () => api().spend().nodes.length === 0 || undefined)
      await refuse('unheard')
    } finally {
      await setSetting('enabled', undefined)
      await statusBarShows(/pulse/)
    }
    await shows('the refusal', ({ id, task }) => id.startsWith('blocked/task_halted/') && task === 'unheard')
  })

  it('makes room for its welcome while the gate cannot be started, and comes back with it', async () => {
    await open()
    const { pid } = await record()
    await setSetting('daemon.nodePath', '/nowhere/node')
    try {
      await statusBarShows(/gate down/)
      await eventually('an empty view', () => api().spend().nodes.length === 0 || undefined)
      assert.equal(api().spend().message, '')
      const manifest = extension().packageJSON as {
        contributes: { viewsWelcome: { when: string; contents: string }[] }
      }
      const welcome = manifest.contributes.viewsWelcome.find(({ when }) => when === 'tollgate.gate == down')
      assert.match(welcome?.contents ?? '', /\[Restart the Gate\]\(command:tollgate\.restartDaemon\)/)
    } finally {
      await setSetting('daemon.nodePath', undefined)
      await statusBarShows(/pulse/)
    }
    assert.notEqual((await record()).pid, pid)
    await shows('the model again', ({ id }) => id === 'model/gpt-4o')
    await shows('the refusal of before', ({ id }) => id.startsWith('blocked/task_halted/'))
  })
})
