import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createText } from '../../../extension/text/text.ts'
import { readLocalisedStrings, stringsOf } from './localisedStrings.ts'

type Sentences = Readonly<Record<string, string>>

/** Languages that there must be; any other that `l10n/` holds is tested as well. */
const requiredLanguages = ['de', 'tr']

/** What is the same in other languages: names, and words that a language shares with English. */
const sameAsEnglish: Readonly<Record<string, readonly string[]>> = {
  // Names of products and of Tollgate's own view container and column.
  everywhere: [
    'Tollgate',
    'Codex',
    'Continue',
    'Cline',
    'aider',
    'Gemini CLI',
    'Azure OpenAI',
    '{0}, {1}, Tollgate {2}.',
    '{0} ms',
  ],
  // German took these over.
  de: ['Code', 'Client', 'Client: {0}', 'Dashboard', 'ok', 'Gate', 'Terminals'],
  // So did Turkish.
  tr: ['Model', '1 token'],
}

const { keys, unreadable, stray } = readLocalisedStrings()
const english = readSentences('package.nls.json')
const languages = [
  ...new Set([
    ...requiredLanguages,
    ...readdirSync('l10n').flatMap((name) => /^bundle\.l10n\.([\w-]+)\.json$/.exec(name)?.[1] ?? []),
  ]),
]

/** The currency of a gate that was told of no other, in each language. */
const euros = /€|\b(?:euros?|avro)\b/iu

/** Sentences of the manifest that speak of euros and not of where the currency is set. How an amount looks may be shown in any. */
function eurosAlone(sentences: Sentences): readonly string[] {
  return Object.entries(sentences)
    .filter(([, sentence]) => euros.test(sentence.replace(/`[^`]*`/g, '')) && !sentence.includes('`config.json`'))
    .map(([name]) => name)
}

function readSentences(path: string): Sentences {
  return JSON.parse(readFileSync(path, 'utf8')) as Sentences
}

/** Code that shows how an amount looks: `€1.84`, `128k tokens`. It is written as the language does. */
const sampleAmount = /^`.*(?:€|\btokens?\b).*`$/i

/** Every match of a pattern, sorted: what has to be in a translation as well, in whatever order. */
function matches(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)]
    .map(([match]) => match)
    .filter((match) => !sampleAmount.test(match))
    .sort()
}

/** How a text ends: as a sentence, a question, something that goes on, or as a mere name. */
function ending(text: string): string {
  return /[.…:?!]\*{0,2}$/.exec(text)?.[0] ?? ''
}

/** Complains about what a translation lost or added. English and translation are the same but for words and their order. */
function assertSameParts(name: string, source: string, translated: string): void {
  const say = (what: string): string => `${what}\n  ${name}\n  ${source}\n  ${translated}`
  assert.notEqual(translated.trim(), '', say('empty'))
  assert.equal(translated, translated.trim(), say('white space around it'))
  for (const [what, pattern] of [
    ['placeholders', /\{\d+\}/g],
    ['code', /`[^`]*`/g],
    ['commands', /\(command:[^)]*\)/g],
    ['settings', /#[\w.]+#/g],
    ['bold marks', /\*\*/g],
    ['file names and options', /--\w+|\b\w+\.json\b|\b[A-Z]+_[A-Z_]+\b|\bnum_ctx\b|\bmax_tokens\b/g],
  ] as const) {
    assert.deepEqual(matches(translated, pattern), matches(source, pattern), say(what))
  }
  assert.equal(ending(translated), ending(source), say('end'))
  assert.doesNotMatch(translated, /\.\.\.|''/, say('three points, or an apostrophe doubled'))
}

function assertTranslated(language: string, source: Iterable<readonly [string, string]>, translated: Sentences): void {
  const shared = new Set([...(sameAsEnglish['everywhere'] ?? []), ...(sameAsEnglish[language] ?? [])])
  const same = [...source].filter(
    ([key, text]) => /\p{L}/u.test(text.replace(/\{\d\}/g, '')) && translated[key] === text && !shared.has(text),
  )
  assert.deepEqual(same, [], 'the same as in English')
}

function assertSameKeys(source: Iterable<string>, translated: Sentences): void {
  const wanted = new Set(source)
  const missing = [...wanted].filter((key) => !Object.hasOwn(translated, key))
  const stale = Object.keys(translated).filter((key) => !wanted.has(key))
  assert.deepEqual({ missing, stale }, { missing: [], stale: [] })
}

