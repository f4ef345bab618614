import assert from 'node:assert/strict'
import { mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { configFile } from '../../../daemon/config/configFile.ts'

describe('the file of the configuration', () => {
  let dir: string
  let path: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'tollgate-file-'))
    path = join(dir, 'config.json')
    writeFileSync(path, 'one')
  })
  afterEach(() => rmSync(dir, { recursive: true, force: true }))

  /** A watched file and what was read at each change. */
  function watched(isRequired = false) {
    const file = configFile(path, isRequired)
    const read: (string | null)[] = []
    const saw = async (text: string | null): Promise<void> => {
      for (let waitedMs = 0; read.at(-1) !== text || read.length === 0; waitedMs += 10) {
        assert.ok(waitedMs < 5000, `waited for ${String(text)}`)
        await pause(10)
      }
    }
    return { file, read, saw, watch: () => file.watch(() => read.push(file.read())) }
  }

  it('says a change that came between the first reading and the watch', () => {
    const { file, read, watch } = watched()
    assert.equal(file.read(), 'one')
    writeFileSync(path, 'two')
    watch()
    assert.deepEqual(read, ['two'])
  })

  it('says a change that comes in the very moment after the watch began', async () => {
    const { file, saw, watch } = watched()
    file.read()
    watch()
    writeFileSync(path, 'two')
    await saw('two')
  })

  it('says a file that another one replaces, and one that goes and comes back', async () => {
    const { file, saw, watch } = watched()
    file.read()
    watch()
    writeFileSync(`${path}.new`, 'two')
    renameSync(`${path}.new`, path)
    await saw('two')
    rmSync(path)
    await saw(null)
    writeFileSync(path, 'three')
    await saw('three')
  })

  it('says nothing when the contents are the same', async () => {
    const { file, read, saw, watch } = watched()
    file.read()
    watch()
    writeFileSync(path, 'one')
    utimesSync(path, new Date(), new Date())
    await pause(900)
    assert.deepEqual(read, [])
    writeFileSync(path, 'two')
    await saw('two')
    assert.equal(read.length, 1)
  })

  it('takes a missing file for none, and for a fault where it was asked for by name', () => {
    rmSync(path)
    assert.equal(configFile(path, false).read(), null)
    assert.throws(() => configFile(path, true).read(), { code: 'ENOENT' })
  })
})
