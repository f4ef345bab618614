import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { reasonOf } from '../attempt.ts'
import { UnreadableInvoice } from '../../reconcile/invoice.ts'

/** Largest export that is read, in bytes. */
export const mostBytes = 50 * 1024 * 1024

/** The text of an export. Throws UnreadableInvoice for what is too large, no file, or no text in UTF-8. */
export function readInvoiceFile(file: string, limitBytes = mostBytes): string {
  let bytes: Buffer
  try {
    const descriptor = openSync(file, 'r')
    try {
      const stats = fstatSync(descriptor)
      if (!stats.isFile()) throw new UnreadableInvoice(`${file} is no file.`)
      // Asked before it is read: a file that does not fit into memory is not tried.
      if (stats.size > limitBytes) {
        const [size, limit] = [stats.size, limitBytes].map((count) => Math.ceil(count / 1024 / 1024))
        throw new UnreadableInvoice(
          `${file} has ${size} MB, and at most ${limit} MB are read: export fewer days or less detail.`,
        )
      }
      bytes = readFileSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
  } catch (fault) {
    if (fault instanceof UnreadableInvoice) throw fault
    throw new UnreadableInvoice(`${file} cannot be read: ${reasonOf(fault)}.`)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new UnreadableInvoice(`${file} is no text in UTF-8. Export it as CSV or JSON in UTF-8.`)
  }
}
