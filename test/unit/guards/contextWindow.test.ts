import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { CallFacts, DialectName } from '../../../daemon/call.ts'
import { basePlan } from '../../../daemon/config/defaults.ts'
import { contextWindow, raisedNumCtx } from '../../../daemon/guards/contextWindow.ts'
import type { ContextWindowState } from '../../../daemon/guards/contextWindow.ts'
import type { Verdict } from '../../../daemon/guards/guard.ts'
import type { WindowCertainty } from '../../../daemon/models/effectiveWindow.ts'
import { sentFacts } from '../../../daemon/stages/contextWindow.ts'
import type { Plan } from '../../../shared/config.ts'
import { admittedCall } from '../tasks/calls.ts'
import { judgeBy, refusalOf } from './guarded.ts'

type Policy = NonNullable<Plan['truncation']>['before']

const truncation = (before: Policy, maxNumCtx = 32_768) => ({ before, after: 'warn', maxNumCtx }) as const

/** A prompt of 12,920 tokens before a window of 4,096, unless the change says otherwise. */
const state = (
  change: Partial<ContextWindowState> = {},
  certainty: WindowCertainty = 'loaded',
): ContextWindowState => ({
  window: { tokens: 4096, certainty, modelMaximum: 131_072 },
  plainTokens: 12_920,
  // A model that was measured: the two are one.
  leastTokens: change.plainTokens ?? 12_920,
  upperTokens: 14_000,
  usefulOutputTokens: 256,
  ...change,
})

const options = (change: Partial<NonNullable<CallFacts['ollama']>> = {}) => ({
  numCtx: null,
  numKeep: null,
  truncate: true,
  ...change,
})

const upstreams = {
  ollama: { baseUrl: 'http://127.0.0.1:11434', dialect: 'ollama', free: true },
  lmstudio: { baseUrl: 'http://127.0.0.1:1234/v1', dialect: 'openai', free: true },
  openai: { baseUrl: 'https://api.openai.com/v1', dialect: 'openai', free: false },
} as const

function judge(
  before: Policy,
  dialect: DialectName,
  known: ContextWindowState | null,
  more: { readonly maxNumCtx?: number; readonly upstream?: keyof typeof upstreams; readonly truncate?: boolean } = {},
): Verdict {
  return judgeBy(contextWindow, {
    plan: { truncation: truncation(before, more.maxNumCtx) },
    received: { dialect, upstream: upstreams[more.upstream ?? 'ollama'] },
    facts: { model: 'gemma3:4b', ollama: options({ truncate: more.truncate ?? true }) },
    state: known === null ? {} : { contextWindow: known },
  })
}

/** What a verdict comes to, in a word or two. */
function said(verdict: Verdict): string {
  if (verdict.kind === 'refuse') return refusalOf(verdict).code
  if (verdict.kind === 'allow') return 'allow'
  return [...verdict.says, ...(verdict.warnings ?? []).map(({ code }) => code)].join(' ')
}

const routes = ['ollama-chat', 'ollama-generate', 'openai-chat', 'anthropic-messages', 'openai-responses'] as const
const certainties = ['loaded', 'requested', 'configured', 'model', 'assumed'] as const

describe('a prompt that is larger than the window', () => {
  for (const route of routes) {
    const isNative = route.startsWith('ollama-')
    for (const certainty of certainties) {
      it(`is warned of, refused or given room on ${route} before a window that is ${certainty}`, () => {
        const known = state({}, certainty)
        assert.equal(said(judge('warn', route, known)), 'over_window')
        const guessed = isNative ? 'truncate=false over_window' : 'over_window'
        assert.equal(said(judge('refuse', route, known)), certainty === 'assumed' ? guessed : 'context_overflow')
        assert.equal(said(judge('raise', route, known)), isNative ? 'num_ctx=16384' : 'over_window')
      })
    }
  }

  it('says both figures and how they are known', () => {
    const verdict = judge('warn', 'openai-chat', state({}, 'assumed'))
    assert.ok(verdict.kind === 'change')
    assert.deepEqual(verdict.edits, [])
    assert.deepEqual(verdict.warnings, [
      {
        code: 'over_window',
        says: 'estimated=12920; window=4096',
        fields: { estimated: 12_920, window: 4096, certainty: 'assumed' },
      },
    ])
  })

  it('is nothing to a plan whose truncation block is null', () => {
    const change = { plan: { truncation: null }, state: { contextWindow: state() } }
    assert.equal(judgeBy(contextWindow, change).kind, 'allow')
  })
})

describe('a prompt of a model that was never measured', () => {
  it('I07: is warned of and not refused while it may be smaller than our count', () => {
    const unsure = state({ plainTokens: 6000, leastTokens: 3900 })
    assert.equal(said(judge('refuse', 'openai-chat', unsure)), 'over_window')
    const sure = state({ plainTokens: 7000, leastTokens: 4550 })
    assert.equal(said(judge('refuse', 'openai-chat', sure)), 'context_overflow')
  })
})

describe('a prompt that fits', () => {
  const fitting = state({ plainTokens: 4096, upperTokens: 3000, usefulOutputTokens: 256 })
  for (const known of [null, fitting]) {
    it(`passes as it is${known === null ? ', and so does one of whose window nothing is known' : ''}`, () => {
      for (const route of routes) {
        assert.equal(said(judge('warn', route, known)), 'allow')
        assert.equal(said(judge('raise', route, known)), 'allow')
        const native = route.startsWith('ollama-')
        assert.equal(said(judge('refuse', route, known)), native ? 'truncate=false' : 'allow')
      }
    })
  }

  it('I07 is neither refused nor warned of for its upper bound alone', () => {
    const known = state({ plainTokens: 4000, upperTokens: 7000 })
    assert.equal(said(judge('warn', 'openai-chat', known)), 'allow')
    assert.equal(said(judge('refuse', 'openai-chat', known)), 'allow')
  })
})

