import { createServer } from 'node:net'
import { parseArgs } from 'node:util'
import { WebSocket } from 'ws'
import type { ControlMessage } from '../../shared/protocol.ts'
import { totalInput } from '../../shared/usage.ts'
import { against, startDaemon } from '../integration/harness/daemon.ts'
import type { Daemon } from '../integration/harness/daemon.ts'
import { startUpstream } from '../upstream/upstream.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { Agent, sentenceOf } from './agent.ts'
import type { Turn } from './agent.ts'
import { grouped, makeScreen } from './screen.ts'
import { agentKey, climb, loop } from './taskScenes.ts'

/**
 * `npm run demo`: a local server plays OpenAI, Anthropic and Ollama, the gate stands before it with a small daily cap, and an
 * agent on the real SDKs spends until it is stopped. `--fast` leaves out the pauses that let a person read along.
 */
const { values } = parseArgs({ options: { fast: { type: 'boolean', default: false } } })
const fast = values.fast
const capEur = 0.25
const screen = makeScreen(process.stdout)

async function freePort(wanted: number): Promise<number> {
  const probe = createServer()
  return new Promise((resolve) => {
    probe.once('error', () => resolve(0))
    probe.listen(wanted, '127.0.0.1', () => probe.close(() => resolve(wanted)))
  })
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, fast ? 0 : ms))
}

/** Keeps the counter alive from the gate's control socket. */
function watchCounter(daemon: Daemon): WebSocket {
  const socket = new WebSocket(`${daemon.url.replace('http', 'ws')}/control`, {
    headers: { authorization: `Bearer ${daemon.token}` },
  })
  socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString()) as ControlMessage
    if (message.event === 'status') screen.counter(message.status)
    else if (message.event === 'state_changed') screen.say(`▲ The gate says: ${String(message['message'])}`)
    else if (message.event === 'alert') screen.say('▲ The gate says: 80 % of the daily cap is used.')
    else if (message.event === 'truncated') {
      const [estimated, reported] = [Number(message['estimated']), Number(message['reported'])]
      screen.say(
        `▲ The gate says: the model read ${grouped(reported)} of about ${grouped(estimated)} tokens. The rest was cut in silence.`,
      )
    }
  })
  socket.on('error', () => socket.terminate())
  return socket
}

/** Makes one turn and shows what the gate's ledger says about it; the SDK's sentence where it was refused. */
async function show(daemon: Daemon, client: string, turn: Promise<Turn>): Promise<'passed' | 'refused'> {
  try {
    const { model, note, client: name } = await turn
    const [row] = await daemon.settled()
    if (row === undefined) throw new Error('The gate has no record of the call.')
    screen.call({
      client: name,
      model,
      inputTokens: totalInput(row.usage),
      outputTokens: row.usage.output,
      eur: row.eur,
      note,
    })
    return 'passed'
  } catch (error) {
    screen.refused(client, sentenceOf(error))
    return 'refused'
  }
}

async function spendUntilRefused(daemon: Daemon, agent: Agent): Promise<void> {
  for (let turns = 0; turns < 60; turns += 1) {
    if ((await show(daemon, 'refused', agent.step())) === 'refused') return
    await pause(900)
  }
  throw new Error('The cap was never reached.')
}

/** Three endless answers at once, then the switch. */
async function killInFlight(daemon: Daemon, upstream: Upstream, agent: Agent): Promise<void> {
  const before = upstream.generations.length
  upstream.script(() => ({ outputTokens: 100_000, chunkDelayMs: fast ? 5 : 30 }))
  const clients = ['openai', 'anthropic', 'ollama'] as const
  const calls = clients.map((client) => agent.one(client).then(() => `${client}: ended by itself`, sentenceOf))
  await upstream.waitForRequests(before + clients.length)
  await pause(2500)
  screen.say('Three answers are being written. Now the switch:')
  const result = await daemon.json<{ cancelled: number; tookMs: number }>('/api/kill', { scope: 'global' })
  const sentences = await Promise.all(calls)
  clients.forEach((client, position) => screen.refused(client, sentences[position] ?? ''))
  const closed = await Promise.all(upstream.generations.slice(before).map((request) => upstream.waitForClose(request)))
  const cut = closed.filter(({ finished }) => !finished).length
  screen.say(
    `${result.cancelled} calls cancelled in ${Math.round(result.tookMs)} ms; ${cut} connections to the providers closed.`,
  )
}

