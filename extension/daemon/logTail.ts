import { open, stat } from 'node:fs/promises'

/** Most bytes that are taken over at once; what lies before them is skipped. */
const maxChunkBytes = 64 << 10

/**
 * Hands the new lines of a growing log file to `onLine`, from its present end on. Polls, because file watchers miss appends
 * on network and container file systems. The returned function ends it.
 */
export function tailLog(pathNow: () => string, onLine: (line: string) => void, intervalMs = 1000): () => void {
  let offset: number | undefined
  let rest = ''
  let reading = false

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
  const timer = setInterval(() => {
    if (reading) return
    reading = true
    read()
      .catch(() => undefined)
      .finally(() => {
        reading = false
      })
  }, intervalMs)
  timer.unref()
  return () => clearInterval(timer)
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size
  } catch {
    return 0
  }
}
