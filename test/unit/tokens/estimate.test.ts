import assert from 'node:assert/strict'
import { countTokens as countByPackage } from 'gpt-tokenizer/encoding/o200k_base'
import fc from 'fast-check'
import type { InputEstimate } from '../../../daemon/call.ts'
import { createTokenCounter } from '../../../daemon/tokens/estimate.ts'
import type { CounterOptions } from '../../../daemon/tokens/estimate.ts'
import { familyMargins, modelFamily } from '../../../daemon/tokens/families.ts'
import type { ModelFamily } from '../../../daemon/tokens/families.ts'
import { MessageCountCache } from '../../../daemon/tokens/messageCache.ts'
import { readRankFile } from '../../../daemon/tokens/rankFiles.ts'
import { defaultWorkBudget } from '../../../daemon/tokens/textCount.ts'
import { Tokenizer } from '../../../daemon/tokens/tokenizer.ts'
import { TextDigests } from '../../../daemon/transcript/textDigests.ts'
import { samples } from './samples.ts'

const tokenizer = new Tokenizer(readRankFile)
const defaults: CounterOptions = { estimator: 'tokenizer', family: 'openai', model: 'gpt-5', tokenizer, cache: null }
const families = Object.keys(familyMargins) as ModelFamily[]

function estimateOf(texts: readonly string[], options: Partial<CounterOptions> = {}): InputEstimate {
  const counter = createTokenCounter({ ...defaults, ...options })
  for (const text of texts) counter.text(text)
  return counter.estimate()
}

function stepsOf(work: () => void): number {
  const encoder = tokenizer.encoder('o200k_base')
  const before = encoder.work()
  work()
  return encoder.work() - before
}

describe('estimate of a request', () => {
  for (const [name, text] of Object.entries(samples)) {
    it(`bounds ${name} for every family between its o200k count and its bytes`, () => {
      const exact = countByPackage(text, { disallowedSpecial: new Set() })
      for (const family of families) {
        const { upperTokens, textTokens } = estimateOf([text], { family })
        assert.ok(upperTokens >= exact, family)
        assert.ok(upperTokens <= Buffer.byteLength(text), family)
        assert.ok(textTokens >= exact && textTokens <= exact * 1.06 + 2, family)
      }
    })
  }

  it('covers what other tokenizers were measured to need over o200k', () => {
    const measured: readonly (readonly [keyof typeof samples, ModelFamily, number])[] = [
      ['English prose', 'gemma', 1.11],
      ['English prose', 'claude-old', 1.15],
      ['TypeScript', 'gemma', 1.16],
      ['JSON', 'gemma', 1.22],
      ['Chinese', 'claude-old', 1.24],
      ['Japanese', 'claude-old', 1.33],
      ['Russian', 'qwen', 1.56],
      ['Russian', 'claude-old', 2.22],
      ['Arabic', 'claude-old', 2.89],
      ['Hindi', 'qwen', 3.06],
      ['Hindi', 'llama', 1.77],
      ['base64', 'qwen', 1.09],
      ['hex', 'qwen', 1.54],
      ['numbers', 'gemma', 1.97],
      ['numbers', 'qwen', 1.97],
    ]
    for (const [sample, family, ratio] of measured) {
      const text = samples[sample] ?? ''
      const { upperTokens, textTokens } = estimateOf([text], { family })
      const needed = Math.min(Buffer.byteLength(text), ratio * textTokens)
      assert.ok(upperTokens >= needed, `${sample} for ${family}: ${upperTokens / textTokens} of ${ratio}`)
    }
  })

  it('never has more tokens than bytes, structure and media, whatever is fed', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'binary' }), { maxLength: 5 }),
        fc.constantFrom(...families),
        fc.nat(50),
        (texts, family, fixed) => {
          const counter = createTokenCounter({ ...defaults, family })
          for (const text of texts) counter.text(text)
          counter.structure(fixed)
          counter.exact(7)
          counter.media({ kind: 'image' })
          const { upperTokens, mediaTokens } = counter.estimate()
          assert.ok(mediaTokens > 0)
          assert.ok(upperTokens <= Buffer.byteLength(texts.join('')) + texts.length + fixed + 7 + mediaTokens)
          assert.ok(upperTokens >= fixed + 7 + mediaTokens)
        },
      ),
    )
  })

  it('divides characters where the plan says so: 6,052 characters are 2,018 tokens and the structure', () => {
    const counter = createTokenCounter({ ...defaults, estimator: 'chars3' })
    counter.text('x'.repeat(6052))
    counter.structure(12)
    assert.equal(counter.estimate().upperTokens, 2018 + 12)
    assert.equal(estimateOf(['x'.repeat(3600)], { estimator: 'chars3.6' }).upperTokens, 1000)
  })

  it('does not divide so that a prompt of plain English looks truncated', () => {
    const text = samples['English prose'] ?? ''
    const exact = countByPackage(text)
    assert.ok(estimateOf([text], { estimator: 'chars3' }).textTokens * 0.6 < exact)
  })

  it('counts a schema by its JSON', () => {
    const schema = { type: 'object', properties: { city: { type: 'string', description: 'A city' } } }
    const counter = createTokenCounter(defaults)
    counter.json(schema)
    counter.json(undefined)
    assert.equal(counter.estimate().textTokens, countByPackage(JSON.stringify(schema)))
  })

  it('counts token ids by their number', () => {
    const counter = createTokenCounter(defaults)
    counter.exact(1234)
    assert.deepEqual(counter.estimate(), { upperTokens: 1234, textTokens: 1234, mediaTokens: 0 })
  })
})

