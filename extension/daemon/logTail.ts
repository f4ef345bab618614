import { open, stat } from 'node:fs/promises'
import { coalesced } from '../ui/coalesce.ts'
import type { Timers } from '../ui/coalesce.ts'

/** Most bytes that are taken over at once; what lies before them is skipped. */
const maxChunkBytes = 64 << 10

/** Least time between two readings, in milliseconds. */
const leastIntervalMs = 1000

/** Follows a growing log file. */
export interface LogTail {
  /** There may be new lines: they are read soon, and once more a moment later, because a line may be written after its sign. */
  ask(): void
  /** Resolves when the readings that have begun are over. */
  whenRead(): Promise<void>
  /** From now on nothing is read, whoever asks: the end of a connection asks, too. */
  dispose(): void
}

/**
 * Hands the new lines of a log file to `onLine`, from its end at the first ask on. It reads when it is told that there may be something: a
 * file watcher misses appends on network and container file systems, and a timer would wake the machine for nothing.
 */
export function followLog(pathNow: () => string, onLine: (line: string) => void, timers: Timers): LogTail {
  let offset: number | undefined
  let rest = ''
  let reading = Promise.resolve()
  let isLast = false
  let isDisposed = false

  const read = async (): Promise<void> => {
    const path = pathNow()
    const size = await sizeOf(path)
    offset ??= size
    if (size < offset) offset = 0
    if (size === offset) return
    const start = Math.max(offset, size - maxChunkBytes)
    const file = await open(path, 'r')
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start)
      offset = start + bytesRead
      const lines = (rest + buffer.subarray(0, bytesRead).toString('utf8')).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (line !== '') onLine(line)
    } finally {
      await file.close()
    }
  }
  const turn = coalesced(
    () => {
      // One after the other, so that no line comes twice. A file that cannot be read now can be next time.
      reading = reading.then(read).catch(() => undefined)
      if (isLast) return
      isLast = true
      turn.ask()
    },
    leastIntervalMs,
    timers,
  )
  return {
    ask: () => {
      if (isDisposed) return
      isLast = false
      turn.ask()
    },
    whenRead: () => reading,
    dispose: () => {
      isDisposed = true
      turn.cancel()
    },
  }
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size
  } catch {
    return 0
  }
}
