import { basename } from 'node:path'
import * as vscode from 'vscode'

/** Scheme of the two sides of a shown change. */
const scheme = 'tollgate-client'

/** Shows two texts beside each other, in memory only. `close` takes the editor away. */
export async function showChange(
  target: string,
  before: string,
  after: string,
  title: string,
): Promise<{ close(): Promise<void> }> {
  // The file's own name makes the editor colour it.
  const path = `/${basename(target).includes('.json') || /\.(toml|yaml)$/.test(target) ? basename(target) : `${target}.json`}`
  const id = String(Date.now())
  const uris = [before, after].map((_, side) => vscode.Uri.from({ scheme, path, query: `${side}-${id}` }))
  const [left, right] = uris
  if (left === undefined || right === undefined) return { close: () => Promise.resolve() }
  const provider = vscode.workspace.registerTextDocumentContentProvider(scheme, {
    provideTextDocumentContent: (uri) => (uri.query.startsWith('0-') ? before : after),
  })
  try {
    // Both are held open, so that they are there when the editor asks for them.
    await Promise.all(uris.map((uri) => vscode.workspace.openTextDocument(uri)))
    await vscode.commands.executeCommand('vscode.diff', left, right, title, { preview: true })
  } finally {
    provider.dispose()
  }
  return {
    close: async () => {
      const shown = vscode.window.tabGroups.all
        .flatMap(({ tabs }) => tabs)
        .filter(
          ({ input }) => input instanceof vscode.TabInputTextDiff && input.modified.toString() === right.toString(),
        )
      if (shown.length > 0) await vscode.window.tabGroups.close(shown)
    },
  }
}
