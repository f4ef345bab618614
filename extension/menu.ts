import * as vscode from 'vscode'
import type { TollgateContext } from './context.ts'
import { stoppedAt } from './stop/stopped.ts'

interface MenuEntry extends vscode.QuickPickItem {
  readonly command: string
}

/** *Show Menu*: what the tooltip offers and more, for those who have no mouse. */
export async function showMenu(context: TollgateContext): Promise<void> {
  const { text, gate, terminals } = context
  const stopped = stoppedAt(gate)
  const mayResume =
    stopped !== 'none' || gate.kind === 'unfollowed' || (gate.kind !== 'up' && (await context.stops.waits()))
  const { bypassed } = terminals.state
  const picked = await vscode.window.showQuickPick(
    [
      ...(mayResume ? [entry('play-circle', text.linkResume, 'tollgate.resume')] : []),
      ...(stopped === 'all' ? [] : [entry('stop-circle', text.linkStop, 'tollgate.stopAll')]),
      entry('graph', text.linkDashboard, 'tollgate.openDashboard'),
      entry('list-tree', text.menuSpend, 'tollgate.spend.focus'),
      separator,
      entry('add', text.linkRaise, 'tollgate.raiseToday'),
      entry('settings-gear', text.linkCaps, 'tollgate.openCaps'),
      separator,
      entry('shield', text.menuNewTerminal, 'tollgate.newGuardedTerminal'),
      entry('copy', text.menuCopyUrl, 'tollgate.copyBaseUrl'),
      entry('beaker', text.menuTryIt, 'tollgate.tryIt'),
      entry('checklist', text.doctor.title, 'tollgate.doctor'),
      separator,
      entry('book', text.menuDocumentation, 'tollgate.openDocumentation'),
      entry('gear', text.linkEnable, 'tollgate.openSettings'),
      entry('output', text.linkLog, 'tollgate.showLog'),
      bypassed
        ? entry('shield', text.linkGuard, 'tollgate.guard')
        : entry('debug-disconnect', text.linkBypass, 'tollgate.bypass'),
      entry('debug-restart', text.linkRestart, 'tollgate.restartDaemon'),
    ],
    { title: text.menuTitle },
  )
  if (picked) await vscode.commands.executeCommand(picked.command)
}

function entry(icon: string, label: string, command: string): MenuEntry {
  return { label: `$(${icon}) ${label}`, command }
}

/** A line between two groups; it cannot be picked. */
const separator: MenuEntry = { label: '', kind: vscode.QuickPickItemKind.Separator, command: '' }
