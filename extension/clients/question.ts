import type { ClientText } from '../text/clients.ts'
import type { FileFacts, Obstacle } from './facts.ts'
import { shortPath } from './places.ts'
import { claudeSetting } from './target.ts'
import type { ClientTarget } from './target.ts'

/** The client as it is named to a person, with the VS Code profile where there are several. */
export function nameOf({ client, profile }: Pick<ClientTarget, 'client' | 'profile'>, clients: ClientText): string {
  const name = clients.names[client]
  return profile === undefined ? name : clients.ofProfile(name, profile || clients.defaultProfile)
}

/**
 * What is asked before a client's settings are written: what changes, that the local key is in it then, what stays outside the
 * gate, and who else may come to see the key. `facts` is null for a setting.
 */
export function questionFor(found: ClientTarget, facts: FileFacts | null, clients: ClientText): string {
  const { client, target, plan } = found
  const where = shortPath(target ?? '')
  const sentences = [
    client === 'codex'
      ? clients.askCodex(where)
      : client === 'claude' && target !== claudeSetting
        ? clients.askClaudeFile(where)
        : clients.ask(nameOf(found, clients), where),
  ]
  if (plan.kind === 'edit' && plan.left.length > 0) sentences.push(clients.leaves(plan.left.join(', ')))
  if (facts !== null) {
    if (facts.linkedTo !== null) sentences.push(clients.isLink(shortPath(facts.linkedTo)))
    if (facts.isReadableByOthers) sentences.push(clients.isReadable)
    if (facts.repository !== null) sentences.push(clients.isInRepository(shortPath(facts.repository)))
  }
  return sentences.join(' ')
}

/** Why a file is left as it is. */
export function obstacleText(obstacle: Obstacle, where: string, clients: ClientText): string {
  return obstacle === 'readOnly' ? clients.readOnly(where) : clients.hardLink(where)
}
