import { stoppedAt } from '../stop/stopped.ts'
import type { Text } from '../text/text.ts'
import type { GateView, StatusBarState } from './gateView.ts'

/** Commands that a link of the tooltip may run; the markdown is trusted for these and no others. */
export const tooltipCommands = [
  'tollgate.stopAll',
  'tollgate.resume',
  'tollgate.openDashboard',
  'tollgate.openCaps',
  'tollgate.raiseToday',
  'tollgate.showLog',
  'tollgate.restartDaemon',
  'tollgate.bypass',
  'tollgate.guard',
  'tollgate.openSettings',
  'tollgate.showExtension',
  'tollgate.stopTask',
  'tollgate.resumeTask',
] as const

/** The last line of the tooltip: what can be done now. */
export function tooltipLinks({ gate, terminals }: Pick<StatusBarState, 'gate' | 'terminals'>, text: Text): string {
  if (gate.kind === 'off') return link('settings-gear', text.linkEnable, 'tollgate.openSettings')
  const guard = link('shield', text.linkGuard, 'tollgate.guard')
  const bypass = link('debug-disconnect', text.linkBypass, 'tollgate.bypass')
  const { bypassed } = terminals
  const shown =
    gate.kind === 'down'
      ? [...downLinks(gate, text), bypassed ? guard : bypass]
      : [
          ...(gate.kind === 'unfollowed' ? unfollowedLinks(gate, text) : usualLinks(gate, text)),
          ...(bypassed ? [guard] : []),
        ]
  return [...shown, link('output', text.linkLog, 'tollgate.showLog')].join(' &nbsp;·&nbsp; ')
}

function downLinks({ setting }: Extract<GateView, { kind: 'down' }>, text: Text): readonly string[] {
  const restart = restartLink(text)
  return setting === undefined
    ? [restart]
    : [link('settings-gear', text.linkEnable, 'tollgate.openSettings', setting), restart]
}

/** Nothing tells this window whether that gate is stopped. */
function unfollowedLinks({ why }: Extract<GateView, { kind: 'unfollowed' }>, text: Text): readonly string[] {
  const both = [stopLink(text), resumeLink(text)]
  switch (why) {
    case 'newer':
      return [...both, link('cloud-download', text.linkUpdate, 'tollgate.showExtension')]
    case 'failed':
      return [...both, restartLink(text)]
    // It is replaced by itself.
    case 'busy':
      return both
  }
}

function usualLinks(gate: GateView, text: Text): readonly string[] {
  const stopped = stoppedAt(gate)
  return [
    // Where a key, tenant or task is stopped, the rest still can be.
    ...(stopped !== 'none' ? [resumeLink(text)] : []),
    ...(stopped === 'all' ? [] : [stopLink(text)]),
    link('graph', text.linkDashboard, 'tollgate.openDashboard'),
    link('settings-gear', text.linkCaps, 'tollgate.openCaps'),
    ...(gate.kind === 'up' ? [link('add', text.linkRaise, 'tollgate.raiseToday')] : []),
  ]
}

function stopLink(text: Text): string {
  return link('stop-circle', text.linkStop, 'tollgate.stopAll')
}

function resumeLink(text: Text): string {
  return link('play-circle', text.linkResume, 'tollgate.resume')
}

function restartLink(text: Text): string {
  return link('debug-restart', text.linkRestart, 'tollgate.restartDaemon')
}

function link(icon: string, label: string, command: (typeof tooltipCommands)[number], argument?: string): string {
  const query = argument === undefined ? '' : `?${encodeURIComponent(JSON.stringify([argument]))}`
  return `[$(${icon}) ${label}](command:${command}${query})`
}