describe('a request beyond its budget of work', () => {
  const kinds: Readonly<Record<string, string>> = {
    letters: 'a'.repeat(1_000_000),
    base64: (samples['base64'] ?? '').repeat(250),
    Thai: (samples['Thai'] ?? '').repeat(120),
    'prose, then base64': (samples['English prose'] ?? '').repeat(200) + (samples['base64'] ?? '').repeat(150),
  }

  for (const [name, text] of Object.entries(kinds)) {
    it(`J01: is bounded from samples, and stays a bound, for ${name}`, () => {
      const exact = tokenizer.count('o200k_base', text)
      const parts = text.match(/[^]{1,3000}/g) ?? []
      for (const texts of [[text], parts]) {
        let estimate: InputEstimate = { upperTokens: 0, textTokens: 0, mediaTokens: 0 }
        const steps = stepsOf(() => (estimate = estimateOf(texts)))
        assert.ok(steps < 2.5 * defaultWorkBudget, `${steps} steps`)
        assert.ok(estimate.upperTokens >= exact, `${estimate.upperTokens} of ${exact}`)
        assert.ok(estimate.upperTokens <= exact * 1.45, `${estimate.upperTokens} of ${exact}`)
        assert.ok(Math.abs(estimate.textTokens / exact - 1) < 0.12, `${estimate.textTokens} of ${exact}`)
      }
    })
  }

  it('comes to the same result every time', () => {
    const texts = [kinds['prose, then base64'] ?? '']
    assert.deepEqual(estimateOf(texts), estimateOf(texts))
  })
})

