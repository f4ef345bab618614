import * as vscode from 'vscode'

/** Scheme of documents that live in memory. */
const scheme = 'tollgate-text'

/**
 * Shows a text in an editor that nobody can change; it lives in memory, and only while its editor is open. `name` is what the tab says;
 * its ending makes the editor colour it.
 */
export async function showText(name: string, content: string): Promise<void> {
  const provider = vscode.workspace.registerTextDocumentContentProvider(scheme, {
    provideTextDocumentContent: () => content,
  })
  try {
    const path = `/${name.replaceAll('/', '-')}`
    const uri = vscode.Uri.from({ scheme, path, query: String(Date.now()) })
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true })
  } finally {
    provider.dispose()
  }
}
