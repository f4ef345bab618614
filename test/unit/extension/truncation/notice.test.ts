import assert from 'node:assert/strict'
import { basePlan } from '../../../../daemon/config/defaults.ts'
import { emptyAnswerNotice, truncationNotice } from '../../../../extension/truncation/notice.ts'
import { usualLargestWindow } from '../../../../extension/truncation/truncation.ts'
import type { DaemonEvent } from '../../../../extension/ui/eventFields.ts'
import { figures, text } from '../support.ts'

const time = '2026-11-30T12:00:00.000Z'

function truncated(fields: Record<string, unknown> = {}): DaemonEvent {
  return {
    event: 'truncated',
    time,
    call: 'c1',
    plan: 'agent',
    model: 'qwen3:4b',
    upstream: 'ollama',
    ollama: true,
    estimated: 12_920,
    reported: 2051,
    ...fields,
  }
}

function noticeOf(event: DaemonEvent, workspace = 'shop', timezone = 'Europe/Berlin') {
  return truncationNotice(event, workspace, timezone, text, figures)
}

function emptyNoticeOf(event: DaemonEvent) {
  return emptyAnswerNotice(event, 'shop', 'Europe/Berlin', text, figures)
}

describe('the truncation warning', () => {
  it('names both numbers and what to do about it (I01)', () => {
    assert.equal(
      noticeOf(truncated())?.message,
      'qwen3:4b read only 2,051 of about 12,920 tokens: the rest of the prompt was dropped. ' +
        'Raise num_ctx in the request, or set OLLAMA_CONTEXT_LENGTH where Ollama starts.',
    )
  })

  it('does not recommend num_ctx where the route ignores it', () => {
    assert.match(noticeOf(truncated({ ollama: false }))?.message ?? '', /cannot set num_ctx: use \/api\/chat/)
    const elsewhere = truncated({ ollama: false, upstream: 'vllm' })
    assert.match(noticeOf(elsewhere)?.message ?? '', /Send a shorter prompt/)
  })

  it('makes no link of a model name that reads as one', () => {
    for (const model of ['[Free](command:workbench.action.quit)', '[a](https://example.org "b")']) {
      assert.doesNotMatch(noticeOf(truncated({ model }))?.message ?? ']', /[[\]]/)
      const empty = { event: 'empty_answer', time, model, outputTokens: 1 } as const
      assert.doesNotMatch(emptyNoticeOf(empty)?.message ?? ']', /[[\]]/)
    }
  })

  it('is one per model, workspace and day', () => {
    const key = noticeOf(truncated())?.key
    assert.equal(noticeOf(truncated({ estimated: 38_980 }))?.key, key)
    assert.notEqual(noticeOf(truncated({ model: 'other' }))?.key, key)
    assert.notEqual(noticeOf(truncated(), 'blog')?.key, key)
    assert.notEqual(noticeOf(truncated({ time: '2026-12-01T00:00:00.000Z' }))?.key, key)
  })

  it('counts days in the zone of the gate, as the Spend view does', () => {
    const keyAt = (at: string, timezone: string) => noticeOf(truncated({ time: at }), 'shop', timezone)?.key
    const [evening, night, morning] = [
      '2026-11-30T22:30:00.000Z',
      '2026-11-30T23:30:00.000Z',
      '2026-12-01T05:00:00.000Z',
    ]
    assert.notEqual(keyAt(evening, 'Europe/Berlin'), keyAt(night, 'Europe/Berlin'))
    assert.equal(keyAt(night, 'Europe/Berlin'), keyAt(morning, 'Europe/Berlin'))
    assert.equal(keyAt(evening, 'UTC'), keyAt(night, 'UTC'))
  })

  it('is not made up when a number is missing (I02)', () => {
    assert.equal(noticeOf(truncated({ reported: null })), undefined)
  })

  it('offers how, the policy of the plan that the call had, and the call', () => {
    const truncation = {
      model: 'qwen3:4b',
      route: 'ollamaNative',
      sentTokens: 12_920,
      readTokens: 2051,
      largestWindow: usualLargestWindow,
    }
    assert.deepEqual(noticeOf(truncated({ plan: 'chat' }))?.choices, [
      { title: 'Show How', step: { kind: 'showWindowGuide', truncation } },
      { title: 'Raise num_ctx', step: { kind: 'setWindowPolicy', plan: 'chat', policy: 'raise' } },
      { title: 'Show Call', step: { kind: 'showCall', call: 'c1', sinceMs: Date.parse('2026-11-30T11:00:00Z') } },
    ])
  })

  it('offers to refuse such prompts where the gate cannot raise the window', () => {
    const [, policy] = noticeOf(truncated({ ollama: false }))?.choices ?? []
    assert.deepEqual(policy?.step, { kind: 'setWindowPolicy', plan: 'agent', policy: 'refuse' })
  })

  it('does not offer to raise the window where the largest one of the gate is too small or the gate raises already', () => {
    const policyOf = (fields: Record<string, unknown>) =>
      noticeOf(truncated(fields))?.choices.flatMap(({ step }) => (step.kind === 'setWindowPolicy' ? [step.policy] : []))
    assert.deepEqual(policyOf({ estimated: 31_744 }), ['raise'])
    assert.deepEqual(policyOf({ estimated: 31_745 }), ['refuse'])
    assert.deepEqual(policyOf({ estimated: 38_980, maxNumCtx: 65_536 }), ['raise'])
    assert.deepEqual(policyOf({ maxNumCtx: 8192 }), ['refuse'])
    assert.deepEqual(policyOf({ before: 'warn' }), ['raise'])
    assert.deepEqual(policyOf({ before: 'raise' }), ['refuse'])
    assert.deepEqual(policyOf({ before: 'refuse' }), [])
    assert.equal(basePlan.truncation?.maxNumCtx, usualLargestWindow)
  })

  it('offers what it knows about, when an older gate says less', () => {
    const choices = noticeOf(truncated({ plan: undefined, call: undefined }))?.choices ?? []
    assert.deepEqual(
      choices.map(({ title }) => title),
      ['Show How'],
    )
  })
})

describe('the warning about an empty answer', () => {
  const empty: DaemonEvent = { event: 'empty_answer', time, call: 'c1', model: 'o3', outputTokens: 4096 }

  it('says what was paid for and how to get text', () => {
    const notice = emptyNoticeOf(empty)
    assert.equal(
      notice?.message,
      'o3 used 4,096 output tokens and wrote no visible text. Raise max_tokens of the request, or let the model think less.',
    )
    assert.deepEqual(
      notice.choices.map(({ title }) => title),
      ['Show Call'],
    )
  })

  it('has a key and a silence of its own', () => {
    const notice = emptyNoticeOf(empty)
    assert.equal(notice?.kind, 'emptyAnswer')
    assert.notEqual(notice.key, noticeOf(truncated({ model: 'o3' }))?.key)
  })

  it('is not made up when a number is missing', () => {
    assert.equal(emptyNoticeOf({ ...empty, outputTokens: null }), undefined)
  })
})
