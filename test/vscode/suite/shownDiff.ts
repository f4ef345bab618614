import * as vscode from 'vscode'

/** The input of the diff editor that is shown, if one is. */
export function shownDiff(): vscode.TabInputTextDiff | undefined {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input
  return input instanceof vscode.TabInputTextDiff ? input : undefined
}

/** The text of a document. */
export async function textOf(uri: vscode.Uri): Promise<string> {
  return (await vscode.workspace.openTextDocument(uri)).getText()
}
