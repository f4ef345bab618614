/**
 * The sentence of a daemon that cannot have its port. It is the last one that it says before it ends with code 2, and names the
 * flag of its command line; VS Code, where nobody can pass one, knows it again and says what helps there.
 */

const says = { taken: 'is used by another program', unusable: 'cannot be bound' } as const

/** Why a daemon cannot have a port: another program listens there, or the system does not give it. */
export interface PortFault {
  readonly port: number
  readonly kind: keyof typeof says
}

/** What a daemon says on a terminal before it ends. */
export function portFaultSentence({ port, kind }: PortFault): string {
  return `port ${port} ${says[kind]}. Give another one with --port.`
}

/** The fault of which a line tells, null where it tells of none. */
export function portFaultOf(line: string): PortFault | null {
  const port = /(?:^|\s)port (\d{1,5}) /.exec(line)?.[1]
  if (port === undefined) return null
  for (const kind of ['taken', 'unusable'] as const) {
    const fault = { port: Number(port), kind }
    if (line.endsWith(portFaultSentence(fault))) return fault
  }
  return null
}
