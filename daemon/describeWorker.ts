import { randomBytes } from 'node:crypto'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { describeBody } from './describe.ts'
import type { DescribeRequest, Description, Reading } from './describe.ts'
import { MessageCountCache } from './tokens/messageCache.ts'
import { readRankFile } from './tokens/rankFiles.ts'
import { Tokenizer } from './tokens/tokenizer.ts'
import { digestAnswerCalls } from './transcript/callDigest.ts'
import type { AnswerCall } from './transcript/callDigest.ts'
import type { PendingCall } from './transcript/pairing.ts'
import { TextDigests } from './transcript/textDigests.ts'

/**
 * Large bodies are read in a worker, so that no body of any size or content stops the event loop and with it everybody
 * else's streams (J01: a single one froze a gateway for minutes). Small ones are read in place: a thread costs more than
 * they do.
 */

/** Bodies from this size on go to the worker. Below it, parsing and counting together stay around ten milliseconds. */
export const workerBodyBytes = 96 * 1024

/** Milliseconds without work after which the worker, and the memory of its tables, is given back. */
const idleMs = 120_000

/** About half a second of counting: a thread of its own may be that thorough before it samples. */
const workerBudget = 5_000_000

const workerRole = 'tollgate-describe'

interface Job {
  readonly id: number
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly request: DescribeRequest
}

interface JobDone {
  readonly id: number
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly description: Description
}

/** A body that a worker has. */
interface Waiting {
  readonly worker: Worker
  readonly resolve: (done: JobDone) => void
  readonly reject: (fault: Error) => void
}

/** What the worker is started with. The salt is one for both threads, so that their digests can be compared. */
interface WorkerData {
  readonly role: string
  readonly salt: string
}

/** Reads bodies, here or in the worker. */
export interface Describer {
  /** The bytes are lent to the worker meanwhile and come back in the result; use only those. */
  describe(
    bytes: Buffer,
    request: DescribeRequest,
  ): Promise<{ readonly bytes: Buffer; readonly description: Description }>
  /** Tool calls of an answer, by the digests that a transcript which carries them would have in either thread. */
  digestCalls(calls: readonly AnswerCall[]): readonly PendingCall[]
  close(): Promise<void>
}

/** True in a thread that `createDescriber` started; the program's entry then calls `serveDescriptions`. */
export function isDescribeWorker(): boolean {
  return !isMainThread && (workerData as Partial<WorkerData> | null)?.role === workerRole
}

/** Main loop of the worker. */
export function serveDescriptions(): void {
  const port = parentPort
  if (port === null) return
  const reading: Reading = { ...newReading((workerData as WorkerData).salt), workBudget: workerBudget }
  port.on('message', (job: Job) => {
    const done: JobDone = { id: job.id, bytes: job.bytes, description: describeBody(job.bytes, job.request, reading) }
    port.postMessage(done, [job.bytes.buffer])
  })
}

/** `programFile` is the bundle that holds `serveDescriptions`; the worker is started on the first large body. */
export function createDescriber(programFile: string): Describer {
  const salt = randomBytes(16).toString('hex')
  const reading = newReading(salt)
  const jobs = new Map<number, Waiting>()
  let worker: Worker | null = null
  let idleTimer: NodeJS.Timeout | null = null
  let lastId = 0

  function rest(): void {
    if (idleTimer) clearTimeout(idleTimer)
    idleTimer = setTimeout(() => {
      const resting = worker
      worker = null
      void resting?.terminate()
    }, idleMs)
    idleTimer.unref()
  }
  function start(): Worker {
    const data: WorkerData = { role: workerRole, salt }
    const started = new Worker(programFile, { workerData: data, stdout: false, stderr: false })
    started.unref()
    started.on('message', (done: JobDone) => {
      jobs.get(done.id)?.resolve(done)
      jobs.delete(done.id)
      if (jobs.size === 0) rest()
    })
    const fail = (fault: Error): void => {
      if (worker === started) worker = null
      // A successor may be at work already: its jobs go on.
      for (const [id, job] of jobs) {
        if (job.worker !== started) continue
        jobs.delete(id)
        job.reject(fault)
      }
    }
    started.on('error', fail)
    started.on('exit', () => fail(new Error('the worker that reads large bodies ended')))
    return started
  }

  return {
    async describe(bytes, request) {
      if (bytes.byteLength < workerBodyBytes) return { bytes, description: describeBody(bytes, request, reading) }
      if (idleTimer) clearTimeout(idleTimer)
      worker ??= start()
      const own = ownArray(bytes)
      const id = (lastId += 1)
      const job: Job = { id, bytes: own, request }
      const running = worker
      const done = await new Promise<JobDone>((resolve, reject) => {
        jobs.set(id, { worker: running, resolve, reject })
        running.postMessage(job, [own.buffer])
      })
      return {
        bytes: Buffer.from(done.bytes.buffer, done.bytes.byteOffset, done.bytes.byteLength),
        description: done.description,
      }
    },
    digestCalls: (calls) => digestAnswerCalls(reading.digests, calls),
    async close() {
      if (idleTimer) clearTimeout(idleTimer)
      await worker?.terminate()
    },
  }
}

/** The bytes in an array buffer of their own, which can be handed over without a copy. */
function ownArray(bytes: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes
  if (buffer instanceof ArrayBuffer && bytes.byteOffset === 0 && buffer.byteLength === bytes.byteLength) {
    return new Uint8Array(buffer)
  }
  return Uint8Array.from(bytes)
}

function newReading(salt: string): Reading {
  const digests = new TextDigests(salt)
  return { tokenizer: new Tokenizer(readRankFile), cache: new MessageCountCache(undefined, digests), digests }
}
