import assert from 'node:assert/strict'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { disk } from '../../../../extension/clients/disk.ts'

describe('clients’ files on disk', () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tollgate-clients-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('keep their rights, and a link stays a link', async () => {
    const real = join(folder, 'dotfiles.toml')
    const link = join(folder, 'config.toml')
    writeFileSync(real, 'old')
    chmodSync(real, 0o664)
    symlinkSync(real, link)
    await disk.write(link, 'new')
    assert.ok(lstatSync(link).isSymbolicLink())
    assert.equal(readFileSync(real, 'utf8'), 'new')
    assert.equal(statSync(real).mode & 0o777, 0o664)
    assert.deepEqual(readdirSync(folder).sort(), ['config.toml', 'dotfiles.toml'])
  })

  it('are made for their owner only, with their folder', async () => {
    const path = join(folder, 'a', 'b', 'new.json')
    await disk.write(path, '{}')
    assert.equal(statSync(path).mode & 0o777, 0o600)
  })

  it('that are no text, a folder, or a link to nothing are not taken for absent ones', async () => {
    writeFileSync(join(folder, 'bytes'), Buffer.from([0xff, 0xfe, 0x41]))
    mkdirSync(join(folder, 'dir'))
    symlinkSync(join(folder, 'gone'), join(folder, 'link'))
    for (const name of ['bytes', 'dir', 'link']) {
      assert.equal((await disk.read(join(folder, name))).kind, 'unreadable', name)
    }
    assert.equal((await disk.read(join(folder, 'nothing', 'here'))).kind, 'absent')
  })
})