describe('the policy refuse', () => {
  it('turns the silent cut of native routes into an error of the server, unless the client did', () => {
    const verdict = judge('refuse', 'ollama-chat', null)
    assert.ok(verdict.kind === 'change')
    assert.deepEqual(verdict.edits, [{ path: ['truncate'], value: false }])
    assert.equal(said(judge('refuse', 'ollama-chat', null, { truncate: false })), 'allow')
    assert.equal(said(judge('refuse', 'ollama-embed', null)), 'truncate=false')
  })

  it('names estimate, window and the remedy of the route', () => {
    const message = (route: DialectName, upstream: keyof typeof upstreams, known: ContextWindowState) =>
      refusalOf(judge('refuse', route, known, { upstream })).message
    const native = message('ollama-chat', 'ollama', state())
    assert.match(
      native,
      /about 12,920 tokens, and "gemma3:4b" reads 4,096 at once, as it is loaded now\. Nothing was sent/,
    )
    assert.match(
      native,
      /options\.num_ctx .*OLLAMA_CONTEXT_LENGTH.*shorter prompt.*plans\.agent\.truncation\.before to "raise"/,
    )
    const emulated = message('openai-chat', 'ollama', state({}, 'configured'))
    assert.match(
      emulated,
      /Modelfile says.*ignores options\.num_ctx: use \/api\/chat.*OLLAMA_CONTEXT_LENGTH.*shorter prompt/,
    )
    assert.match(message('openai-chat', 'lmstudio', state()), /more context at the server, or send a shorter prompt/)
    const most = state({ window: { tokens: 8192, certainty: 'model', modelMaximum: 8192 } })
    assert.match(
      message('openai-chat', 'openai', most),
      /its maximum\..*shorter prompt, or use a model that reads more/,
    )
    assert.doesNotMatch(message('ollama-chat', 'ollama', most), /num_ctx/)
  })

  it('gives the figures', () => {
    const { unit, limit, requested } = refusalOf(judge('refuse', 'ollama-chat', state()))
    assert.deepEqual([unit, limit, requested], ['tokens', 4096, 12_920])
  })
})

describe('the policy raise', () => {
  const window = (tokens: number, modelMaximum: number | null = 131_072) =>
    ({ tokens, certainty: 'requested', modelMaximum }) as const

  it('asks for the next power of two that prompt and a useful answer fit into', () => {
    for (const [upperTokens, expected] of [
      [3840, 'allow'],
      [3841, 'num_ctx=8192'],
      [7936, 'num_ctx=8192'],
      [7937, 'num_ctx=16384'],
    ] as const) {
      const known = state({ plainTokens: 3000, upperTokens })
      assert.equal(said(judge('raise', 'ollama-chat', known)), expected, String(upperTokens))
    }
  })

  it('goes up to the bound of the plan and of the model, and warns where that does not suffice', () => {
    assert.equal(said(judge('raise', 'ollama-chat', state(), { maxNumCtx: 8192 })), 'num_ctx=8192 over_window')
    assert.equal(said(judge('raise', 'ollama-chat', state({ window: window(4096, 8192) }))), 'num_ctx=8192 over_window')
    const verdict = judge('raise', 'ollama-chat', state(), { maxNumCtx: 8192 })
    assert.ok(verdict.kind === 'change')
    assert.equal(verdict.warnings?.[0]?.says, 'estimated=12920; window=8192')
  })

  it('never lowers a window', () => {
    const large = state({ window: window(65_536), plainTokens: 90_000, upperTokens: 100_000 })
    assert.equal(said(judge('raise', 'ollama-chat', large)), 'over_window')
    const odd = state({ window: window(10_000), plainTokens: 9000, upperTokens: 9900 })
    assert.equal(said(judge('raise', 'ollama-chat', odd, { maxNumCtx: 8192 })), 'allow')
  })

  it('asks for a window between the old one and the bounds, whatever the figures', () => {
    const tokens = fc.integer({ min: 1, max: 2_000_000 })
    fc.assert(
      fc.property(tokens, tokens, tokens, tokens, (old, upperTokens, maxNumCtx, modelMaximum) => {
        const known = state({ window: window(old, modelMaximum), plainTokens: upperTokens, upperTokens })
        const verdict = judge('raise', 'ollama-chat', known, { maxNumCtx })
        const edits = verdict.kind === 'change' ? verdict.edits : []
        const asked = raisedNumCtx(edits)
        const fits = upperTokens + known.usefulOutputTokens <= old
        if (asked === null) assert.ok(fits || Math.min(maxNumCtx, modelMaximum, 4_194_304) <= old)
        else assert.ok(!fits && asked > old && asked <= maxNumCtx && asked <= modelMaximum)
      }),
    )
  })

  it('tells the verdict about the answer which window was asked for', () => {
    const verdict = judge('raise', 'ollama-chat', state())
    assert.ok(verdict.kind === 'change')
    const facts = { ...admittedCall().facts, ollama: options({ numCtx: 4096, numKeep: 7 }) }
    assert.deepEqual(sentFacts(facts, verdict.edits).ollama, { numCtx: 16_384, numKeep: 7, truncate: true })
    assert.equal(sentFacts(facts, [{ path: ['options', 'num_predict'], value: 9 }]), facts)
  })
})

describe('the built-in plans', () => {
  it('warn of what does not fit', () => {
    assert.equal(basePlan.truncation?.before, 'warn')
  })
})
