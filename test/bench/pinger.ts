import { createInterface } from 'node:readline'
import { Connection, requestBytes } from './wire.ts'

/**
 * Pings `/healthz` of a gate every few milliseconds and remembers the longest wait, in a process of its own: whoever sends
 * ten megabytes is busy with that. A line on stdin is answered with the longest wait since the last one.
 */

const everyMs = 2
const port = Number(process.argv[2])
const connection = await Connection.open(port)
const request = requestBytes({ port, path: '/healthz', headers: {} }, '', 'GET')
let longestMs = 0

async function ping(): Promise<void> {
  const { totalMs } = await connection.send(request)
  longestMs = Math.max(longestMs, totalMs)
  setTimeout(() => void ping(), everyMs)
}

createInterface(process.stdin).on('line', () => {
  process.stdout.write(`${longestMs}\n`)
  longestMs = 0
})
await ping()
process.stdout.write('ready\n')
