import * as vscode from 'vscode'
import type { TollgateContext } from './context.ts'

/** A document that the extension brings. */
interface DocumentEntry extends vscode.QuickPickItem {
  readonly uri: vscode.Uri
}

/** *Open Documentation…*: the documents of this version, of which the package has a copy, so that none has to be looked for. */
export async function openDocumentation({ extension, text }: TollgateContext): Promise<void> {
  const folder = vscode.Uri.joinPath(extension.extensionUri, 'docs')
  const picked = await vscode.window.showQuickPick(readEntries(folder), { placeHolder: text.pickDocument })
  if (picked !== undefined) await vscode.commands.executeCommand('markdown.showPreview', picked.uri)
}

async function readEntries(folder: vscode.Uri): Promise<readonly DocumentEntry[]> {
  const files = await vscode.workspace.fs.readDirectory(folder)
  const names = files.map(([name]) => name).filter((name) => name.endsWith('.md'))
  return Promise.all(
    names.sort().map(async (name) => {
      const uri = vscode.Uri.joinPath(folder, name)
      const bytes = await vscode.workspace.fs.readFile(uri)
      return { label: titleOf(new TextDecoder().decode(bytes)) ?? name, description: name, uri }
    }),
  )
}

/** The first heading. */
function titleOf(markdown: string): string | null {
  return /^# (.+)$/m.exec(markdown)?.[1] ?? null
}
