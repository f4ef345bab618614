import assert from 'node:assert/strict'
import fc from 'fast-check'
import { lmStudioModel } from '../../../daemon/models/lmStudioModels.ts'
import { modelMaximum } from '../../../daemon/models/modelMaximum.ts'
import { loadedModel, modelName, shownModel } from '../../../daemon/models/ollamaModels.ts'

const ps = (...models: unknown[]) => ({ models })
const entry = (name: string, window: unknown) => ({ name, model: name, context_length: window })
/** Any JSON value as a name; one with a `toString` of its own cannot be made a text. */
const nameOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const show = (architecture: unknown, length: unknown, parameters: unknown = '') => ({
  parameters,
  model_info: { 'general.architecture': architecture, [`${nameOf(architecture)}.context_length`]: length },
})

describe('what an Ollama server says is loaded', () => {
  it('gives the window of the model, whichever way its name is written', () => {
    const list = ps(entry('qwen3:4b', 32_768), entry('gemma3:latest', 4096))
    for (const name of [
      'gemma3',
      'gemma3:latest',
      'Gemma3',
      'library/gemma3',
      'registry.ollama.ai/library/gemma3:latest',
    ])
      assert.deepEqual(loadedModel(list, name), { window: 4096 }, name)
    assert.deepEqual(loadedModel(list, 'qwen3:4b'), { window: 32_768 })
  })

  it('takes a port in front of a name for no tag', () => {
    assert.equal(modelName('localhost:5000/team/model'), 'localhost:5000/team/model:latest')
  })

  it('tells a model that is not loaded from an answer that is none', () => {
    assert.equal(loadedModel(ps(), 'gemma3'), null)
    assert.equal(loadedModel(ps(entry('gemma3:4b', 4096)), 'gemma3:12b'), null)
    for (const answer of [null, [], 'busy', { models: 'many' }, { error: 'not found' }])
      assert.equal(loadedModel(answer, 'gemma3'), undefined, JSON.stringify(answer))
  })

  it('does not take what is no window for one', () => {
    for (const window of [0, -1, 1e12, Infinity, NaN, '4096', null, undefined, {}])
      assert.equal(loadedModel(ps(entry('gemma3', window)), 'gemma3'), null, typeof window)
  })

  it('survives any answer', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.string(), (one, other, name) => {
        for (const answer of [one, ps(one, other)]) {
          const found = loadedModel(answer, name)
          assert.ok(found === undefined || found === null || found.window > 0)
        }
      }),
    )
  })
})

describe('what an Ollama server tells of a model', () => {
  it('gives the num_ctx of its parameters, of which the last counts', () => {
    const parameters =
      'stop                           "<end>"\nnum_ctx                        8192\ntop_k 64\nnum_ctx "16384"\n'
    assert.equal(shownModel(show('gemma3', 131_072, parameters))?.numCtx, 16_384)
    for (const none of [
      '',
      'temperature 1',
      'num_ctx',
      'num_ctx many',
      'num_ctx -1',
      'num_ctx 0',
      'xnum_ctx 5',
      7,
      null,
    ])
      assert.equal(shownModel(show('gemma3', 131_072, none))?.numCtx, null, String(none))
  })

  it('gives the maximum of its architecture and nothing else', () => {
    assert.equal(shownModel(show('gemma3', 131_072))?.maximum, 131_072)
    assert.equal(shownModel({ model_info: { 'gemma3.context_length': 8192 } })?.maximum, null)
    assert.equal(shownModel({ model_info: { 'general.architecture': 'constructor' } })?.maximum, null)
    assert.equal(shownModel(show('gemma3', '131072'))?.maximum, null)
    assert.equal(shownModel({})?.maximum, null)
  })

  it('knows models that see and models that run elsewhere', () => {
    assert.equal(shownModel({ capabilities: ['completion', 'vision'] })?.hasVision, true)
    assert.equal(shownModel({ capabilities: 'vision' })?.hasVision, false)
    assert.equal(shownModel({ remote_host: 'https://ollama.com:443' })?.isRemote, true)
    assert.equal(shownModel({ remote_host: '' })?.isRemote, false)
  })

  it('reads a megabyte of blanks and line ends in no time', () => {
    const blanks = ' '.repeat(500_000)
    const ends = '\n'.repeat(500_000)
    assert.equal(shownModel({ parameters: `num_ctx${blanks}x${ends}num_ctx 4096` })?.numCtx, 4096)
  })

  it('survives any answer', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.string(), (one, other, parameters) => {
        for (const answer of [
          one,
          { model_info: one, parameters, capabilities: other },
          show(one, other, parameters),
        ]) {
          const shown = shownModel(answer)
          for (const tokens of [shown?.numCtx, shown?.maximum]) assert.ok((tokens ?? 1) > 0)
        }
      }),
    )
  })
})

describe('what LM Studio says of a model', () => {
  const list = (...data: unknown[]) => ({ object: 'list', data })

  it('gives the window that it is loaded with, and none while it is not loaded', () => {
    const loaded = { id: 'qwen2.5-7b', state: 'loaded', loaded_context_length: 8192, max_context_length: 32_768 }
    assert.deepEqual(lmStudioModel(list(loaded), 'Qwen2.5-7b'), { loaded: 8192, maximum: 32_768 })
    const idle = { id: 'qwen2.5-7b', state: 'not-loaded', max_context_length: 32_768 }
    assert.deepEqual(lmStudioModel(list(idle), 'qwen2.5-7b'), { loaded: null, maximum: 32_768 })
  })

  it('says nothing of a model that is not in the list, and survives any answer', () => {
    assert.equal(lmStudioModel(list({ id: 'a' }), 'b'), null)
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.string(), (one, other, name) => {
        for (const answer of [one, list(one, other)]) {
          const found = lmStudioModel(answer, name)
          for (const tokens of [found?.loaded, found?.maximum]) assert.ok((tokens ?? 1) > 0)
        }
      }),
    )
  })
})

describe('the largest window of a provider’s model', () => {
  it('is known by the name, with a path, a date or a label', () => {
    for (const [model, tokens] of [
      ['gpt-4', 8192],
      ['gpt-4o-mini', 128_000],
      ['openai/gpt-4.1-mini', 1_047_576],
      ['gpt-5.1-codex', 400_000],
      ['o3-pro', 200_000],
      ['claude-haiku-4-5-20251001', 200_000],
      ['claude-sonnet-4-5[1m]', 1_000_000],
      ['gemini-2.5-pro', 1_048_576],
      ['models/gemini-1.5-pro', 2_097_152],
      ['gemini-embedding-001', 2048],
    ] as const)
      assert.equal(modelMaximum(model), tokens, model)
  })

  it('is not known of other names, the newest among them', () => {
    for (const model of ['gpt-5.6', 'gpt-4-32k', 'claude-opus-5', 'gpt-50', 'mistral-large', ''])
      assert.equal(modelMaximum(model), null, model)
  })
})
