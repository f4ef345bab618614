import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import * as vscode from 'vscode'
import { version } from '../../shared/build.ts'
import { disk } from '../clients/disk.ts'
import { userSettings } from '../clients/userSettings.ts'
import type { TollgateContext } from '../context.ts'
import { readKey } from '../daemon/discovery.ts'
import { daemonEnvironment } from '../daemon/launch.ts'
import { showText } from '../shownText.ts'
import { unfollowedText } from '../ui/awayText.ts'
import { runDoctorCommand } from './daemonChecks.ts'
import { lookAround } from './lookAround.ts'
import { reportOf } from './report.ts'
import type { GateState, Surroundings } from './surroundings.ts'

/** *Doctor*: looks at the gate and at every client, and opens what it found as a document. */
export async function runDoctor(context: TollgateContext): Promise<void> {
  const report = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Window, title: context.text.doctor.looking },
    async () => reportOf(await surroundings(context), context.text),
  )
  await showText('Tollgate Doctor.md', report)
}

async function surroundings(context: TollgateContext): Promise<Surroundings> {
  const { settings, terminals, extension, dataDir } = context
  const key = await readKey(dataDir)
  const { remoteName } = vscode.env
  const userDir = remoteName === undefined ? dirname(dirname(extension.globalStorageUri.fsPath)) : null
  const ownRuntime = settings.daemon.nodePath === ''
  const [sight, checks] = await Promise.all([
    lookAround({
      files: disk,
      settings: userSettings,
      workspaceSetting,
      home: homedir(),
      environment: process.env,
      userDir,
      platform: process.platform,
      gate: key === undefined ? null : { origin: context.gateOrigin, key },
      folders: (vscode.workspace.workspaceFolders ?? [])
        .filter(({ uri }) => uri.scheme === 'file')
        .map(({ name, uri }) => ({ name, path: uri.fsPath })),
    }),
    runDoctorCommand({
      program: ownRuntime ? process.execPath : settings.daemon.nodePath,
      script: join(extension.extensionPath, 'dist', 'daemon.js'),
      dataDir,
      environment: daemonEnvironment(process.env, ownRuntime),
    }),
  ])
  return {
    ...sight,
    version,
    time: new Intl.DateTimeFormat(vscode.env.language, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date()),
    host: remoteName ?? null,
    gate: gateState(context),
    terminals: { enabled: settings.enabled, hasKey: key !== undefined, ...terminals.state },
    inject: settings.inject,
    extensions: new Set(vscode.extensions.all.map(({ id }) => id.toLowerCase())),
    checks,
  }
}

function workspaceSetting(name: string): string | null {
  const found = vscode.workspace.getConfiguration().inspect(name)
  const value: unknown = found?.workspaceFolderValue ?? found?.workspaceValue
  return value === undefined ? null : JSON.stringify(value)
}

function gateState({ gate, gateOrigin, supervisor, text }: TollgateContext): GateState {
  if (gate.kind === 'unfollowed') {
    return { kind: 'unfollowed', reason: unfollowedText(gate, text), version: gate.version, origin: gateOrigin }
  }
  if (gate.kind !== 'up') return gate
  const { version: running, killed, integrity } = gate.status
  const pid = supervisor.record?.pid ?? null
  return { kind: 'up', version: running, origin: gateOrigin, pid, killed, ledgerAvailable: integrity.ledgerAvailable }
}
