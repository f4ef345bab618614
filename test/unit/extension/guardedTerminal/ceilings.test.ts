import assert from 'node:assert/strict'
import fc from 'fast-check'
import {
  ceilingNames,
  ceilingQuestions,
  ceilingsRequest,
  openingLines,
  planCeilings,
  readCeiling,
  readCeilings,
} from '../../../../extension/guardedTerminal/ceilings.ts'
import { withTerminalChoice } from '../../../../extension/guardedTerminal/terminalChoice.ts'
import { createFigures } from '../../../../extension/ui/figures.ts'
import type { Offer } from '../../../../extension/ui/offer.ts'
import { figures, text } from '../support.ts'

describe('the ceilings of a guarded terminal', () => {
  it('are the plan’s where nothing is typed', () => {
    for (const name of ceilingNames) for (const empty of ['', '  ']) assert.equal(readCeiling(name, empty), null)
    assert.deepEqual(ceilingsRequest('term-1130-1', planCeilings), { id: 'term-1130-1' })
  })

  it('are amounts with a point or a comma', () => {
    assert.equal(readCeiling('eur', ' 2.50 '), 2.5)
    assert.equal(readCeiling('eur', '2,5'), 2.5)
    assert.equal(readCeiling('eur', '0'), 0)
    assert.equal(readCeiling('iterations', '40'), 40)
    assert.equal(readCeiling('minutes', '0.5'), 0.5)
  })

  it('are asked for in the currency of the gate', () => {
    const asked = (currency?: string): readonly string[] => {
      const { prompt, placeHolder, problem } = ceilingQuestions(text, createFigures('en', currency)).eur
      return [prompt, placeHolder, problem]
    }
    const problem = 'Enter an amount such as 2 or 0.50, or leave it empty.'
    assert.deepEqual(asked(), [
      'Most euros that may be spent in it. Empty: the ceiling of the plan.',
      'euros, such as 2 or 0.50',
      problem,
    ])
    assert.deepEqual(asked('USD'), [
      'Most US dollars that may be spent in it. Empty: the ceiling of the plan.',
      'US dollars, such as 2 or 0.50',
      problem,
    ])
    for (const name of ceilingNames) {
      const { problem: said } = ceilingQuestions(text, figures)[name]
      assert.match(said, /^Enter /)
    }
  })

  it('M09: are never guessed from what is no amount', () => {
    for (const name of ceilingNames) {
      for (const bad of [
        '-1',
        '1e9',
        '1,000',
        '1.000,5',
        '2 €',
        '€2',
        'NaN',
        'Infinity',
        '0x10',
        '1234567',
        '.5',
        '5.',
      ]) {
        assert.equal(readCeiling(name, bad), undefined, `${name} ${bad}`)
      }
    }
    for (const bad of ['0', '2.5', '1.0', '2,5']) assert.equal(readCeiling('iterations', bad), undefined, bad)
    assert.equal(readCeiling('minutes', '0'), undefined)
  })

  it('come back from memory as they were, and as the plan’s where memory is damaged', () => {
    const last = { eur: 2.5, iterations: 40, minutes: null }
    assert.deepEqual(readCeilings(last), last)
    const damaged: unknown[] = [undefined, null, 'x', [], { eur: 'much', iterations: 2.5, minutes: -1 }]
    for (const value of damaged) assert.deepEqual(readCeilings(value), planCeilings)
  })

  it('are a request that the daemon takes, whatever was typed', () => {
    fc.assert(
      fc.property(fc.constantFrom(...ceilingNames), fc.oneof(fc.string(), fc.double().map(String)), (name, typed) => {
        const amount = readCeiling(name, typed)
        if (amount === undefined || amount === null) return
        assert.ok(Number.isFinite(amount) && amount >= 0 && amount < 1_000_000)
        assert.deepEqual(ceilingsRequest('t', { ...planCeilings, [name]: amount }), { id: 't', [name]: amount })
      }),
    )
  })

  it('are said before the first prompt, with the clients that are not guarded', () => {
    const lines = (eur: number | null, iterations: number | null, minutes: number | null) =>
      openingLines('term-1130-1', { eur, iterations, minutes }, [], text, figures)
    assert.deepEqual(lines(2, 40, 2.5), [
      'Everything in this terminal is task term-1130-1: at most €2.00, 40 calls, 2.5 minutes.',
    ])
    assert.deepEqual(lines(null, 1, 1), ['Everything in this terminal is task term-1130-1: at most 1 call, 1 minute.'])
    assert.deepEqual(lines(null, null, null), [
      'Everything in this terminal is task term-1130-1, with the ceilings of the plan.',
    ])
    const skipped = [{ family: 'openai', why: 'azure', variable: 'AZURE_OPENAI_ENDPOINT' }] as const
    assert.match(
      openingLines('term-1130-1', planCeilings, skipped, text, figures)[1] ?? '',
      /not guarded, because AZURE_OPENAI_ENDPOINT/,
    )
  })
})

describe('a message about a guarded terminal', () => {
  const resume = { title: 'Resume', step: { kind: 'resume', task: 'term-1130-1', name: 'n' } } as const
  const stop = { title: 'Stop Task', step: { kind: 'stop', task: 'term-1130-1', name: 'n' } } as const
  const about = { key: 'k', about: 'term-1130-1', message: 'm', brief: 'b' }
  const offer: Offer = { ...about, kind: 'taskHalted', choices: [resume, stop] }
  const titles = (one: Offer) => withTerminalChoice(one, () => true, text).choices.map(({ title }) => title)

  it('leads to it in the window that has it, and only there', () => {
    assert.deepEqual(withTerminalChoice(offer, (task) => task === 'term-1130-1', text).choices, [
      resume,
      { title: 'Show Terminal', step: { kind: 'showTerminal', task: 'term-1130-1' } },
    ])
    assert.deepEqual(titles({ ...offer, kind: 'taskConstrained', choices: [stop] }), ['Stop Task', 'Show Terminal'])
    assert.equal(
      withTerminalChoice(offer, () => false, text),
      offer,
    )
    const aboutNothing = { ...offer, about: null }
    assert.equal(
      withTerminalChoice(aboutNothing, () => true, text),
      aboutNothing,
    )
  })
})
