import { createHash } from 'node:crypto'

/** What tells one host from another without reading a file. */
export interface Host {
  /** VS Code's name of the kind of remote; undefined where the extension runs on the user's own machine. */
  readonly remoteName: string | undefined
  readonly hostName: string
  /** Distribution of WSL: all of a machine have its host name. */
  readonly distribution: string | undefined
}

/**
 * A short name of a folder on its host. What the extension remembers lies with the user's VS Code, which has windows on several hosts,
 * and the same path may be on each. The own machine goes without its host name, which can follow the network it is in. Two hosts with
 * one host name and one path count as one.
 */
export function placeOf(folder: string, { remoteName, hostName, distribution }: Host): string {
  const host = remoteName === undefined ? [] : [hostName, distribution ?? '']
  return createHash('sha256')
    .update(JSON.stringify([...host, folder]))
    .digest('base64url')
    .slice(0, 16)
}
