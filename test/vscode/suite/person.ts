import assert from 'node:assert/strict'
import * as vscode from 'vscode'
import { eventually } from './window.ts'
import type { ShownMessage } from './window.ts'

/** An input box or a list that the extension opened. */
export interface Asked {
  readonly options: vscode.InputBoxOptions & vscode.QuickPickOptions
  /** What a list offered. */
  readonly labels: readonly string[]
}

/**
 * A person who answers what the extension asks: lists and input boxes in their order by the texts given, messages by a click.
 * Takes the place of VS Code's own until `leave`; nobody could type in a suite.
 */
export function person(...answers: readonly (string | undefined)[]) {
  const { showInputBox, showQuickPick, showInformationMessage, showWarningMessage } = vscode.window
  const left = [...answers]
  const asked: Asked[] = []
  const shown: ShownMessage[] = []

  const message = (text: string, ...rest: readonly unknown[]): Promise<string | undefined> =>
    new Promise((resolve) => {
      const buttons = rest.filter((one) => typeof one === 'string')
      shown.push({
        message: text,
        buttons,
        choose: (button) => {
          assert.ok(buttons.includes(button), `${button} is none of ${buttons.join(', ')}`)
          resolve(button)
        },
        close: () => resolve(undefined),
      })
    })
  Object.assign(vscode.window, {
    showInformationMessage: message,
    showWarningMessage: message,
    showInputBox: (options: vscode.InputBoxOptions = {}) => {
      asked.push({ options, labels: [] })
      return Promise.resolve(left.shift())
    },
    showQuickPick: async (
      items: readonly vscode.QuickPickItem[] | Promise<readonly vscode.QuickPickItem[]>,
      options: vscode.QuickPickOptions = {},
    ) => {
      const entries = await items
      asked.push({ options, labels: entries.map(({ label }) => label) })
      const wanted = left.shift()
      const chosen = entries.find(({ label }) => label === wanted)
      assert.ok(wanted === undefined || chosen, `${wanted} is none of ${entries.map(({ label }) => label).join(', ')}`)
      return chosen
    },
  })
  return {
    asked,
    shown,
    /** Waits for a message. */
    reads: (pattern: RegExp): Promise<ShownMessage> =>
      eventually(`a message like ${String(pattern)}; shown: ${shown.map((one) => one.message).join(' | ')}`, () =>
        shown.find((one) => pattern.test(one.message)),
      ),
    leave: () => {
      for (const one of shown) one.close()
      Object.assign(vscode.window, { showInputBox, showQuickPick, showInformationMessage, showWarningMessage })
    },
  }
}
