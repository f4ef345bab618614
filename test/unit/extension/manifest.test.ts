import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import type { GateKey } from '../../../extension/ui/gateView.ts'

interface MenuEntry {
  readonly command: string
  readonly when?: string
}

interface Manifest {
  readonly contributes: {
    readonly commands: readonly { readonly command: string }[]
    readonly keybindings: readonly MenuEntry[]
    readonly menus: Readonly<Record<string, readonly MenuEntry[]>>
    readonly viewsWelcome: readonly { readonly contents: string; readonly when: string }[]
  }
}

const { contributes } = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest
const { commands, keybindings, menus } = contributes
const names = commands.map(({ command }) => command)

const sources = globSync('extension/**/*.ts', { exclude: ['extension/dashboard/web/**'] })
const code = sources.map((file) => readFileSync(file, 'utf8')).join('\n')

/** Whether a when-clause of the kind that welcome views have holds; undefined: the key is not set. */
function holds(when: string, gate: GateKey | undefined): boolean {
  return when.split(' || ').some((term) => {
    if (term === '!tollgate.gate') return gate === undefined
    const [, wanted] = /^tollgate\.gate == (\w+)$/.exec(term) ?? []
    assert.ok(wanted, term)
    return gate === wanted
  })
}

describe('the manifest of the extension', () => {
  it('has no command that nothing answers', () => {
    for (const name of names) {
      assert.ok(
        code.includes(`registerCommand('${name}'`) || code.includes(`\n  '${name}': `),
        `nothing answers ${name}`,
      )
    }
  })

  it('names no command in a menu or at a key that it does not have', () => {
    for (const { command } of [...keybindings, ...Object.values(menus).flat()])
      assert.ok(names.includes(command), command)
  })

  it('welcomes in exactly one way in every state of the gate, by commands that are there', () => {
    const shown = (gate: GateKey | undefined): readonly string[] =>
      contributes.viewsWelcome.filter(({ when }) => holds(when, gate)).map(({ contents }) => contents)
    const states = { up: 'nothingYet', starting: 'starting', down: 'down', newer: 'newer', older: 'older', off: 'off' }
    for (const [gate, name] of Object.entries(states) as [GateKey, string][])
      assert.deepEqual(shown(gate), [`%welcome.${name}%`])
    assert.deepEqual(shown(undefined), ['%welcome.starting%'], 'before the extension has said anything')
    const sentences = JSON.parse(readFileSync('package.nls.json', 'utf8')) as Readonly<Record<string, string>>
    for (const { contents } of contributes.viewsWelcome) {
      for (const [, command = ''] of (sentences[contents.slice(1, -1)] ?? '').matchAll(/\(command:(tollgate\.\w+)\)/g))
        assert.ok(code.includes(`'${command}': `), command)
    }
  })

  it('lets a gate be stopped from the title of the Spend view wherever one runs, also one that cannot be followed', () => {
    const rule = (menus['view/title'] ?? []).find(({ command }) => command === 'tollgate.stopAll')?.when ?? ''
    const [pattern = ''] = /(?<=tollgate\.gate =~ \/)[^/]+/.exec(rule) ?? []
    const keys: readonly GateKey[] = ['off', 'starting', 'up', 'newer', 'older', 'down']
    assert.deepEqual(
      keys.filter((key) => new RegExp(pattern).test(key)),
      ['up', 'newer', 'older'],
    )
  })

  it('gives a row of the Spend view only to commands that know rows, of which none can be chosen without one', () => {
    const rows = menus['view/item/context'] ?? []
    assert.ok(rows.length > 0)
    const hidden = new Set(
      menus['commandPalette']?.filter(({ when }) => when === 'false').map(({ command }) => command),
    )
    // Without a row these ask what is meant.
    const knowRows = ['tollgate.raiseToday', 'tollgate.takeBackToday', 'tollgate.spend.showCalls']
    for (const { command } of rows) {
      assert.ok(knowRows.includes(command) || (command.startsWith('tollgate.spend.') && hidden.has(command)), command)
    }
  })
})
