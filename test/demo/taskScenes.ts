import type { Daemon } from '../integration/harness/daemon.ts'
import { totalInput } from '../../shared/usage.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { fileText, sentenceOf } from './agent.ts'
import type { Screen } from './screen.ts'
import { ToolAgent } from './toolAgent.ts'
import type { ToolTurn } from './toolAgent.ts'

/** The key of the agents in these scenes: it has the plan `agent`, with its ceilings and its loop guard. */
export const agentKey = 'demo-agents'

/** What the scenes play with. */
export interface Stage {
  readonly upstream: Upstream
  readonly daemon: Daemon
  readonly screen: Screen
  readonly pause: (ms: number) => Promise<void>
}

/** Calls that the climbing task may make. */
const calls = 10

/** A task climbs through its states until it is refused, and a person gives it more room. */
export async function climb({ upstream, daemon, screen, pause }: Stage): Promise<void> {
  const task = 'climb'
  await daemon.json('/api/tasks', { id: task, iterations: calls })
  screen.say(`It may make ${calls} calls. From 70 % of that on it is warned, from 85 % its calls are made smaller.`)
  let files = 0
  upstream.script(() => {
    const path = `src/part-${(files += 1)}.ts`
    return { text: `Next is ${path}.`, toolCall: { name: 'read_file', arguments: { path } } }
  })
  const agent = agentOf(daemon, task, (path) => `// ${path}\n${fileText(2400)}`)
  agent.say('Read the sources and tell me where the time goes.')
  let made = 0
  const step = async (most: number): Promise<boolean> => {
    const turn = await turnOf(screen, agent)
    if (turn === null) return false
    made += 1
    await showTurn(daemon, screen, turn, `${bar(made, most)} ${made} of ${most}`.padEnd(19))
    await pause(450)
    return true
  }
  while (made <= calls && (await step(calls)));
  await pause(2000)
  screen.say(`A person gives it two calls more:  tollgate grant ${task} --iterations 2`)
  await daemon.json('/api/grants', { scope: 'task', ref: task, iterations: 2 })
  await step(calls + 2)
}

/** A model asks for the same tool every turn: three calls, a sentence, and a person who lets it go on. */
export async function loop({ upstream, daemon, screen, pause }: Stage): Promise<void> {
  const task = 'poller'
  upstream.script(() => ({ toolCall: { name: 'read_file', arguments: { path: 'build.log' } } }))
  const agent = agentOf(daemon, task, () => 'The build has not started yet.')
  agent.say('Tell me when the build is done.')
  for (;;) {
    const turn = await turnOf(screen, agent)
    if (turn === null) break
    await showTurn(daemon, screen, turn, turn.says)
    await pause(450)
  }
  await pause(2000)
  screen.say(`A person has started the build:  tollgate resume --scope task --ref ${task}`)
  await daemon.json(`/api/tasks/${task}/resume`, {})
  upstream.script(() => ({ text: 'The build is done.' }))
  const turn = await turnOf(screen, agent)
  if (turn !== null) await showTurn(daemon, screen, turn, turn.says)
}

function agentOf(daemon: Daemon, task: string, tool: (path: string) => string): ToolAgent {
  return new ToolAgent(daemon.base('anthropic', { task, key: agentKey }), tool)
}

/** Null where the gate refused it; the SDK's sentence is on the screen then. */
async function turnOf(screen: Screen, agent: ToolAgent): Promise<ToolTurn | null> {
  try {
    return await agent.step()
  } catch (error) {
    screen.refused('refused', sentenceOf(error))
    return null
  }
}

async function showTurn(daemon: Daemon, screen: Screen, turn: ToolTurn, note: string): Promise<void> {
  const [row] = await daemon.settled()
  if (row === undefined) throw new Error('The gate has no record of the call.')
  const { model, usage, eur } = row
  const tokens = { inputTokens: totalInput(usage), outputTokens: usage.output }
  screen.call({ client: 'anthropic', model, ...tokens, eur, note, state: turn.state })
  if (turn.changes.length > 0) screen.detail(`made smaller: ${turn.changes.join(', ')}`)
}

function bar(made: number, most: number): string {
  return '█'.repeat(made) + '░'.repeat(Math.max(0, most - made))
}
