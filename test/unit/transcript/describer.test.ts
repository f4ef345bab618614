import assert from 'node:assert/strict'
import path from 'node:path'
import type { CallFacts } from '../../../daemon/call.ts'
import { createDescriber, workerBodyBytes } from '../../../daemon/describeWorker.ts'
import type { Describer } from '../../../daemon/describeWorker.ts'

const program = path.join(import.meta.dirname, '../../../daemon/main.ts')

async function factsOf(describer: Describer, text: string): Promise<CallFacts> {
  const { description } = await describer.describe(Buffer.from(text), {
    dialect: 'openai-chat',
    upstreamName: 'openai',
    upstreamBaseUrl: 'https://api.openai.com/v1',
    path: '/chat/completions',
    upstreamDialect: 'openai',
    estimator: 'tokenizer',
  })
  assert.ok(description.ok)
  return description.facts
}

describe('transcripts of small and large bodies', () => {
  const body = JSON.stringify({
    model: 'm',
    messages: [
      { role: 'user', content: `A question that is long enough to be worth remembering. ${'Why? '.repeat(40)}` },
      { role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'read', arguments: '{"path":"a"}' } }] },
      { role: 'tool', tool_call_id: 'a', content: 'text' },
    ],
  })

  it('have the same digests, although a worker reads the large ones', async () => {
    const describer = createDescriber(program)
    try {
      const here = await factsOf(describer, body)
      const inWorker = await factsOf(describer, body + ' '.repeat(workerBodyBytes))
      assert.equal(here.transcript.chain.length, 3)
      assert.deepEqual(inWorker.transcript, here.transcript)
    } finally {
      await describer.close()
    }
  })

  it('K11: have the digests of the calls that an answer made, whichever thread reads their results', async () => {
    const describer = createDescriber(program)
    try {
      const [call] = describer.digestCalls([{ id: 'a', tool: 'read', argumentsText: '{ "path": "a" }' }])
      const inWorker = await factsOf(describer, body + ' '.repeat(workerBodyBytes))
      assert.equal(inWorker.transcript.toolStates[0]!.callDigest, call!.callDigest)
      const result = JSON.stringify({ model: 'm', messages: [{ role: 'tool', tool_call_id: 'a', content: 'text' }] })
      for (const text of [result, result + ' '.repeat(workerBodyBytes)]) {
        assert.equal((await factsOf(describer, text)).transcript.openResults[0]!.callId, call!.id)
      }
    } finally {
      await describer.close()
    }
  })

  it('N08: have other digests in another process, or with another start of this one', async () => {
    const [one, other] = [createDescriber(program), createDescriber(program)]
    assert.notDeepEqual((await factsOf(one, body)).transcript, (await factsOf(other, body)).transcript)
  })
})
