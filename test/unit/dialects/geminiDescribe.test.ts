import assert from 'node:assert/strict'
import type { CallFacts } from '../../../daemon/call.ts'
import { choiceAskOf } from '../../../daemon/dialects/choiceAsk.ts'
import { InvalidRequest } from '../../../daemon/dialects/dialect.ts'
import type { JsonObject } from '../../../daemon/dialects/dialect.ts'
import { applyEdits } from '../../../daemon/dialects/edit.ts'
import { setCeiling } from '../../../daemon/guards/outputCeiling.ts'
import { describeRequest } from './builders.ts'
import type { Described } from './builders.ts'

const contents = [{ role: 'user', parts: [{ text: 'hello' }] }]

function described(body: JsonObject, path = '/v1beta/models/gemini-2.5-pro:generateContent'): Described {
  return describeRequest('gemini-generate', { contents, ...body }, { upstreamName: 'gemini', path })
}

function facts(body: JsonObject = {}, path?: string): CallFacts {
  return described(body, path).facts
}

/** Counts one part of a user's content. */
function part(value: unknown): Described['counter'] {
  return described({ contents: [{ role: 'user', parts: [value] }] }).counter
}

describe('a Gemini request', () => {
  it('has its model and its kind of answer in the path', () => {
    assert.deepEqual([facts().model, facts().stream], ['gemini-2.5-pro', false])
    const streamed = facts({}, '/v1beta/models/gemini-3.6-flash%3AstreamGenerateContent')
    assert.deepEqual([streamed.model, streamed.stream], ['gemini-3.6-flash', true])
    assert.throws(() => facts({}, '/v1beta/models'), InvalidRequest)
  })

  it('has its ceiling in generationConfig, in the spelling that the client used', () => {
    const ceiling = (body: JsonObject): unknown => {
      const { outputField, requestedOutputTokens } = facts(body)
      return [outputField.join('.'), requestedOutputTokens]
    }
    assert.deepEqual(ceiling({}), ['generationConfig.maxOutputTokens', null])
    assert.deepEqual(ceiling({ generationConfig: { maxOutputTokens: 7 } }), ['generationConfig.maxOutputTokens', 7])
    assert.deepEqual(ceiling({ generation_config: { max_output_tokens: 7 } }), [
      'generation_config.max_output_tokens',
      7,
    ])
    assert.deepEqual(ceiling({ generationConfig: { max_output_tokens: 7 } }), ['generationConfig.max_output_tokens', 7])
    for (const none of [0, -1, null]) {
      assert.deepEqual(ceiling({ generationConfig: { maxOutputTokens: none } }), [
        'generationConfig.maxOutputTokens',
        null,
      ])
    }
  })

  it('H07: gets a ceiling put in where it has none, with generationConfig made', () => {
    const put = (body: JsonObject): unknown => {
      const { edits } = setCeiling(facts(body).outputField, 4096)
      return JSON.parse(applyEdits(Buffer.from(JSON.stringify(body)), edits).toString())
    }
    assert.deepEqual(put({ contents }), { contents, generationConfig: { maxOutputTokens: 4096 } })
    assert.deepEqual(put({ generation_config: { topK: 1 } }), { generation_config: { topK: 1, maxOutputTokens: 4096 } })
  })

  it('may ask for several candidates and log probabilities, in either spelling', () => {
    assert.equal(facts({ generationConfig: { candidateCount: 3 } }).choices, 3)
    assert.equal(facts({ generation_config: { candidate_count: 3 } }).choices, 3)
    assert.equal(facts({ generationConfig: { candidateCount: 0 } }).choices, 1)
    assert.equal(choiceAskOf({ generation_config: { candidate_count: 4 } }).n, 4)
    assert.deepEqual(
      choiceAskOf({ generation_config: { response_logprobs: true, logprobs: 5 } }).withoutLogprobs.map(({ path }) =>
        path.join('.'),
      ),
      ['generation_config.response_logprobs', 'generation_config.logprobs'],
    )
  })

  it('has a thinking budget that the ceiling must leave room behind', () => {
    const budget = (thinkingConfig: JsonObject): number | null =>
      facts({ generationConfig: { thinkingConfig } }).thinkingBudgetTokens
    assert.equal(budget({ thinkingBudget: 2048 }), 2048)
    assert.equal(budget({ thinking_budget: 2048 }), 2048)
    for (const thinkingBudget of [0, -1, null]) assert.equal(budget({ thinkingBudget }), null)
    assert.equal(budget({ thinkingLevel: 'HIGH' }), null)
  })

  it('A12: hides the content of a cache that it names', () => {
    assert.deepEqual(facts({ cachedContent: 'cachedContents/abc' }).hiddenInput, {
      previousResponseId: null,
      cachedContent: 'cachedContents/abc',
    })
    assert.equal(facts({ cached_content: 'cachedContents/abc' }).hiddenInput?.cachedContent, 'cachedContents/abc')
    assert.equal(facts({ cachedContent: '' }).hiddenInput, null)
  })

  it('names its tier as prices do', () => {
    assert.deepEqual(facts({ serviceTier: 'FLEX' }).tier, { service_tier: 'flex' })
    assert.deepEqual(facts({ service_tier: 'SERVICE_TIER_PRIORITY' }).tier, { service_tier: 'priority' })
    assert.deepEqual(facts({ serviceTier: 'unspecified' }).tier, { service_tier: 'standard' })
    assert.deepEqual(facts({}).tier, {})
  })

  it('D10: has tools of Google’s with a fee, for a prompt up to Gemini 2.5 and for each search from 3 on', () => {
    const tools = [
      { googleSearch: {}, functionDeclarations: [{ name: 'f' }] },
      { url_context: {} },
      { codeExecution: {} },
    ]
    assert.deepEqual(facts({ tools }).serverTools, [
      { name: 'web_search', maxUses: 1 },
      { name: 'url_context', maxUses: null },
      { name: 'code_execution', maxUses: null },
    ])
    const newer = facts({ tools: { google_search: {} } }, '/v1beta/models/gemini-3.6-flash:generateContent')
    assert.deepEqual(newer.serverTools, [{ name: 'web_search', maxUses: null }])
    assert.deepEqual(facts({ tools: [{ functionDeclarations: [{ name: 'googleSearch' }] }] }).serverTools, [])
  })

  it('is refused when it asks for video, which has no price here', () => {
    assert.equal(facts({ generationConfig: { responseModalities: ['TEXT', 'IMAGE'] } }).unsupported, null)
    assert.match(facts({ generationConfig: { responseModalities: ['VIDEO'] } }).unsupported ?? '', /video/)
  })

  const wrong: readonly (readonly [JsonObject, RegExp])[] = [
    [{ contents: undefined }, /"contents"/],
    [{ generationConfig: 5 }, /"generationConfig"/],
    [{ generationConfig: { maxOutputTokens: '100' } }, /"generationConfig.maxOutputTokens"/],
    [{ generationConfig: { candidateCount: '8' } }, /"generationConfig.candidateCount"/],
    [{ generationConfig: { thinkingConfig: { thinkingBudget: {} } } }, /"thinkingConfig.thinkingBudget"/],
    [{ generationConfig: {}, generation_config: {} }, /two names of one field/],
    [{ generationConfig: { maxOutputTokens: 1, max_output_tokens: 9000 } }, /two names of one field/],
    [{ generationConfig: { candidateCount: 1, candidate_count: 8 } }, /two names of one field/],
  ]
  for (const [body, sentence] of wrong) {
    it(`is refused with a sentence: ${JSON.stringify(body)}`, () => assert.throws(() => facts(body), sentence))
  }
})

