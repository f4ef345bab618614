import * as vscode from 'vscode'
import { projectSlug } from '../shared/addresses.ts'
import type { TollgateContext } from './context.ts'
import { readKey } from './daemon/discovery.ts'
import { offer, startActions } from './offerActions.ts'
import { clientBaseUrl, readUpstreams } from './upstreams.ts'

/** *Copy Base URL…*: for any upstream of the configuration, with or without a project of the workspace. */
export async function copyBaseUrl(context: TollgateContext): Promise<void> {
  const { text, supervisor } = context
  const key = await readKey(context.dataDir)
  if (key === undefined) return offer(text.noKeyYet, startActions(context))
  const origin = context.gateOrigin
  const upstreams = await readUpstreams((path) => supervisor.call('GET', path))
  const picked = await vscode.window.showQuickPick(
    upstreams.map((upstream) => ({
      label: upstream.name,
      description: clientBaseUrl({ origin, key: '…' }, upstream),
      upstream,
    })),
    { placeHolder: text.pickUpstream, matchOnDescription: true },
  )
  if (picked === undefined) return
  const { upstream } = picked
  const project = await pickProject(context, (of) => clientBaseUrl({ origin, key: '…', project: of }, upstream))
  if (project === undefined) return
  await vscode.env.clipboard.writeText(clientBaseUrl({ origin, key, project }, upstream))
  offer(project === null ? text.copiedUrl(upstream.name) : text.terminal.copiedUrlOf(upstream.name, project))
}

/** A project of the workspace, null for none; undefined where nothing was chosen. Not asked where there is no folder. */
async function pickProject(
  { text }: TollgateContext,
  urlOf: (project: string | null) => string,
): Promise<string | null | undefined> {
  const projects = projectsOfWorkspace()
  if (projects.length === 0) return null
  const picked = await vscode.window.showQuickPick(
    [...projects, null].map((project) => ({
      label: project === null ? text.terminal.withoutProject : text.terminal.forProject(project),
      description: urlOf(project),
      project,
    })),
    { placeHolder: text.terminal.pickProject },
  )
  return picked?.project
}

/** Project names of the workspace's folders, each once. */
export function projectsOfWorkspace(): readonly string[] {
  const names = (vscode.workspace.workspaceFolders ?? []).map(({ name }) => projectSlug(name))
  return [...new Set(names.filter((name) => name !== ''))]
}
