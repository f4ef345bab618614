import assert from 'node:assert/strict'
import * as vscode from 'vscode'
import { openControl } from '../../../extension/daemon/client.ts'
import { ownValue, parseSettings } from '../../../extension/settings.ts'
import type { ControlRequest } from '../../../shared/protocol.ts'
import { eventually, interceptWarnings, record, setSetting, status } from './window.ts'

/** What a window sends that is opened now: it reads the same settings and knows of no value before. */
function greetingOfNewWindow(): readonly ControlRequest[] {
  const configuration = vscode.workspace.getConfiguration('tollgate')
  const { settings } = parseSettings({
    effective: (key) => configuration.get(key),
    user: (key) => ownValue(configuration.inspect(key), configuration.get(key)),
  })
  return [
    { type: 'hello', client: 'extension', window: 'another', version: '0.1.0' },
    { type: 'settings', caps: settings.caps, keep: settings.keepCaps },
  ]
}

/** Opens it, and waits until the daemon has heard all of it: an answer to the last message comes after the others. */
async function openWindow(): Promise<{ close(): void }> {
  const greeting = greetingOfNewWindow()
  const { port, token } = await record()
  return new Promise((resolve) => {
    const client = openControl(
      { port, token },
      {
        opened: () => {
          for (const request of greeting) client.send(request)
          const last = { type: 'settings', caps: { userDailyEur: '2,0' }, keep: [] }
          client.send(last as unknown as ControlRequest)
        },
        message: ({ event }) => {
          if (event === 'caps_refused') resolve(client)
        },
        closed: () => undefined,
      },
    )
  })
}

describe('a cap with a typing error', () => {
  const capOfDay = (eur: number): Promise<true> =>
    eventually(`the cap of ${eur}`, async () => ((await status()).today.capEur === eur ? true : undefined))

  afterEach(async () => {
    for (const name of ['dailyEur', 'dailyTokens']) await setSetting(`caps.${name}`, undefined)
    await capOfDay(10)
  })

  it('M09: keeps the cap before it also when another window opens', async () => {
    await setSetting('caps.dailyEur', 2)
    await capOfDay(2)
    const warnings = interceptWarnings()
    try {
      await setSetting('caps.dailyEur', '2,0')
      const said = await warnings.find(/^tollgate\.caps\.dailyEur has to be a number from 0 to 9,000,000, or null/)
      assert.match(said.message, /The cap before it stays in force\.$/)
      said.close()
    } finally {
      warnings.restore()
    }
    const other = await openWindow()
    assert.equal((await status()).today.capEur, 2)
    other.close()
  })

  it('M09: leaves the other caps in force, here one of 10^16 tokens beside a good one in euros', async () => {
    await setSetting('caps.dailyTokens', 1e16)
    await setSetting('caps.dailyEur', 3)
    await capOfDay(3)
    assert.equal((await status()).today.capTokens, null)
  })
})
