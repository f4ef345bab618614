import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs'
import { redactText } from './redact.ts'

export { describeFault, redactText, redactUrl } from './redact.ts'
export type { Fault } from './redact.ts'

/**
 * The log holds facts about the gate, never what passes through it: no key, no prompt, no answer. A message is a sentence
 * that stands in the source; what varies goes into named fields that hold scalars, and each of them is redacted. An error's
 * message is no such field: parsers and client libraries quote their input in it.
 */

/** How much a line matters. */
export type LogLevel = 'info' | 'warn' | 'error'

/** Names that a line may carry besides its message. */
export const logFields = [
  'address',
  'at',
  'call',
  'code',
  'count',
  'dataDir',
  'durationMs',
  'event',
  'fault',
  'field',
  'file',
  'kind',
  'model',
  'path',
  'phase',
  'pid',
  'port',
  'problem',
  'reason',
  'ref',
  'scope',
  'signal',
  'status',
  'task',
  'upstream',
  'url',
  'version',
] as const

/** Name of a field. */
export type LogField = (typeof logFields)[number]

/** What varies in a line. */
export type LogFacts = { readonly [Field in LogField]?: string | number | boolean | null | undefined }

/** A message that stands in the source: a text that was put together at run time does not fit this type. */
type Sentence<Message extends string> = string extends Message ? never : Message

/** Writes lines. */
export interface Log {
  info<const Message extends string>(message: Sentence<Message>, facts?: LogFacts): void
  warn<const Message extends string>(message: Sentence<Message>, facts?: LogFacts): void
  error<const Message extends string>(message: Sentence<Message>, facts?: LogFacts): void
}

/** Where lines go and how they look. */
export interface LogOptions {
  /** Takes one line without its line feed. */
  readonly write: (line: string) => void
  readonly nowMs: () => number
  /** `json` for a file that is searched, `plain` for a terminal. */
  readonly format: 'json' | 'plain'
}

const knownFields: ReadonlySet<string> = new Set(logFields)

/** A log that writes one line a message. */
export function createLog(options: LogOptions): Log {
  function line(level: LogLevel, message: string, facts: LogFacts): void {
    const fields: Record<string, string | number | boolean | null> = {}
    for (const [name, value] of Object.entries(facts)) {
      // A field from outside the list can only come past the type check, and then nobody has judged it.
      if (!knownFields.has(name) || !isScalar(value)) continue
      fields[name] = typeof value === 'string' ? redactText(value) : value
    }
    const time = new Date(options.nowMs()).toISOString()
    if (options.format === 'json') {
      options.write(JSON.stringify({ time, level, message: redactText(message), ...fields }))
      return
    }
    const tail = Object.entries(fields).map(([name, value]) => ` ${name}=${plain(value)}`)
    options.write(`${time} ${level} ${redactText(message)}${tail.join('')}`)
  }
  return {
    info: (message, facts = {}) => line('info', message, facts),
    warn: (message, facts = {}) => line('warn', message, facts),
    error: (message, facts = {}) => line('error', message, facts),
  }
}

function isScalar(value: unknown): value is string | number | boolean | null {
  return value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

function plain(value: string | number | boolean | null): string {
  return typeof value === 'string' && !/^[\w./:…-]+$/.test(value) ? JSON.stringify(value) : String(value)
}

/** A file that lines are appended to. */
export interface LogFile {
  readonly write: (line: string) => void
  readonly close: () => void
}

/**
 * Appends to `path`, readable by its owner only. A file that would grow above `maxBytes` becomes `<path>.1` in place of the
 * one before it, so that at most twice `maxBytes` are kept. A disk that is full or gone loses lines and nothing else.
 */
export function openLogFile(path: string, maxBytes = 5_000_000): LogFile {
  let file: number | null = null
  let sizeBytes = 0

  function open(): void {
    file = openSync(path, 'a', 0o600)
    sizeBytes = fstatSync(file).size
  }

  function close(): void {
    const open = file
    file = null
    if (open !== null) closeSync(open)
  }

  function write(line: string): void {
    const bytes = Buffer.from(`${line}\n`, 'utf8')
    try {
      if (file === null) open()
      if (sizeBytes > 0 && sizeBytes + bytes.length > maxBytes) {
        close()
        renameSync(path, `${path}.1`)
        open()
      }
      if (file !== null) sizeBytes += writeSync(file, bytes)
    } catch {
      // The next line tries again.
    }
  }
  return { write, close }
}
