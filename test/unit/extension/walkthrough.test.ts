import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'

interface Step {
  readonly id: string
  readonly title: string
  readonly description: string
  readonly media: { readonly svg: string; readonly altText: string }
  readonly completionEvents: readonly string[]
}

interface Manifest {
  readonly contributes: {
    readonly walkthroughs: readonly { readonly id: string; readonly steps: readonly Step[] }[]
    readonly commands: readonly { readonly command: string }[]
    readonly views: Readonly<Record<string, readonly { readonly id: string }[]>>
    readonly configuration: readonly { readonly properties: Readonly<Record<string, unknown>> }[]
  }
}

const { contributes } = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest
const sentences = JSON.parse(readFileSync('package.nls.json', 'utf8')) as Record<string, string>
const steps = contributes.walkthroughs.flatMap((walkthrough) => walkthrough.steps)

const views = new Set(
  Object.values(contributes.views)
    .flat()
    .map(({ id }) => id),
)
const settings = new Set(contributes.configuration.flatMap(({ properties }) => Object.keys(properties)))
const commands = new Set(contributes.commands.map(({ command }) => command))
/** VS Code itself makes one command for each view that shows it. */
const linkable = new Set([...commands, ...[...views].map((id) => `${id}.focus`)])

function sentence(placeholder: string): string {
  const found = sentences[placeholder.slice(1, -1)]
  assert.ok(found !== undefined, placeholder)
  return found
}

function commandsIn(markdown: string): readonly string[] {
  return [...markdown.matchAll(/\(command:([^)?]+)/g)].map((match) => match[1]!)
}

describe('the walkthrough', () => {
  it('has four steps, each with a button that stands alone on its line and only links to commands there are', () => {
    assert.deepEqual(
      steps.map(({ id }) => id),
      ['running', 'spend', 'cap', 'stop'],
    )
    for (const { id, description } of steps) {
      const text = sentence(description)
      assert.match(text, /^\[[^\]]+\]\(command:[^)]+\)$/m, id)
      for (const command of commandsIn(text)) assert.ok(linkable.has(command), `${id}: ${command}`)
    }
  })

  it('ticks a step by something that exists: a command, a setting or a view', () => {
    const known: Readonly<Record<string, ReadonlySet<string>>> = {
      onCommand: commands,
      onSettingChanged: settings,
      onView: views,
    }
    for (const { id, completionEvents } of steps) {
      assert.ok(completionEvents.length > 0, id)
      for (const event of completionEvents) {
        const [kind = '', name = ''] = event.split(':')
        assert.ok(known[kind]?.has(name), `${id}: ${event}`)
      }
    }
  })

  it('can tick every step by a link in the step itself or by the setting that the link opens', () => {
    for (const { id, description, completionEvents } of steps) {
      const ticking = completionEvents.map((event) =>
        event.replace(/^onCommand:/, '').replace(/^onView:(.+)$/, '$1.focus'),
      )
      const links = commandsIn(sentence(description))
      const opensCaps =
        links.includes('tollgate.openCaps') && ticking.every((event) => event.includes('tollgate.caps.'))
      assert.ok(opensCaps || links.some((link) => ticking.includes(link)), id)
    }
  })

  it('has a picture with a description for every step, and no picture without a step', () => {
    for (const { media } of steps) assert.ok(sentence(media.altText).length > 20, media.svg)
    assert.deepEqual(
      steps.map(({ media }) => basename(media.svg)).sort(),
      readdirSync(dirname(steps[0]!.media.svg)).sort(),
    )
  })
})

describe('a picture of the walkthrough', () => {
  const themed = /^(none|currentColor|inherit|var\(--vscode-[\w-]+\))$/

  for (const { media } of steps) {
    const svg = readFileSync(media.svg, 'utf8')

    it(`takes every colour from the theme: ${media.svg}`, () => {
      assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/)
      const colours = [...svg.matchAll(/\s(?:fill|stroke|color|stop-color|flood-color)="([^"]*)"/g)]
      assert.ok(colours.some((match) => match[1]!.startsWith('var(')))
      for (const [, colour] of colours) assert.match(colour!, themed)
      // The page that shows it allows no style but its own, and no pictures from elsewhere.
      assert.doesNotMatch(svg, /<style|\sstyle=|<script|\son\w+=|href=|#[0-9a-f]{3,8}\b|rgba?\(|<image|<foreignObject/i)
    })

    it(`says nothing that would have to be translated, and is small: ${media.svg}`, () => {
      for (const [, text] of svg.matchAll(/<text[^>]*>([^<]*)</g)) assert.match(text!, /^[\d\s€.,·/k]+$/)
      assert.ok(Buffer.byteLength(svg) < 5000)
    })
  }

  it('is in the package', () => {
    assert.ok(readFileSync('.vscodeignore', 'utf8').split('\n').includes('!media/walkthrough/*.svg'))
  })
})

describe('the links of the welcome texts', () => {
  it('lead to commands of the extension or of VS Code', () => {
    for (const [key, text] of Object.entries(sentences)) {
      for (const command of commandsIn(text)) {
        assert.ok(linkable.has(command) || command.startsWith('workbench.action.'), `${key}: ${command}`)
      }
    }
  })
})
