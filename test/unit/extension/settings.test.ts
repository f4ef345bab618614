import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { daemonStep, ownValue, parseSettings, statusBarShows } from '../../../extension/settings.ts'
import type { ParsedSettings, Settings } from '../../../extension/settings.ts'

interface Property {
  readonly default: unknown
  readonly scope: string
  readonly minimum?: number
  readonly maximum?: number
  readonly enum?: readonly string[]
}

interface Manifest {
  readonly contributes: {
    readonly configuration: readonly { readonly properties: Record<string, Property> }[]
    readonly commands: readonly { readonly command: string }[]
  }
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest
const properties = Object.assign({}, ...manifest.contributes.configuration.map((block) => block.properties)) as Record<
  string,
  Property
>

function parse(user: Record<string, unknown>, before?: Settings): ParsedSettings {
  return parseSettings(
    {
      user: (key) => user[key],
      effective: (key) => (key in user ? user[key] : properties[`tollgate.${key}`]?.default),
    },
    before,
  )
}

const namesOf = ({ invalid }: ParsedSettings): readonly string[] => invalid.map(({ name }) => name)

describe('settings', () => {
  it('are the defaults of the manifest when the user set nothing, and send no cap', () => {
    const { settings, invalid } = parse({})
    assert.deepEqual(invalid, [])
    assert.deepEqual(settings.caps, {})
    assert.deepEqual(settings.inject, {
      openai: true,
      anthropic: true,
      ollama: true,
      ollamaHost: false,
      gemini: false,
    })
    assert.deepEqual(settings.daemon, { port: 4141, dataDir: '', nodePath: '' })
    assert.ok(settings.notifyTasks && settings.notifyTruncation)
    assert.deepEqual([settings.statusBarAlignment, settings.statusBarShow], ['right', 'spendAndTokens'])
  })

  it('choose what the status bar shows among what the manifest lists, and the default for anything else', () => {
    const listed = properties['tollgate.statusBar.show']?.enum
    assert.deepEqual(listed, [...statusBarShows])
    for (const show of statusBarShows) assert.equal(parse({ 'statusBar.show': show }).settings.statusBarShow, show)
    for (const other of ['', 'all', 3, null, ['tokens']])
      assert.equal(parse({ 'statusBar.show': other }).settings.statusBarShow, 'spendAndTokens')
  })

  it('start, stop and restart the daemon, and leave it alone while Tollgate is switched off', () => {
    const step = (before: Record<string, unknown>, after: Record<string, unknown>) =>
      daemonStep(parse(before).settings, parse(after).settings)
    const off = { enabled: false }
    const otherPort = { 'daemon.port': 4242 }
    assert.deepEqual([step({}, off), step(off, {}), step({}, otherPort)], ['stop', 'start', 'restart'])
    assert.equal(step(off, { ...off, ...otherPort }), null)
    assert.equal(step({}, { ...off, ...otherPort }), 'stop')
    assert.equal(step({}, { 'caps.dailyEur': 3 }), null)
  })

  it('switch notifications off one by one', () => {
    const { settings } = parse({ 'notifications.tasks': false })
    assert.ok(!settings.notifyTasks && settings.notifyTruncation)
  })

  it('send the caps that the user set, null included', () => {
    const { settings } = parse({ 'caps.dailyEur': 2.5, 'caps.dailyTokens': null, 'caps.monthlyTokens': 0 })
    assert.deepEqual(settings.caps, { userDailyEur: 2.5, userDailyTokens: null, tenantMonthlyTokens: 0 })
  })

  it('M09: keep the last good cap when the new one is none, instead of opening the gate', () => {
    const before = parse({ 'caps.dailyEur': 2, 'caps.monthlyEur': 20 }).settings
    for (const bad of ['5,00', NaN, -1, Infinity, true, {}, 1e300, 9_000_000.01]) {
      const { settings, invalid } = parse({ 'caps.dailyEur': bad, 'caps.monthlyEur': 20 }, before)
      assert.deepEqual(invalid, [{ name: 'tollgate.caps.dailyEur', cap: { unit: 'eur', largest: 9_000_000 } }])
      assert.deepEqual([settings.caps, settings.keepCaps], [{ userDailyEur: 2, tenantMonthlyEur: 20 }, []])
    }
    for (const bad of [1.5, 1e16])
      assert.deepEqual(namesOf(parse({ 'caps.dailyTokens': bad })), ['tollgate.caps.dailyTokens'])
  })

  it('M09: tell the daemon to keep a cap that a window without a past cannot use, and send the good ones', () => {
    const opened = parse({ 'caps.dailyEur': '2,0', 'caps.dailyTokens': 1e16, 'caps.monthlyEur': 20 }).settings
    assert.deepEqual([opened.caps, opened.keepCaps], [{ tenantMonthlyEur: 20 }, ['userDailyEur', 'userDailyTokens']])
    const mended = parse({ 'caps.dailyEur': 3 }, opened).settings
    assert.deepEqual([mended.caps, mended.keepCaps], [{ userDailyEur: 3 }, []])
  })

  it('have the ports of the manifest, and keep the one before for any other, which is said', () => {
    const { minimum, maximum } = properties['tollgate.daemon.port']!
    const before = parse({ 'daemon.port': 5000 }).settings
    for (const good of [minimum!, 4141, maximum!]) {
      const { settings, invalid } = parse({ 'daemon.port': good }, before)
      assert.deepEqual([settings.daemon.port, invalid], [good, []])
    }
    for (const bad of [0, 80, minimum! - 1, maximum! + 1, 70_000, 4141.5, '4141', null, NaN]) {
      assert.deepEqual(parse({ 'daemon.port': bad }).invalid, [{ name: 'tollgate.daemon.port', cap: null }])
      assert.equal(parse({ 'daemon.port': bad }).settings.daemon.port, 4141)
      assert.equal(daemonStep(before, parse({ 'daemon.port': bad }, before).settings), null)
    }
  })

  it('keep the directory and the runtime before where the new one is no text', () => {
    const before = parse({ 'daemon.dataDir': ' /data ', 'daemon.nodePath': '/bin/node' }).settings
    const { settings, invalid } = parse({ 'daemon.dataDir': 5, 'daemon.nodePath': ['x'] }, before)
    assert.deepEqual(settings.daemon, { port: 4141, dataDir: '/data', nodePath: '/bin/node' })
    assert.deepEqual(
      invalid.map(({ name }) => name),
      ['tollgate.daemon.dataDir', 'tollgate.daemon.nodePath'],
    )
  })
})

describe("the user's own value of a cap", () => {
  it('is the one that was set, and none where only the default holds', () => {
    assert.equal(ownValue({ defaultValue: 10, globalValue: 5 }, 5), 5)
    assert.equal(ownValue({ defaultValue: 10, globalValue: 0 }, 0), 0)
    assert.equal(ownValue({ defaultValue: 10 }, 10), undefined)
    assert.equal(ownValue({ defaultValue: null }, null), undefined)
    assert.equal(ownValue(undefined, undefined), undefined)
  })

  it('is null where null was written, which VS Code does not tell as the others: there is no cap then', () => {
    assert.equal(ownValue({ defaultValue: 10, globalLocalValue: null }, null), null)
    assert.equal(ownValue({ defaultValue: null, globalRemoteValue: null }, null), null)
    assert.equal(ownValue({ defaultValue: 10 }, null), null)
  })
})

describe('the manifest', () => {
  it('has every setting and every command in docs/extension.md', () => {
    const page = readFileSync('docs/extension.md', 'utf8')
    for (const name of Object.keys(properties)) assert.ok(page.includes(`\`${name}\``), name)
    const titles = JSON.parse(readFileSync('package.nls.json', 'utf8')) as Record<string, string>
    for (const { command } of manifest.contributes.commands) {
      const title = titles[command.replace('tollgate.', 'command.')]
      assert.ok(title !== undefined && page.includes(`*${title}*`), command)
    }
  })

  it('lets no workspace change a cap, the gate, where calls go or what is said: a cloned folder would silence the guard', () => {
    const display = new Set(['tollgate.statusBar.alignment', 'tollgate.statusBar.show'])
    for (const [name, { scope }] of Object.entries(properties)) {
      if (!display.has(name)) assert.ok(scope === 'application' || scope === 'machine', `${name}: ${scope}`)
    }
  })

  it('has a sentence for every placeholder, and no sentence without one', () => {
    const used = [...readFileSync('package.json', 'utf8').matchAll(/"%([^%"]+)%"/g)].map((match) => match[1]!)
    const sentences = JSON.parse(readFileSync('package.nls.json', 'utf8')) as Record<string, string>
    assert.deepEqual([...new Set(used)].sort(), Object.keys(sentences).sort())
  })
})
