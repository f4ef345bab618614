import assert from 'node:assert/strict'
import { chmodSync, linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { factsOf } from '../../../../extension/clients/facts.ts'

describe('what a person should know of a client’s file', () => {
  let home = ''
  beforeEach(() => {
    home = realpathSync(mkdtempSync(join(tmpdir(), 'tollgate-facts-')))
  })
  afterEach(() => rmSync(home, { recursive: true, force: true }))

  const facts = (path: string, platform: NodeJS.Platform = 'linux') => factsOf(path, { home, platform })
  const none = { linkedTo: null, missingFolder: null, isReadableByOthers: false, repository: null, obstacle: null }

  it('is nothing where it is the owner’s alone', async () => {
    const path = join(home, 'config.toml')
    writeFileSync(path, '', { mode: 0o600 })
    assert.deepEqual(await facts(path), none)
    assert.deepEqual(await facts(join(home, 'absent.toml')), none)
  })

  it('is that its rights let others read it', async () => {
    const path = join(home, 'config.toml')
    writeFileSync(path, '')
    for (const mode of [0o644, 0o640, 0o604]) {
      chmodSync(path, mode)
      assert.deepEqual(await facts(path), { ...none, isReadableByOthers: true }, mode.toString(8))
    }
    assert.equal((await facts(path, 'win32')).isReadableByOthers, false)
  })

  it('is where a link leads, and the repository that it leads into', async () => {
    const dotfiles = join(home, 'dotfiles')
    mkdirSync(join(dotfiles, '.git'), { recursive: true })
    mkdirSync(join(dotfiles, 'codex'))
    writeFileSync(join(dotfiles, 'codex', 'config.toml'), '', { mode: 0o600 })
    const expected = { ...none, linkedTo: join(dotfiles, 'codex', 'config.toml'), repository: dotfiles }
    symlinkSync(join(dotfiles, 'codex'), join(home, '.codex'))
    assert.deepEqual(await facts(join(home, '.codex', 'config.toml')), expected)
    symlinkSync(join(dotfiles, 'codex', 'config.toml'), join(home, 'config.toml'))
    assert.deepEqual(await facts(join(home, 'config.toml')), expected)
    assert.deepEqual(await facts(join(home, '.codex', 'new.toml')), {
      ...expected,
      linkedTo: join(dotfiles, 'codex', 'new.toml'),
    })
  })

  it('is not that the home folder itself is a link', async () => {
    const linked = join(home, 'home')
    mkdirSync(join(home, 'disk', '.codex'), { recursive: true })
    symlinkSync(join(home, 'disk'), linked)
    const path = join(linked, '.codex', 'config.toml')
    assert.equal((await factsOf(path, { home: linked, platform: 'linux' })).linkedTo, null)
  })

  it('is what keeps it from being written, and the folder that has to be made', async () => {
    const path = join(home, 'config.toml')
    writeFileSync(path, '', { mode: 0o400 })
    assert.equal((await facts(path)).obstacle, 'readOnly')
    chmodSync(path, 0o600)
    linkSync(path, join(home, 'backup.toml'))
    assert.equal((await facts(path)).obstacle, 'hardLink')
    assert.equal((await facts(join(home, 'a', 'b', 'new.json'))).missingFolder, join(home, 'a'))
  })
})
