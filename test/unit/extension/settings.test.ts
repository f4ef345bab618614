import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { parseSettings } from '../../../extension/settings.ts'
import type { ParsedSettings, Settings } from '../../../extension/settings.ts'

interface Manifest {
  readonly contributes: {
    readonly configuration: readonly { readonly properties: Record<string, { default: unknown; scope: string }> }[]
    readonly commands: readonly { readonly command: string }[]
  }
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest
const properties = Object.assign({}, ...manifest.contributes.configuration.map((block) => block.properties)) as Record<
  string,
  { default: unknown; scope: string }
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
  })

  it('switch notifications off one by one', () => {
    const { settings } = parse({ 'notifications.tasks': false })
    assert.ok(!settings.notifyTasks && settings.notifyTruncation)
  })

  it('send the caps that the user set, null included', () => {
    const { settings } = parse({ 'caps.dailyEur': 2.5, 'caps.dailyTokens': null, 'caps.monthlyTokens': 0 })
    assert.deepEqual(settings.caps, { userDailyEur: 2.5, userDailyTokens: null, tenantMonthlyTokens: 0 })
  })

  it('M09: keep the last good cap when the new one is no amount, instead of opening the gate', () => {
    const before = parse({ 'caps.dailyEur': 2, 'caps.monthlyEur': 20 }).settings
    for (const bad of ['5,00', NaN, -1, Infinity, true, {}]) {
      const { settings, invalid } = parse({ 'caps.dailyEur': bad, 'caps.monthlyEur': 20 }, before)
      assert.deepEqual(invalid, ['tollgate.caps.dailyEur'])
      assert.deepEqual(settings.caps, { userDailyEur: 2, tenantMonthlyEur: 20 })
    }
    assert.deepEqual(parse({ 'caps.dailyTokens': 1.5 }).invalid, ['tollgate.caps.dailyTokens'])
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

  it('lets no workspace change a cap, the gate or where calls go', () => {
    const display = new Set([
      'tollgate.statusBar.alignment',
      'tollgate.notifications.truncation',
      'tollgate.notifications.tasks',
    ])
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
