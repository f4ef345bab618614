import { homedir } from 'node:os'
import { dirname } from 'node:path'
import * as vscode from 'vscode'
import type { TollgateContext } from '../context.ts'
import { placesOf } from './places.ts'
import type { Places } from './places.ts'

/** Where the clients of this machine and this VS Code keep their settings. */
export function placesHere({ extension }: TollgateContext): Places {
  // `User/globalStorage/<extension>`; in a remote window that is the server's, and the user's files are elsewhere.
  const userDir = vscode.env.remoteName === undefined ? dirname(dirname(extension.globalStorageUri.fsPath)) : null
  return placesOf({ home: homedir(), environment: process.env, userDir })
}
