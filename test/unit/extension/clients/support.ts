import assert from 'node:assert/strict'
import type { FileText, Files } from '../../../../extension/clients/files.ts'
import type { Plan } from '../../../../extension/clients/plan.ts'
import { applySteps } from '../../../../extension/clients/steps.ts'
import { restoring, undoRecord } from '../../../../extension/clients/undo.ts'

export const gate = { origin: 'http://127.0.0.1:4141', key: 'k3yOfThisMachine' }

/** The base URL of an upstream. */
export const at = (upstream: string): string => `http://127.0.0.1:4141/k/k3yOfThisMachine/${upstream}`

/** The text after an edit. Checks that its steps lead there, and that undo leads back byte for byte. */
export function edited(before: string | null, plan: Plan): string {
  assert.equal(plan.kind, 'edit')
  assert.equal(applySteps(before ?? '', plan.steps), plan.after)
  const record = undoRecord(
    { client: 'codex', target: 'f', steps: plan.steps, madeFolder: null, before, after: plan.after, key: gate.key },
    undefined,
  )
  assert.deepEqual(restoring(record, plan.after, gate.key), { kind: 'exact', text: before })
  return plan.after
}

/** A disk in memory that counts its reads. */
export function memoryFiles(contents: Readonly<Record<string, string | { readonly broken: string }>>) {
  const present = new Map(Object.entries(contents))
  const reads: string[] = []
  const files: Files = {
    read: (path): Promise<FileText> => {
      reads.push(path)
      const found = present.get(path)
      if (found === undefined) return Promise.resolve({ kind: 'absent' })
      return Promise.resolve(
        typeof found === 'string' ? { kind: 'text', text: found } : { kind: 'unreadable', reason: found.broken },
      )
    },
    write: (path, text) => Promise.resolve(void present.set(path, text)),
    remove: (path) => Promise.resolve(void present.delete(path)),
    exists: (path) => Promise.resolve([...present.keys()].some((one) => one === path || one.startsWith(`${path}/`))),
  }
  return { files, reads }
}
