import assert from 'node:assert/strict'
import fc from 'fast-check'
import { Residuals } from '../../../daemon/observe/residual.ts'

function estimate(upperTokens: number, textTokens: number) {
  return { upperTokens, textTokens, mediaTokens: 0 }
}

describe('residuals', () => {
  it('leave a bound as it is until twenty calls have shown that it is too high', () => {
    const residuals = new Residuals()
    for (let call = 1; call < 20; call++) {
      residuals.learn('openai', 'gpt', estimate(1300, 1000), 1000)
      assert.equal(residuals.factor('openai', 'gpt'), 1)
    }
    residuals.learn('openai', 'gpt', estimate(1300, 1000), 1000)
    assert.ok(Math.abs(residuals.factor('openai', 'gpt') - (1.02 * 1000) / 1300) < 1e-9)
    assert.equal(residuals.factor('openai', 'another'), 1)
  })

  it('raise a bound at once after a prompt that was larger', () => {
    const residuals = new Residuals()
    residuals.learn('ollama', 'm', estimate(1000, 900), 1200)
    assert.ok(residuals.factor('ollama', 'm') >= 1.2)
    residuals.learn('ollama', 'small', estimate(50, 20), 90)
    assert.ok(residuals.factor('ollama', 'small') >= 1.8, 'by a small prompt too')
  })

  it('keep a bound above all of the last hundred calls', () => {
    const shares = fc.array(fc.double({ min: 0.4, max: 2.5, noNaN: true }), { minLength: 1, maxLength: 150 })
    fc.assert(
      fc.property(shares, (all) => {
        const residuals = new Residuals()
        for (const share of all) residuals.learn('u', 'm', estimate(10_000, 9000), Math.round(share * 10_000))
        const factor = residuals.factor('u', 'm')
        for (const share of all.slice(-100)) assert.ok(10_000 * factor >= Math.round(share * 10_000))
        assert.ok(factor >= 0.5 && factor <= 3)
      }),
    )
  })

  it('follow the ratio of reported to counted tokens as a moving average', () => {
    const residuals = new Residuals()
    assert.equal(residuals.ratio('u', 'm'), 1)
    residuals.learn('u', 'm', estimate(2000, 1000), 1300)
    assert.equal(residuals.ratio('u', 'm'), 1.3)
    for (let call = 0; call < 100; call++) residuals.learn('u', 'm', estimate(2000, 1000), 1100)
    assert.ok(Math.abs(residuals.ratio('u', 'm') - 1.1) < 0.001)
  })

  it('learn no ratio from a prompt that is mostly template, nor from a count of 0', () => {
    const residuals = new Residuals()
    assert.equal(residuals.learn('u', 'm', estimate(40, 3), 30), null)
    assert.equal(residuals.learn('u', 'm', estimate(2000, 1000), 0), null)
    assert.equal(residuals.learn('u', 'm', estimate(0, 0), 10), null)
    assert.equal(residuals.ratio('u', 'm'), 1)
    assert.deepEqual(residuals.snapshot(), [])
  })

  it('learn nothing about the bound from a count of the provider, and still follow the ratio', () => {
    const residuals = new Residuals()
    for (let call = 0; call < 30; call++) {
      residuals.learn('u', 'm', { ...estimate(1010, 900), exact: true }, 1000)
      residuals.learn('u', 'm', { ...estimate(60, 20), exact: true }, 90)
    }
    assert.equal(residuals.factor('u', 'm'), 1)
    assert.ok(Math.abs(residuals.ratio('u', 'm') - 1000 / 900) < 1e-9)
  })

  it('I03: keep what they know while truncated calls are kept from them', () => {
    const residuals = new Residuals()
    for (let call = 0; call < 30; call++) residuals.learn('ollama', 'm', estimate(20_000, 16_000), 16_500)
    const before = [residuals.factor('ollama', 'm'), residuals.ratio('ollama', 'm')]
    const restored = new Residuals(residuals.snapshot())
    assert.deepEqual([residuals.factor('ollama', 'm'), residuals.ratio('ollama', 'm')], before)
    assert.equal(restored.ratio('ollama', 'm'), before[1])
    assert.equal(restored.factor('ollama', 'm'), 1, 'a bound starts strict again')
  })

  it('stay bounded when clients invent model names', () => {
    const residuals = new Residuals()
    for (let model = 0; model < 2000; model++) residuals.learn('u', `m${model}`, estimate(2000, 1000), 1000)
    assert.equal(residuals.snapshot().length, 500)
    assert.equal(residuals.snapshot().at(-1)?.model, 'm1999')
  })

  it('are not thrown off by damaged rows', () => {
    const residuals = new Residuals([{ upstream: 'u', model: 'm', ratio: Number.NaN, samples: 5 }])
    assert.equal(residuals.ratio('u', 'm'), 1)
  })
})
