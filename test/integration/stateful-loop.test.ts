import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import OpenAI from 'openai'
import { humanPauseMs } from '../../daemon/transcript/humanTurn.ts'
import { startGate } from './harness/gate.ts'
import type { Gate } from './harness/gate.ts'

type Input = OpenAI.Responses.ResponseInputItem[]
type Answer = OpenAI.Responses.Response

const tools: OpenAI.Responses.FunctionTool[] = [
  {
    type: 'function',
    name: 'read_page',
    strict: false,
    parameters: { type: 'object', properties: { page: { type: 'number' } } },
  },
]

const sameCall = { toolCall: { name: 'read_page', arguments: { page: 3 } } }

const person = (text: string): Input => [{ role: 'user', content: text }]

/** Where an agent stands whose history the provider keeps. */
interface Standing {
  readonly previous: string | null
  readonly input: Input
}

describe('an agent that leaves its history with the provider', () => {
  let gate: Gate
  before(async () => {
    gate = await startGate()
  })
  after(() => gate.close())
  beforeEach(() => gate.upstream.reset())

  /** One call; a stream is read to its end before the agent goes on, as the SDK's own loop does. */
  async function ask({ previous, input }: Standing, isStream = false): Promise<Answer> {
    const body = { model: 'gpt-4o-mini', max_output_tokens: 200, tools, input, previous_response_id: previous }
    if (!isStream) return gate.openai().responses.create(body)
    return gate.openai().responses.stream(body).finalResponse()
  }

  /** What the agent sends next: the results of the answer's calls, and nothing that it sent before. */
  function next(answer: Answer, result: () => string): Standing {
    const calls = answer.output.filter((item) => item.type === 'function_call')
    const input = calls.map(({ call_id }) => ({ type: 'function_call_output' as const, call_id, output: result() }))
    return { previous: answer.id, input }
  }

  /** Runs the agent until the model is done or a call is refused. */
  async function run(start: Standing, result: () => string, isStream = false, most = 41) {
    let standing = start
    for (let turn = 1; turn <= most; turn += 1) {
      const answer = await ask(standing, isStream).catch((fault: unknown) => fault)
      if (answer instanceof OpenAI.APIError) return { standing, refusal: answer, turns: turn - 1 }
      assert.ok(!(answer instanceof Error), String(answer))
      standing = next(answer as Answer, result)
      if (standing.input.length === 0) return { standing, refusal: null, turns: turn }
    }
    return { standing, refusal: null, turns: most }
  }

  const generations = (): number => gate.upstream.generations.length

  for (const isStream of [false, true]) {
    it(`K11: is stopped after 3 equal steps and hears which tool it was, ${isStream ? 'in streams' : 'in documents'}`, async () => {
      gate.upstream.script(() => sameCall)
      const start = { previous: null, input: person(`Read page 3 until it changes, ${isStream ? 'live' : 'please'}.`) }
      const { refusal } = await run(start, () => 'nothing new', isStream)
      assert.equal(generations(), 3)
      assert.deepEqual([refusal?.status, refusal?.code], [403, 'loop_halted'])
      assert.match(refusal?.message ?? '', /read_page/)
      const sent = gate.upstream.generations.map(({ json }) => (json['input'] as unknown[]).length)
      assert.deepEqual(sent, [1, 1, 1], 'no request carried more than what was new')
    })
  }

  it('K11: is stopped although its results are so large that a worker reads them', async () => {
    gate.upstream.script(() => sameCall)
    const page = 'The quick brown fox jumps over the lazy dog. '.repeat(3000)
    const { refusal } = await run({ previous: null, input: person('Read the long page 3.') }, () => page)
    assert.deepEqual([generations(), refusal?.code], [3, 'loop_halted'])
  })

  it('K03: goes on while its results change', async () => {
    gate.upstream.script(() => (generations() > 9 ? { text: 'Done.' } : sameCall))
    let line = 0
    const { refusal, turns } = await run(
      { previous: null, input: person('Poll page 3.') },
      () => `line ${(line += 1)} of the log`,
    )
    assert.deepEqual([refusal, turns], [null, 10])
  })

  it('K09: goes on after a new message of a person, from the answer at which it was halted', async () => {
    gate.upstream.script(() => sameCall)
    const halted = await run({ previous: null, input: person('Read page 3 again and again.') }, () => 'nothing new')
    assert.equal(halted.refusal?.code, 'loop_halted')
    assert.equal((await run(halted.standing, () => 'nothing new')).refusal?.code, 'loop_halted')
    assert.equal(generations(), 3)
    // Nothing but time tells a person from a program.
    await pause(humanPauseMs + 100)
    const { previous, input } = halted.standing
    const asked = { previous, input: [...input, ...person('Leave page 3 alone and sum up.')] }
    const again = await run(asked, () => 'nothing new')
    assert.equal(again.refusal?.code, 'loop_halted')
    assert.equal(generations(), 6, 'its window is fresh, and guarded as the first one was')
  })

  it('does not answer for another that goes on from the same answer', async () => {
    gate.upstream.script(() => sameCall)
    const first = await ask({ previous: null, input: person('Try page 3 in several ways.') })
    const second = await ask(next(first, () => 'nothing new'))
    let line = 0
    gate.upstream.script(() => (generations() > 12 ? { text: 'Done.' } : sameCall))
    const [looping, healthy] = await Promise.all([
      run(
        next(second, () => 'nothing new'),
        () => 'nothing new',
      ),
      run(
        next(second, () => 'something'),
        () => `line ${(line += 1)}`,
        true,
      ),
    ])
    assert.deepEqual([looping.refusal?.code, looping.turns], ['loop_halted', 1])
    assert.equal(healthy.refusal, null)
  })

  it('is not judged by what it did before an answer that the gate never saw', async () => {
    gate.upstream.script(() => sameCall)
    const unseen = await new OpenAI({ apiKey: 'sk-test', baseURL: `${gate.upstream.url}/v1` }).responses.create({
      model: 'gpt-4o-mini',
      tools,
      input: person('Read page 3 behind the back of the gate.'),
    })
    const { refusal } = await run(
      next(unseen, () => 'nothing new'),
      () => 'nothing new',
    )
    assert.equal(refusal?.code, 'loop_halted')
    assert.equal(generations(), 1 + 3, 'the result of the unseen call is no step')
  })
})
