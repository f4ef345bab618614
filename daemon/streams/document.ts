import type { Feed } from './sse.ts'
import { tailChars } from './sse.ts'

/** Receives a document once it is complete. */
export interface DocumentSink {
  document(text: string): void
  /** The last `tailChars` bytes of a document that was too large to keep. */
  oversized(tail: string): void
}

/** Most bytes of one answer that are kept to be parsed as a whole. */
export const maxDocumentBytes = 16 * 1024 * 1024

/** Collects one document, or only the end of one that is larger than `maxBytes`. */
export function readDocument(sink: DocumentSink, maxBytes: number = maxDocumentBytes): Feed {
  let chunks: Uint8Array[] = []
  let heldBytes = 0
  let tooLarge = false

  function keepTail(): void {
    const tail = Buffer.concat(chunks).subarray(-tailChars)
    // A copy, so that the large buffer behind the view can go.
    chunks = [Buffer.from(tail)]
    heldBytes = tail.length
  }

  return {
    push: (chunk) => {
      chunks.push(chunk)
      heldBytes += chunk.length
      if (!tooLarge && heldBytes <= maxBytes) return
      tooLarge = true
      if (heldBytes >= 2 * tailChars) keepTail()
    },
    end: () => {
      const [only] = chunks
      const bytes =
        chunks.length === 1 && only ? Buffer.from(only.buffer, only.byteOffset, only.byteLength) : Buffer.concat(chunks)
      const text = bytes.toString('utf8')
      chunks = []
      if (tooLarge) sink.oversized(text.slice(-tailChars))
      else sink.document(text)
    },
  }
}
