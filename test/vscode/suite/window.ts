import assert from 'node:assert/strict'
import * as vscode from 'vscode'
import type { TollgateApi } from '../../../extension/extension.ts'
import { callDaemon } from '../../../extension/daemon/api.ts'
import { readKey, readRecord } from '../../../extension/daemon/discovery.ts'
import { gateUrl } from '../../../shared/addresses.ts'
import type { DiscoveryRecord } from '../../../shared/protocol.ts'
import type { Status } from '../../../shared/status.ts'

/** Waits until `look` gives something; the failure names what was waited for and what was seen last. */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | undefined> | T | undefined,
  ms = 20_000,
): Promise<T> {
  const untilMs = Date.now() + ms
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (Date.now() > untilMs) throw new Error(`Waited in vain for ${what}. Status bar: ${api().statusBar().text}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** The extension that VS Code has loaded. */
export function extension(): vscode.Extension<TollgateApi> {
  const found = vscode.extensions.getExtension<TollgateApi>('tollgate.tollgate')
  assert.ok(found, 'the extension is not there')
  return found
}

/** What `activate` returned. */
export function api(): TollgateApi {
  return extension().exports
}

/** Waits for a text of the status bar item. */
export function statusBarShows(pattern: RegExp, ms?: number): Promise<string> {
  return eventually(
    `a status bar text like ${String(pattern)}`,
    () => {
      const { text } = api().statusBar()
      return pattern.test(text) ? text : undefined
    },
    ms,
  )
}

/** Record of the running daemon. */
export function record(): Promise<DiscoveryRecord> {
  return eventually('the discovery record', () => readRecord(api().dataDir()))
}

/** `GET /api/status`. */
export async function status(): Promise<Status> {
  return (await callDaemon(await record(), 'GET', '/api/status')) as Status
}

/** One message of a conversation, as the provider wants it. */
export type Message = Readonly<Record<string, unknown>>

/** Asks a model through the gate, as a client in a terminal would. The body of a stream is not read. */
export async function ask(
  prompt: string | readonly Message[],
  options: { readonly stream?: boolean; readonly task?: string } = {},
): Promise<Response> {
  const key = await readKey(api().dataDir())
  assert.ok(key)
  const base = gateUrl({ origin: (await record()).url, key, task: options.task ?? null }, 'openai')
  return fetch(`${base}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer sk-test' },
    body: JSON.stringify({
      model: 'gpt-4o',
      max_tokens: 4000,
      stream: options.stream ?? false,
      messages: typeof prompt === 'string' ? [{ role: 'user', content: prompt }] : prompt,
    }),
  })
}

/** Calls the control API. */
export async function control(method: 'GET' | 'POST', path: string, body?: unknown): Promise<unknown> {
  return callDaemon(await record(), method, path, body)
}

/** A message that the extension shows, with its buttons; it stays open until a button is chosen or it is closed. */
export interface ShownMessage {
  readonly message: string
  readonly buttons: readonly string[]
  choose(button: string): void
  close(): void
}

/** Takes the place of VS Code's warnings until `restore`; nobody could click on them in a suite. */
export function interceptWarnings() {
  const real = vscode.window.showWarningMessage
  const shown: ShownMessage[] = []
  const intercept = (message: string, ...rest: readonly unknown[]): Promise<string | undefined> =>
    new Promise((resolve) => {
      const buttons = rest.filter((one) => typeof one === 'string')
      shown.push({
        message,
        buttons,
        choose: (button) => {
          assert.ok(buttons.includes(button), `${button} is none of ${buttons.join(', ')}`)
          resolve(button)
        },
        close: () => resolve(undefined),
      })
    })
  Object.assign(vscode.window, { showWarningMessage: intercept })
  return {
    shown,
    /** Waits for a message. */
    find: (pattern: RegExp): Promise<ShownMessage> =>
      eventually(`a message like ${String(pattern)}`, () => shown.find(({ message }) => pattern.test(message))),
    restore: () => Object.assign(vscode.window, { showWarningMessage: real }),
  }
}

/** Sets one of Tollgate's settings for the user; undefined takes it back. */
export async function setSetting(key: string, value: unknown): Promise<void> {
  await vscode.workspace.getConfiguration('tollgate').update(key, value, vscode.ConfigurationTarget.Global)
}

/** The environment of a new integrated terminal, read by a program that runs in it. */
export async function terminalEnvironment(): Promise<Record<string, string>> {
  const file = vscode.Uri.joinPath(vscode.Uri.file(api().dataDir()), `terminal-${Date.now()}.json`)
  const script = `require('fs').writeFileSync(${JSON.stringify(file.fsPath)}, JSON.stringify(process.env))`
  const terminal = vscode.window.createTerminal({
    name: 'environment',
    shellPath: process.execPath,
    shellArgs: ['-e', script],
    env: { ELECTRON_RUN_AS_NODE: '1' },
  })
  try {
    return await eventually('the environment of a terminal', async () => {
      try {
        const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(file))
        return JSON.parse(text) as Record<string, string>
      } catch {
        return undefined
      }
    })
  } finally {
    terminal.dispose()
  }
}
