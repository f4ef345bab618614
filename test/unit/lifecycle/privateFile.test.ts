import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { replacePrivateFile } from '../../../daemon/lifecycle/privateFile.ts'

describe('a private file', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tollgate-private-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('is replaced as a whole, for its owner only', () => {
    const path = join(folder, 'caps.json')
    replacePrivateFile(path, 'a longer text')
    replacePrivateFile(path, 'text')
    assert.equal(readFileSync(path, 'utf8'), 'text')
    assert.equal(statSync(path).mode & 0o777, 0o600)
  })

  it('leaves no draft where it cannot take its name', () => {
    const path = join(folder, 'caps.json')
    mkdirSync(join(path, 'inside'), { recursive: true })
    assert.throws(() => replacePrivateFile(path, 'text'))
    assert.deepEqual(readdirSync(folder), ['caps.json'])
  })
})