async function run(upstream: Upstream, daemon: Daemon): Promise<void> {
  const agent = new Agent({
    openai: `${daemon.base('openai', { task: 'demo' })}/v1`,
    anthropic: daemon.base('anthropic', { task: 'demo' }),
    ollama: daemon.base('ollama', { task: 'demo' }),
  })
  screen.heading('Tollgate demo: no key and no money needed')
  screen.say(`A local server plays OpenAI, Anthropic and Ollama:  ${upstream.url}`)
  screen.say(`The gate stands before it, ${capEur.toFixed(2)} EUR a day:       ${daemon.url}`)
  await pause(1500)

  screen.heading('1. An agent on the real SDKs spends')
  upstream.script(() => ({ outputTokens: 260, chunkDelayMs: fast ? 0 : 6 }))
  await spendUntilRefused(daemon, agent)
  const status = await daemon.status()
  screen.say(`Refused before anything was sent: €${status.today.spentEur.toFixed(4)} of €${capEur.toFixed(2)} spent.`)
  await pause(2500)

  screen.heading('2. The local model still works: it costs nothing')
  await show(daemon, 'ollama', agent.one('ollama'))
  await pause(1500)

  screen.heading('3. A person raises the cap for today, and three answers start')
  await daemon.json('/api/caps', { userDailyEur: 2, until: 'midnight' })
  await killInFlight(daemon, upstream, agent)
  upstream.script(() => ({ outputTokens: 120 }))
  await pause(1500)

  screen.heading('4. While the switch is on, nothing passes')
  await show(daemon, 'openai', agent.one('openai'))
  await pause(1500)

  screen.heading('5. Resumed')
  await daemon.json('/api/resume', { scope: 'global' })
  await show(daemon, 'openai', agent.one('openai'))
  await show(daemon, 'anthropic', agent.one('anthropic'))
  await pause(1500)

  const stage = { upstream, daemon, screen, pause }
  screen.heading('6. An agent climbs to the ceiling of its task')
  await climb(stage)
  await pause(1500)

  screen.heading('7. Another one asks for the same thing again and again')
  await loop(stage)

  const last = await daemon.status()
  screen.counter(last)
  screen.heading('What the gate knows')
  for (const { model, calls, eur } of last.models) {
    screen.say(`${model.padEnd(24)} ${String(calls).padStart(3)} calls  €${eur.toFixed(4)}`)
  }
  const tokens = last.today.tokens
  screen.say(`${grouped(tokens.input + tokens.output)} tokens, €${last.today.spentEur.toFixed(4)} today.`)
  screen.say('Point your own client at the gate: see the README.')
}

const upstream = await startUpstream()
const port = await freePort(4141)
const budgets = { userDaily: { eur: capEur }, tenantMonthly: { eur: 50 } }
// The first scenes are one long task about the budget of a day; the agents behind `agentKey` have the plan of agents.
const plans = { demo: { task: null }, agent: {} }
const keys = [{ key: agentKey, plan: 'agent' }]
const tiers = { 'claude-opus-5': 'claude-haiku-4-5' }
const config = against(upstream, { budgets, plan: 'demo', plans, keys, tiers })
const daemon = await startDaemon({ port, config })
const socket = watchCounter(daemon)

async function cleanUp(): Promise<void> {
  socket.terminate()
  await daemon.discard()
  await upstream.close()
}
process.once('SIGINT', () => {
  screen.close()
  void cleanUp().finally(() => process.exit(130))
})

try {
  await run(upstream, daemon)
} catch (error) {
  screen.refused('demo', sentenceOf(error))
  process.exitCode = 1
} finally {
  screen.close()
  await cleanUp()
}
