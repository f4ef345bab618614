import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { eventually } from './harness/eventually.ts'

/** Runs the demo as `npm run demo` does, without its pauses. */
function startDemo() {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../demo/demo.ts'), '--fast'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let text = ''
  child.stdout.on('data', (part: Buffer) => (text += part.toString()))
  return { child, output: () => text, exit: once(child, 'close') as Promise<[number | null, string | null]> }
}

/** True once nobody listens there any more. */
async function silent(url: string): Promise<true | null> {
  return fetch(`${url}/healthz`).then(
    () => null,
    () => true,
  )
}

const gateOf = (output: string): string | null =>
  /The gate stands before it.*(http:\/\/127\.0\.0\.1:\d+)/.exec(output)?.[1] ?? null

describe('the demo', () => {
  it('shows spending, the cap, a silent cut, the kill, a task that climbs and one that repeats itself, and ends', async () => {
    const demo = startDemo()
    const [code] = await demo.exit
    const output = demo.output()
    assert.equal(code, 0, output)
    assert.match(output, /openai +gpt-5\.5 .*€0\.\d{4} {2}chat, streamed/)
    assert.match(output, /Daily spending budget of user me is used up/)
    assert.match(output, /the model read 2,051 of about/)
    assert.match(output, /3 calls cancelled in \d+ ms; 3 connections to the providers closed/)
    assert.match(output, /5\. Resumed\n {2}openai +gpt-5\.5/)
    const [climb = '', loop = ''] = output.split(/\n[67]\. .*\n/).slice(1)
    assert.deepEqual(
      [...climb.matchAll(/anthropic +(\S+) .* (\d+ of \d+) +(\w+)/g)].map(([, ...words]) => words.join(' ')),
      [
        ...[1, 2, 3, 4, 5, 6].map((call) => `claude-opus-5 ${call} of 10 ok`),
        ...[7, 8].map((call) => `claude-opus-5 ${call} of 10 warn`),
        ...[9, 10].map((call) => `claude-haiku-4-5 ${call} of 10 constrained`),
        'claude-haiku-4-5 11 of 12 constrained',
      ],
    )
    assert.match(climb, /made smaller: model=claude-haiku-4-5, max_tokens=1024, compacted=\d/)
    assert.match(climb, /The gate says: Task climb comes near its ceiling: 7 of 10 iterations/)
    assert.match(climb, /refused +403 Task climb has reached its ceiling: with this call it comes to 11 iterations/)
    assert.equal(loop.match(/anthropic .*read_file build\.log/g)?.length, 3)
    assert.match(loop, /refused +403 The task repeats itself: the tool "read_file" was called 3 times/)
    assert.match(loop, /resume --scope task --ref poller\n.*Task poller was resumed.*\n.*The build is done\. {2}ok/)
    assert.equal(await silent(gateOf(output) ?? ''), true)
  })

  it('cleans up on Ctrl+C', async () => {
    const demo = startDemo()
    const gate = await eventually('the demo to begin', () => gateOf(demo.output()))
    demo.child.kill('SIGINT')
    await demo.exit
    await eventually('the gate to be gone', () => silent(gate))
  })
})
