import * as vscode from 'vscode'
import { findCall } from './calls.ts'
import type { TollgateContext } from './context.ts'
import { showText } from './shownText.ts'
import { callDetails } from './ui/callDetails.ts'

/** Opens a document with what the ledger knows of one call. Throws what `Supervisor.call` throws. */
export async function showCall({ supervisor, text, figures }: TollgateContext, id: string, sinceMs: number) {
  const row = await findCall(supervisor, id, sinceMs)
  if (row === undefined) void vscode.window.showInformationMessage(text.window.callIsGone)
  else await showText('Tollgate Call.txt', callDetails(row, text, figures))
}
