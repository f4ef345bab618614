import assert from 'node:assert/strict'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'

/** Gives the extension host an empty home folder, until `restore`: clients keep their settings in it. */
export function moveHome(): { readonly path: string; restore(): void } {
  const before = { HOME: process.env['HOME'], USERPROFILE: process.env['USERPROFILE'] }
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'tollgate-home-')))
  process.env['HOME'] = process.env['USERPROFILE'] = path
  assert.equal(homedir(), path)
  return {
    path,
    restore: () => {
      for (const [name, value] of Object.entries(before)) {
        if (value === undefined) Reflect.deleteProperty(process.env, name)
        else process.env[name] = value
      }
      rmSync(path, { recursive: true, force: true })
    },
  }
}