describe('texts seen before', () => {
  const history = Array.from({ length: 40 }, (_, turn) => `${turn}: ${(samples['TypeScript'] ?? '').slice(turn * 50)}`)

  it('cost no counting again, and come to the same', () => {
    const cache = new MessageCountCache()
    const first = estimateOf(history, { cache, family: 'qwen', workBudget: 10_000_000 })
    let again = first
    const steps = stepsOf(() => (again = estimateOf([...history, 'and now?'], { cache, family: 'qwen' })))
    assert.ok(steps < 50, `${steps} steps`)
    assert.ok(again.upperTokens > first.upperTokens && again.upperTokens <= first.upperTokens + 8)
  })

  it('let a history that is too long for one budget be counted whole over a few turns', () => {
    const cache = new MessageCountCache()
    const whole = estimateOf(history)
    let turns = 0
    let seen = estimateOf([])
    while (seen.upperTokens !== whole.upperTokens && turns < 20) {
      seen = estimateOf(history, { cache, workBudget: 20_000 })
      turns++
    }
    assert.ok(turns > 1 && turns < 20, `${turns} turns`)
  })

  it('are kept apart by the way they were counted', () => {
    const cache = new MessageCountCache()
    const text = samples['Hindi'] ?? ''
    const openai = estimateOf([text], { cache, family: 'openai' })
    assert.deepEqual(estimateOf([text], { cache, family: 'qwen' }), estimateOf([text], { family: 'qwen' }))
    assert.deepEqual(estimateOf([text], { cache, family: 'openai' }), openai)
  })

  it('are forgotten beyond a bound, the oldest first', () => {
    const cache = new MessageCountCache(2)
    const count = { plainTokens: 1, highTokens: 1, digits: 0, utf8Bytes: 1 }
    cache.set('a', count)
    cache.set('b', count)
    assert.equal(cache.get('a'), count)
    cache.set('c', count)
    assert.equal(cache.size, 2)
    assert.equal(cache.get('b'), null)
    assert.equal(cache.get('a'), count)
  })

  it('N08: leave nothing of the text in the key', () => {
    const cache = new MessageCountCache(10, new TextDigests('salt'))
    const key = cache.keyOf('a secret that must not be kept '.repeat(5), false)
    assert.match(key ?? '', /^[A-Za-z0-9+/=]{28}$/)
    assert.notEqual(
      new MessageCountCache(10, new TextDigests('other')).keyOf('a secret that must not be kept '.repeat(5), false),
      key,
    )
    assert.equal(cache.keyOf('short', false), null)
  })
})

describe('family of a model', () => {
  const names: Readonly<Record<ModelFamily, readonly string[]>> = {
    openai: [
      'gpt-5.6-sol',
      'gpt-4o-mini-2024-07-18',
      'openai/gpt-4.1',
      'o3',
      'o4-mini',
      'gpt-oss:20b',
      'chatgpt-4o-latest',
      'gpt-6-sol',
    ],
    'openai-cl100k': ['gpt-4', 'gpt-4-turbo', 'gpt-3.5-turbo', 'text-embedding-3-small'],
    'claude-old': [
      'claude-3-5-sonnet-20241022',
      'claude-3.7-sonnet',
      'claude-opus-4-20250514',
      'claude-opus-4-1-20250805',
      'claude-opus-4-6',
      'anthropic/claude-opus-4.6',
      'claude-sonnet-4-5-20250929',
      'claude-sonnet-4-6',
      'claude-haiku-4-5',
      'claude-sonnet-4@20250514',
    ],
    'claude-new': [
      'claude-opus-4-7',
      'claude-opus-4-8',
      'anthropic/claude-opus-4.8',
      'claude-opus-5',
      'claude-opus-5-5',
      'claude-sonnet-5',
      'claude-fable-5',
      'claude-mythos-1',
    ],
    gemini: ['gemini-2.5-pro', 'models/gemini-3.1-pro-preview'],
    gemma: ['gemma3:4b', 'google/gemma-3-27b-it'],
    qwen: ['qwen3:4b', 'Qwen/Qwen2.5-Coder-32B', 'qwq', 'deepseek-r1-distill-qwen-7b'],
    llama: ['llama3.1:8b', 'meta-llama/Llama-3.3-70B', 'deepseek-r1-distill-llama-70b'],
    deepseek: ['deepseek-chat', 'deepseek-r1:671b'],
    mistral: ['mistral-large-latest', 'codestral', 'mixtral-8x7b', 'devstral'],
    unknown: ['phi4', 'granite3', ''],
  }

  it('is found from its name', () => {
    for (const [family, models] of Object.entries(names)) {
      for (const model of models) assert.equal(modelFamily(model, 'mine', 'openai'), family, model)
    }
  })

  it('is the newest of its maker where the name is new', () => {
    assert.equal(modelFamily('opal-1', 'anthropic', 'anthropic'), 'claude-new')
    assert.equal(modelFamily('omni', 'openai', 'openai'), 'openai')
    assert.equal(modelFamily('nano-banana', 'gemini', 'gemini'), 'gemini')
  })
})
