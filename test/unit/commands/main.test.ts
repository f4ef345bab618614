import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../../daemon/main.ts', import.meta.url))

function run(
  words: readonly string[],
  nodeOptions: readonly string[] = [],
): { code: number | null; out: string; err: string } {
  const quiet = '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON'
  const result = spawnSync(process.execPath, [quiet, ...nodeOptions, program, ...words], { encoding: 'utf8' })
  return { code: result.status, out: result.stdout, err: result.stderr }
}

describe('the program', () => {
  it('ends with 2 and one sentence on a runtime that is too old, whatever the command', () => {
    const old =
      'data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.20.2"}})'
    for (const words of [['serve'], ['status'], []]) {
      assert.deepEqual(run(words, ['--import', old]), {
        code: 2,
        out: '',
        err: 'Tollgate needs Node 22 or newer and this is Node 20.20.2: start it with a newer Node.\n',
      })
    }
  })

  it('ends with 2 and one sentence for an unknown command', () => {
    const { code, out, err } = run(['strat'])
    assert.equal(code, 2)
    assert.equal(out, '')
    assert.match(err, /^There is no command "strat"\..*\n$/)
  })

  it('prints its version and its help on stdout', () => {
    assert.match(run(['--version']).out, /^\d+\.\d+\.\d+(-dev)?\n$/)
    assert.match(run(['help', 'kill']).out, /tollgate kill \[--scope/)
  })

  it('ends with 1 and one sentence where no daemon runs', () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-main-'))
    try {
      const { code, out, err } = run(['status', '--data-dir', dataDir])
      assert.equal(code, 1)
      assert.equal(out, '')
      assert.equal(err, `Tollgate is not running for ${dataDir}. Start it with: tollgate serve\n`)
    } finally {
      rmSync(dataDir, { recursive: true, force: true })
    }
  })
})
