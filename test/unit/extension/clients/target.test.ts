import assert from 'node:assert/strict'
import { join } from 'node:path'
import { copilotOf, placesOf, profileStorage } from '../../../../extension/clients/places.ts'
import { profilesIn } from '../../../../extension/clients/profiles.ts'
import { claudeSetting, targetOf, targetsOf } from '../../../../extension/clients/target.ts'
import type { UserSettings } from '../../../../extension/clients/target.ts'
import { at, gate, memoryFiles } from './support.ts'

const userDir = join('/code', 'User')
const places = placesOf({ home: '/home/me', environment: {}, userDir })

/** The panel is installed, and its setting holds this. */
function panel(value: string | null): UserSettings {
  return { isKnown: () => true, read: () => value, write: () => Promise.reject(new Error('no test writes')) }
}

function endpoints(url: string): string {
  return JSON.stringify([{ vendor: 'customendpoint', name: 'Mine', url }])
}

describe('where Copilot’s endpoints are', () => {
  const storage = profileStorage(userDir)
  const work = copilotOf(userDir, '-1a2b')
  const profiles = (...more: readonly unknown[]) =>
    JSON.stringify({ userDataProfiles: [{ name: 'Work', location: '-1a2b' }, ...more] })

  it('is the list of each VS Code profile that has one', async () => {
    const { files } = memoryFiles({
      [storage]: profiles(),
      [places.copilot ?? '']: endpoints(`${at('openai')}/v1`),
      [work]: endpoints('https://api.openai.com/v1'),
    })
    const found = await targetsOf('copilot', gate, files, places, panel(null))
    assert.deepEqual(
      found.map(({ target, profile, plan }) => [target, profile, plan.kind]),
      [
        [places.copilot, '', 'already'],
        [work, 'Work', 'edit'],
      ],
    )
    // The report says what is not guarded, and not that another profile is.
    assert.equal((await targetOf('copilot', gate, files, places, panel(null))).target, work)
  })

  it('is the default profile’s alone where no other has one, and is named then', async () => {
    const none = memoryFiles({ [places.copilot ?? '']: endpoints('https://api.openai.com/v1') })
    const [alone, ...others] = await targetsOf('copilot', gate, none.files, places, panel(null))
    assert.deepEqual([alone.target, alone.profile, others], [places.copilot, undefined, []])

    const empty = memoryFiles({
      [storage]: profiles(),
      [places.copilot ?? '']: endpoints('https://api.openai.com/v1'),
    })
    const [named, ...more] = await targetsOf('copilot', gate, empty.files, places, panel(null))
    assert.deepEqual([named.target, named.profile, more], [places.copilot, '', []])

    const onlyWork = memoryFiles({ [storage]: profiles(), [work]: endpoints('https://api.openai.com/v1') })
    const [one, ...rest] = await targetsOf('copilot', gate, onlyWork.files, places, panel(null))
    assert.deepEqual([one.target, one.profile, rest], [work, 'Work', []])
  })

  it('is out of reach in a remote window', async () => {
    const far = placesOf({ home: '/home/me', environment: {}, userDir: null })
    const { files } = memoryFiles({})
    const found = await targetOf('copilot', gate, files, far, panel(null))
    assert.deepEqual([found.target, found.plan.kind], [null, 'nothing'])
  })

  it('leaves out a profile that shares the default list, and what is no profile', () => {
    const storage = profiles(
      { name: 'Shared', location: 'x', useDefaultFlags: { languageModels: true } },
      { name: 'Old', location: { scheme: 'file', path: '/code/User/profiles/77' } },
      { name: 'Away', location: '../..' },
      { name: '', location: 'y' },
      { location: 'z' },
      7,
    )
    assert.deepEqual(profilesIn(storage), [
      { name: 'Work', folder: '-1a2b' },
      { name: 'Old', folder: '77' },
    ])
    for (const none of [null, '', '{', '[]', '{"userDataProfiles": {}}']) assert.deepEqual(profilesIn(none), [])
  })
})

describe('where Claude Code’s panel is configured', () => {
  const kind = async (file: string | null, isPanel = true) => {
    const { files } = memoryFiles(file === null ? {} : { [places.claude]: file })
    const settings = isPanel ? panel(null) : { ...panel(null), isKnown: () => false }
    const { target, plan } = await targetOf('claude', gate, files, places, settings)
    return [target, plan.kind]
  }

  it('is its setting, as long as its file names no address', async () => {
    for (const file of [null, '{}', '{"env": {"MINE": "1"}}']) {
      assert.deepEqual(await kind(file), [claudeSetting, 'edit'], String(file))
    }
    assert.deepEqual(await kind(null, false), [places.claude, 'edit'])
  })

  it('is the file where that decides: its address wins over the setting', async () => {
    const env = (address: string) => JSON.stringify({ env: { ANTHROPIC_BASE_URL: address } })
    for (const [file, expected] of [
      [env('https://lab.example'), 'elsewhere'],
      [env('https://me.services.ai.azure.com/anthropic'), 'azure'],
      [env('https://api.anthropic.com'), 'edit'],
      // Empty, it takes the setting's address away.
      [env(''), 'edit'],
      [env(at('anthropic')), 'already'],
      ['{', 'malformed'],
    ] as const) {
      assert.deepEqual(await kind(file), [places.claude, expected], file)
    }
  })
})
