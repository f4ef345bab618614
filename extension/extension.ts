import type * as vscode from 'vscode'
import { registerCommands } from './commands.ts'
import { TollgateContext } from './context.ts'
import { Dashboard } from './dashboard/panel.ts'
import type { Drawn } from './dashboard/messages.ts'
import type { ChartName } from './dashboard/page.ts'
import { Notifications } from './ui/notifications.ts'
import { SpendView } from './ui/spendView.ts'
import type { SpendShown } from './ui/spendView.ts'
import { StatusBar } from './ui/statusBar.ts'
import type { StatusBarView } from './ui/statusBarModel.ts'

/** What `activate` returns to tests and to other extensions. */
export interface TollgateApi {
  /** What the status bar item shows now. */
  statusBar(): StatusBarView
  /** What the Spend view shows now. */
  spend(): SpendShown
  /** What the dashboard's page has drawn; null while there is none. */
  dashboard(): Drawn | null
  /** The table behind a chart of the dashboard as CSV; null where it is empty. */
  dashboardCsv(chart: ChartName): string | null
  /** Folder of the ledger and the discovery record. */
  dataDir(): string
}

/** Builds and registers; the daemon is looked for in the background. */
export function activate(extension: vscode.ExtensionContext): TollgateApi {
  const startedMs = performance.now()
  const context = new TollgateContext(extension)
  const statusBar = new StatusBar(context)
  const spend = new SpendView(context)
  const dashboard = new Dashboard(context)
  extension.subscriptions.push(
    context,
    statusBar,
    spend,
    dashboard,
    new Notifications(context),
    ...registerCommands(context),
  )
  context.start()
  context.log.info(`Activated in ${Math.round(performance.now() - startedMs)} ms.`)
  return {
    statusBar: () => statusBar.view,
    spend: () => spend.shown,
    dashboard: () => dashboard.drawn,
    dashboardCsv: (chart) => dashboard.csv(chart),
    dataDir: () => context.dataDir,
  }
}
