import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packVsix } from './stand.ts'

/** What `.vscodeignore` lets into a VSIX, and itself. */
const packed = ['.vscodeignore', 'CHANGELOG.md', 'LICENSE', 'dist', 'l10n', 'media', 'package.json', 'package.nls.json']

/** Version of the checkout. */
export const presentVersion = (JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string }).version

/** Packs the same programs as a VSIX of another version; gives its path. Needs `node esbuild.mjs --production` before. */
export async function packVsixAs(version: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-newer-'))
  try {
    for (const name of packed) cpSync(name, join(folder, name), { recursive: true })
    const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as object
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, version }))
    for (const program of ['daemon.js', 'extension.js']) raise(join(folder, 'dist', program), version)
    return await packVsix(folder, `tollgate-${version}`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The bundler has put the version in as a text, once into each program. */
function raise(program: string, version: string): void {
  const parts = readFileSync(program, 'utf8').split(JSON.stringify(presentVersion))
  assert.equal(parts.length, 2, `${program} names its version ${parts.length - 1} times`)
  writeFileSync(program, parts.join(JSON.stringify(version)))
}
