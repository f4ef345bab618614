import assert from 'node:assert/strict'
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
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
import { WriteRefused } from '../../../../extension/clients/facts.ts'

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

  it('that are read-only are neither overwritten nor removed', async () => {
    const path = join(folder, 'config.toml')
    writeFileSync(path, 'old')
    chmodSync(path, 0o444)
    await assert.rejects(disk.write(path, 'new'), new WriteRefused('readOnly'))
    await assert.rejects(disk.remove(path), new WriteRefused('readOnly'))
    assert.equal(readFileSync(path, 'utf8'), 'old')
    assert.deepEqual(readdirSync(folder), ['config.toml'])
  })

  it('that have a second name are not parted from it', async () => {
    const path = join(folder, 'config.toml')
    writeFileSync(path, 'old')
    linkSync(path, join(folder, 'backup.toml'))
    await assert.rejects(disk.write(path, 'new'), new WriteRefused('hardLink'))
    assert.equal(readFileSync(path, 'utf8'), 'old')
    assert.deepEqual(readdirSync(folder).sort(), ['backup.toml', 'config.toml'])
  })

  it('go with the folders that were made for them, as far as these are empty', async () => {
    for (const [other, left] of [
      [null, [] as string[]],
      [join('a', 'mine.txt'), ['a']],
    ] as const) {
      const path = join(folder, 'a', 'b', 'new.json')
      await disk.write(path, '{}')
      if (other !== null) writeFileSync(join(folder, other), 'mine')
      await disk.remove(path, join(folder, 'a'))
      assert.deepEqual(readdirSync(folder), left)
      assert.ok(!existsSync(join(folder, 'a', 'b')))
    }
    const path = join(folder, 'a', 'c', 'new.json')
    await disk.write(path, '{}')
    await disk.remove(path)
    assert.ok(existsSync(join(folder, 'a', 'c')))
  })

  it('are gone also where their folder cannot be removed', async () => {
    const path = join(folder, 'a', 'new.json')
    await disk.write(path, '{}')
    // The system lets nobody remove a folder by a path that ends with a dot.
    await disk.remove(`${join(folder, 'a')}/./new.json`, join(folder, 'a'))
    assert.deepEqual(readdirSync(join(folder, 'a')), [])
  })

  it('stay those of the user and the group that they belong to', async () => {
    const path = join(folder, 'config.toml')
    writeFileSync(path, 'old')
    const own = statSync(path)
    // Only root can give a file away; everybody can give it to another group of theirs.
    const isRoot = own.uid === 0
    const uid = isRoot ? 1234 : own.uid
    const gid = isRoot ? 1235 : (process.getgroups?.().find((one) => one !== own.gid) ?? own.gid)
    chownSync(path, uid, gid)
    await disk.write(path, 'new')
    const after = statSync(path)
    assert.deepEqual([after.uid, after.gid], [uid, gid])
  })
})