describe('what the extension says', () => {
  it('is written where a translation can replace it', () => {
    assert.deepEqual(unreadable, [])
    assert.ok(keys.size > 500)
  })

  it('names no currency by itself: the gate has one, in which all amounts are', () => {
    assert.deepEqual(
      [...keys].filter((key) => euros.test(key)),
      [],
    )
    assert.deepEqual(eurosAlone(english), [])
    assert.deepEqual(eurosAlone({ sentence: 'Most euros a day.', sample: 'Like `€1.84`.' }), ['sentence'])
  })

  it('comes from the text files only', () => {
    assert.deepEqual(stray, [])
  })

  it('is looked for so that it would be found', () => {
    const found = stringsOf(
      'extension/ui/sample.ts',
      "l10n.t('Said {0}', name); l10n.t(`Also said`); l10n.t(message); l10n.t(`For ${name}`);" +
        "vscode.window.showErrorMessage('Not good', text.retry); setStatusBarMessage(`$(check) ${line}`);" +
        'pick({ title: text.title, placeHolder: `Which ${kind}?` }); ({ description: `${one} · ${other}` })',
    )
    assert.deepEqual([...found.keys], ['Said {0}', 'Also said'])
    assert.equal(found.unreadable.length, 2)
    assert.deepEqual(
      found.stray.map((place) => place.split(': ').slice(1).join(': ')),
      ["'Not good'", '`Which ${kind}?`'],
    )
  })

  it('is shipped in every language', () => {
    const shipped = readFileSync('.vscodeignore', 'utf8').split('\n')
    for (const line of ['!package.nls.json', '!package.nls.*.json', '!l10n/*.json'])
      assert.ok(shipped.includes(line), line)
    const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly l10n?: string }
    assert.equal(manifest.l10n, './l10n')
  })
})

for (const language of languages) {
  describe(`what the extension says in the language ${language}`, () => {
    const bundlePath = `l10n/bundle.l10n.${language}.json`
    const manifestPath = `package.nls.${language}.json`
    let bundle: Sentences
    let manifest: Sentences

    before(() => {
      for (const path of [bundlePath, manifestPath]) assert.ok(existsSync(path), `there is no ${path}`)
      bundle = readSentences(bundlePath)
      manifest = readSentences(manifestPath)
    })

    it('is complete, and nothing is left of sentences that are gone', () => {
      assertSameKeys(keys, bundle)
      assertSameKeys(Object.keys(english), manifest)
    })

    it('fills in the same figures, keeps code, links and settings, and ends alike', () => {
      for (const [key, text] of Object.entries(bundle)) assertSameParts(bundlePath, key, text)
      for (const [key, text] of Object.entries(manifest)) assertSameParts(key, english[key] ?? '', text)
    })

    it('names no currency by itself', () => {
      assert.deepEqual(
        Object.values(bundle).filter((sentence) => euros.test(sentence)),
        [],
      )
      assert.deepEqual(eurosAlone(manifest), [])
    })

    it('is translated', () => {
      assertTranslated(
        language,
        [...keys].map((key) => [key, key] as const),
        bundle,
      )
      assertTranslated(language, Object.entries(english), manifest)
    })

    it('has buttons, as welcome views and the walkthrough draw them, on the same lines', () => {
      const lines = (text: string): readonly (string | undefined)[] =>
        text.split('\n').map((line) => /^\[[^\]]+\](\(command:[^)]+\))$/.exec(line)?.[1])
      for (const [key, text] of Object.entries(manifest)) {
        assert.deepEqual(lines(text), lines(english[key] ?? ''), key)
      }
    })

    it('names its own commands as the palette does', () => {
      const titles = Object.entries(english).filter(([key]) => key.startsWith('command.'))
      for (const [key, text] of Object.entries(bundle)) {
        for (const [, title] of key.matchAll(/\*Tollgate: ([^*]+)\*/g)) {
          const [name = ''] = titles.find(([, said]) => said === title) ?? []
          assert.ok(name in english, `no command has this title: ${title}`)
          assert.ok(text.includes(`*Tollgate: ${manifest[name]}*`), `${manifest[name]}: ${text}`)
        }
      }
    })

    it('names the buttons and choices of its own page as they are called there', () => {
      for (const [key, text] of Object.entries(bundle)) {
        for (const [, name = ''] of key.matchAll(/“([^”]+)”/g)) {
          if (keys.has(name)) assert.ok(text.includes(bundle[name] ?? ''), `${bundle[name]}: ${text}`)
        }
      }
    })

    it('reaches every sentence that stands for itself', () => {
      const values = new Set(Object.values(bundle))
      const text = createText({ t: (message) => bundle[message] ?? message })
      const leaves = leavesOf(text)
      assert.ok(leaves.length > 300)
      assert.deepEqual(
        leaves.filter((leaf) => leaf !== text.product && !values.has(leaf)),
        [],
      )
    })
  })
}

/** Every text of an object that needs no argument. */
function leavesOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : []
}
