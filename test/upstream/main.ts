import { parseArgs } from 'node:util'
import { startUpstream } from './upstream.ts'

/** `node test/upstream/main.ts [--port N] [--ollama-context N] [--chunk-delay MS]`: prints its addresses as one JSON line. */
const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    'ollama-context': { type: 'string', default: '4096' },
    'chunk-delay': { type: 'string', default: '0' },
  },
})

const upstream = await startUpstream({ port: Number(values.port), ollamaContext: Number(values['ollama-context']) })
const chunkDelayMs = Number(values['chunk-delay'])
upstream.script(() => ({ chunkDelayMs }))
process.stdout.write(
  `${JSON.stringify({ event: 'listening', url: upstream.url, ...upstream.baseUrls, pid: process.pid })}\n`,
)

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void upstream.close().then(() => process.exit(0)))
}