describe('the input of a Gemini request', () => {
  it('H03: counts the system instruction, every content, tools, schemas and calls', () => {
    const { counter } = described({
      systemInstruction: { parts: [{ text: 'SYSTEM' }] },
      contents: [
        { role: 'user', parts: [{ text: 'ASK' }, { text: 'THOUGHT', thought: true }] },
        {
          role: 'model',
          parts: [{ functionCall: { name: 'CALL', args: { path: 'ARGS' } }, thoughtSignature: 'x'.repeat(400) }],
        },
        { role: 'user', parts: [{ functionResponse: { name: 'CALL', response: { output: 'RESULT' } } }] },
        {
          role: 'model',
          parts: [{ executableCode: { code: 'CODE' } }, { codeExecutionResult: { output: 'PRINTED' } }],
        },
      ],
      tools: [{ functionDeclarations: [{ name: 'DECLARED' }] }, { googleSearch: { note: 'OWN' } }],
      toolConfig: { functionCallingConfig: { mode: 'MODE' } },
      generationConfig: { responseSchema: { title: 'SCHEMA' }, responseJsonSchema: { title: 'OTHER' } },
    })
    for (const word of 'SYSTEM ASK THOUGHT CALL ARGS RESULT CODE PRINTED DECLARED OWN MODE SCHEMA OTHER'.split(' ')) {
      assert.ok(counter.allText.includes(word), word)
    }
    assert.ok(counter.structureTokens >= 100 + 500, 'signatures and hidden definitions')
    assert.deepEqual(counter.parts, [])
  })

  it('takes single values in the place of lists, plain text, and the other spelling', () => {
    const { counter } = described({
      system_instruction: { parts: { text: 'SYSTEM' } },
      contents: { parts: { text: 'ASK' } },
      tools: { function_declarations: { name: 'DECLARED' } },
    })
    for (const word of ['SYSTEM', 'ASK', 'DECLARED']) assert.ok(counter.allText.includes(word), word)
    assert.ok(described({ systemInstruction: 'SYSTEM', contents: ['ASK'] }).counter.allText.includes('SYSTEM\nASK'))
  })

  it('J04: bounds inline data by its kind and never counts its base64 as text', () => {
    const data = 'iVBORw0KGgo'.repeat(1000)
    for (const [mimeType, kind] of [
      ['image/png', 'image'],
      ['IMAGE/JPEG', 'image'],
      ['audio/wav', 'audio'],
      ['video/mp4', 'video'],
      ['application/pdf', 'file'],
      [undefined, 'file'],
    ] as const) {
      const counter = part({ inlineData: { mimeType, data } })
      assert.deepEqual([counter.parts.map((media) => media.kind), counter.allText], [[kind], ''])
      assert.equal(counter.parts[0]!.base64, data)
    }
    assert.equal(part({ inline_data: { mime_type: 'image/png', data } }).parts[0]!.kind, 'image')
  })

  it('J04: bounds a picture in a function response as one', () => {
    const counter = part({
      functionResponse: {
        name: 'shot',
        response: {},
        parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }],
      },
    })
    assert.deepEqual(
      counter.parts.map(({ kind }) => kind),
      ['image'],
    )
  })

  it('J05, J06: bounds files by name and parts of an unknown kind, never by nothing', () => {
    assert.deepEqual(part({ fileData: { fileUri: 'https://x/files/f', mimeType: 'video/mp4' } }).parts, [
      { kind: 'video', base64: undefined, mimeType: 'video/mp4', detail: undefined },
    ])
    assert.equal(part({ fileData: { fileUri: 'x' } }).parts[0]!.kind, 'file')
    for (const odd of [{ hologram: {} }, {}, 7, [1]])
      assert.equal(part(odd).parts[0]?.kind, 'unknown', JSON.stringify(odd))
    assert.deepEqual(part({ thoughtSignature: 'abcd' }).parts, [])
  })

  it('D4: hands the resolution on, a part’s own before the request’s', () => {
    const image = { inlineData: { mimeType: 'image/png', data: 'AAAA' } }
    const detail = (own: JsonObject, config: JsonObject): unknown =>
      described({ contents: [{ parts: [{ ...image, ...own }] }], generationConfig: config }).counter.parts[0]!.detail
    assert.equal(detail({}, {}), undefined)
    assert.equal(detail({}, { mediaResolution: 'MEDIA_RESOLUTION_LOW' }), 'low')
    assert.equal(detail({}, { mediaResolution: 'MEDIA_RESOLUTION_MEDIUM' }), undefined)
    const ultra = { mediaResolution: { level: 'MEDIA_RESOLUTION_ULTRA_HIGH' } }
    assert.equal(detail(ultra, { mediaResolution: 'MEDIA_RESOLUTION_LOW' }), 'original')
  })

  it('is the same for the counter, alone or as a whole request', () => {
    const path = '/v1beta/models/g:countTokens'
    const bare = described({ contents }, path).counter.allText
    const whole = describeRequest(
      'gemini-generate',
      { generateContentRequest: { model: 'models/g', contents } },
      { path },
    )
    assert.equal(whole.counter.allText, bare)
  })
})

describe('a Gemini request for vectors', () => {
  const embed = (body: JsonObject, method = 'embedContent'): Described =>
    describeRequest('gemini-embed', body, { path: `/v1beta/models/gemini-embedding-001:${method}` })
  it('counts one text or many, and has no output', () => {
    const one = embed({ content: { parts: [{ text: 'ONE' }] }, title: 'TITLE' })
    assert.deepEqual(
      [one.facts.model, one.facts.producesOutput, one.facts.stream],
      ['gemini-embedding-001', false, false],
    )
    assert.deepEqual(one.counter.texts.toSorted(), ['ONE', 'TITLE'])
    const many = embed(
      { requests: ['A', 'B'].map((text) => ({ model: 'models/m', content: { parts: [{ text }] } })) },
      'batchEmbedContents',
    )
    assert.deepEqual(many.counter.texts, ['A', 'B'])
  })
  it('is refused without content, and for a video', () => {
    assert.throws(() => embed({}), /"content"/)
    assert.throws(() => embed({ content: {} }, 'batchEmbedContents'), /"requests"/)
    const video = { parts: [{ fileData: { mimeType: 'video/mp4', fileUri: 'x' } }] }
    assert.match(embed({ content: video }).facts.unsupported ?? '', /video/)
  })
})
