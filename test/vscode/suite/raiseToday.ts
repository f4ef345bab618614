import assert from 'node:assert/strict'
import * as vscode from 'vscode'
import type { SpendNode } from '../../../extension/ui/spendNode.ts'
import { prompts } from '../host/prompts.ts'
import { person } from './person.ts'
import { api, ask, eventually, extension, setSetting, status, statusBarShows } from './window.ts'

const command = 'tollgate.raiseToday'

/** A row of the Spend view. */
function row(id: string, nodes: readonly SpendNode[] = api().spend().nodes): SpendNode | undefined {
  return nodes.find((node) => node.id === id) ?? nodes.flatMap((node) => row(id, node.children) ?? [])[0]
}

async function refusal(): Promise<string | null> {
  const response = await ask('Hello')
  await response.text()
  return response.headers.get('x-tollgate-code')
}

/** Sets a cap of which nothing is left. */
async function useUp(setting: 'caps.dailyEur' | 'caps.monthlyEur', spentEur: number): Promise<number> {
  const cap = Math.floor(spentEur * 100) / 100
  await setSetting(setting, cap)
  await eventually('the used up cap', async () => {
    const { today, month } = await status()
    return (setting === 'caps.dailyEur' ? today : month).capEur === cap ? true : undefined
  })
  return cap
}

describe('more for today', () => {
  let someone: ReturnType<typeof person> | undefined

  /** Runs the command with a person who answers; resolves when it asked for everything. */
  async function run(...answers: readonly (string | undefined)[]): Promise<ReturnType<typeof person>> {
    someone?.leave()
    someone = person(...answers)
    await vscode.commands.executeCommand(command)
    return someone
  }

  before(async () => {
    await extension().activate()
    await statusBarShows(/pulse/)
    await (await ask(prompts.dear)).text()
    await eventually('spend', async () => ((await status()).today.spentEur > 0.1 ? true : undefined))
    await vscode.commands.executeCommand('tollgate.spend.focus')
    await eventually('the open view', () => api().spend().isVisible || undefined)
  })

  afterEach(async () => {
    someone?.leave()
    await setSetting('caps.dailyEur', undefined)
    await setSetting('caps.monthlyEur', undefined)
    await eventually('the default caps', async () => {
      const { today, month } = await status()
      return today.capEur === 10 && month.capEur === 150 ? true : undefined
    })
  })

  after(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors')
    await vscode.commands.executeCommand('workbench.view.explorer')
  })

  it('lets a call pass that was refused, after two clicks, visibly for a while, and takes it back', async () => {
    await useUp('caps.dailyEur', (await status()).today.spentEur)
    assert.equal(await refusal(), 'budget_exhausted')

    // Escape changes nothing.
    const { asked } = await run(undefined)
    assert.match(asked[0]?.options.title ?? '', /^Raise for today: €\d+\.\d\d a day for you$/)
    assert.match(asked[0]?.options.placeHolder ?? '', /^€\d+\.\d\d of €\d+\.\d\d used \(\d+%\)\. How much more until/)
    const labels = asked[0]?.labels ?? []
    assert.deepEqual(labels.slice(-2), ['Another amount…', 'Another cap…'])
    assert.equal((await status()).today.grantedEur, 0)
    assert.equal(await refusal(), 'budget_exhausted')

    const amount = labels.at(-3) ?? ''
    assert.match(amount, /^€\d+\.\d\d$/)
    const raised = await run(amount)
    const said = await raised.reads(/more until/)
    assert.ok(said.message.startsWith(`${amount} more until `), said.message)
    assert.equal(`€${(await status()).today.grantedEur.toFixed(2)}`, amount)
    assert.equal(await refusal(), null)
    const allowed = await eventually('the row with what is allowed', () => row('today/allowed'))
    assert.ok(allowed.label.startsWith(`+${amount} until `), allowed.label)
    assert.deepEqual([allowed.menu, row('today')?.menu], [['takeBack'], ['raise']])
    await eventually('the tooltip with what is allowed', () =>
      api().statusBar().tooltip.includes(`Today: ${amount} allowed on top of the cap until `) ? true : undefined,
    )

    said.choose('Take Back')
    await raised.reads(/taken back from €\d+\.\d\d a day for you\.$/)
    await eventually('the view without it', () => (row('today/allowed') === undefined ? true : undefined))
    assert.equal(await refusal(), 'budget_exhausted')
  })

  it('lists every cap where several are near, and says which one still holds', async () => {
    const { today, month } = await status()
    await useUp('caps.monthlyEur', month.spentEur + 0.05)
    const cap = await useUp('caps.dailyEur', today.spentEur)
    const first = await run(undefined)
    assert.equal(first.asked[0]?.options.placeHolder, 'Raise which cap for today?')
    const [day] = first.asked[0].labels
    assert.equal(day, `€${cap.toFixed(2)} a day for you`)
    const raised = await run(day, 'Another amount…', '5')
    const said = await raised.reads(/^€5\.00 more until/)
    assert.match(said.message, /The cap of €\d+\.\d\d a month for the account still holds: €\d\.\d+ left\.$/)

    // From the row of the month, that cap comes first.
    someone?.leave()
    someone = person(undefined)
    await vscode.commands.executeCommand(command, 'month')
    assert.match(someone.asked[0]?.options.title ?? '', /a month for the account$/)

    someone.leave()
    someone = person()
    await vscode.commands.executeCommand('tollgate.takeBackToday', 'today/allowed')
    await someone.reads(/^€5\.00 taken back/)
    assert.equal((await status()).today.grantedEur, 0)
    await vscode.commands.executeCommand('tollgate.takeBackToday')
    await someone.reads(/^Nothing is allowed on top of a cap\.$/)
  })

  it('is offered by the message about a month that is used up, and asks about that cap', async () => {
    someone?.leave()
    someone = person(undefined)
    const { asked, reads } = someone
    await useUp('caps.monthlyEur', (await status()).month.spentEur)
    assert.equal(await refusal(), 'budget_exhausted')
    const message = await reads(/^The budget is used up: €\d+\.\d\d a month for the account\./)
    assert.deepEqual(message.buttons, ['Raise for Today…', 'Change Cap…', "Don't Show Again"])
    message.choose('Raise for Today…')
    const question = await eventually('the question how much', () => asked[0])
    assert.match(question.options.title ?? '', /^Raise for today: €\d+\.\d\d a month for the account$/)
  })

  it('opens the settings where no cap is set', async () => {
    await setSetting('caps.dailyEur', null)
    await setSetting('caps.monthlyEur', null)
    await eventually('no caps', async () => {
      const { today, month } = await status()
      return today.capEur === null && month.capEur === null ? true : undefined
    })
    const { asked, reads } = await run()
    await reads(/^No cap is set\./)
    assert.deepEqual(asked, [])
  })

  it('says that it cannot while the gate is down, and how to get it back', async () => {
    await setSetting('daemon.nodePath', '/nowhere/node')
    try {
      await statusBarShows(/gate down/)
      const { reads } = await run()
      assert.deepEqual((await reads(/^The gate is not running, so no cap can be changed\.$/)).buttons, [
        'Restart',
        'Show Log',
      ])
    } finally {
      await setSetting('daemon.nodePath', undefined)
      await statusBarShows(/pulse/)
    }
  })
})
