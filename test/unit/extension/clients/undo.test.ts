import assert from 'node:assert/strict'
import fc from 'fast-check'
import { planCline } from '../../../../extension/clients/cline.ts'
import { planCodex } from '../../../../extension/clients/codex.ts'
import { planContinueYaml } from '../../../../extension/clients/continueYaml.ts'
import { applySteps, step, takeBack } from '../../../../extension/clients/steps.ts'
import { isOf, parseUndo, restoring, undoRecord } from '../../../../extension/clients/undo.ts'
import { gate } from './support.ts'

const before = '# mine\nmodel = "o3"\n'
const plan = planCodex(before, gate)
assert.equal(plan.kind, 'edit')
const { steps, after } = plan
const change = { client: 'codex', target: '/c', madeFolder: null, steps, before, after, key: gate.key } as const

describe('taking a client’s configuration back', () => {
  it('restores every text byte for byte', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.array(fc.tuple(fc.nat(60), fc.nat(20), fc.string({ maxLength: 12 })), { maxLength: 6 }),
        (text, changes) => {
          let present = text
          const steps = changes.map(([offset, length, inserted]) => {
            const one = step(present, Math.min(offset, present.length), length, inserted)
            present = applySteps(present, [one])
            return one
          })
          assert.equal(applySteps(text, steps), present)
          assert.equal(takeBack(present, steps), text)
        },
      ),
    )
  })

  it('removes a file that was not there before', () => {
    const made = planCodex(null, gate)
    assert.equal(made.kind, 'edit')
    const record = undoRecord({ ...change, steps: made.steps, before: null, after: made.after }, undefined)
    assert.deepEqual(restoring(record, made.after, gate.key), { kind: 'exact', text: null })
  })

  it('takes only Tollgate’s part out of a file that was changed since', () => {
    const record = undoRecord(change, undefined)
    const since = plan.after.replace('model = "o3"', 'model = "o4"').concat('[tools]\nweb_search = true\n')
    assert.deepEqual(restoring(record, since, gate.key), {
      kind: 'changed',
      text: '# mine\nmodel = "o4"\n[tools]\nweb_search = true\n',
    })
  })

  it('does nothing where that part is not there any more as it was', () => {
    const record = undoRecord(change, undefined)
    for (const since of [null, '', before, plan.after.replace('# tollgate end', '# end')]) {
      assert.equal(restoring(record, since, gate.key).kind, 'impossible', String(since))
    }
  })

  it('leads to the first text after a second change, as when the gate has moved', () => {
    const moved = { origin: 'http://127.0.0.1:5000', key: gate.key }
    const second = planCodex(plan.after, moved)
    assert.equal(second.kind, 'edit')
    const record = undoRecord(
      { ...change, steps: second.steps, before: plan.after, after: second.after },
      undoRecord(change, undefined),
    )
    assert.deepEqual(restoring(record, second.after, gate.key), { kind: 'exact', text: before })
  })

  it('keeps what it knows where the user changed the file between two changes', () => {
    const made = planCodex(null, gate)
    assert.equal(made.kind, 'edit')
    const first = { ...change, steps: made.steps, before: null, after: made.after, madeFolder: '/made' }
    for (const [one, isNew] of [
      [change, false],
      [first, true],
    ] as const) {
      const other = `${one.after}[tools]\nx = 1\n`
      const moved = planCodex(other, { origin: 'http://127.0.0.1:5000', key: gate.key })
      assert.equal(moved.kind, 'edit')
      const record = undoRecord(
        { ...change, steps: moved.steps, before: other, after: moved.after },
        undoRecord(one, undefined),
      )
      const outcome = restoring(record, moved.after, gate.key)
      assert.equal(outcome.kind, 'changed')
      assert.doesNotMatch(outcome.text ?? '', /tollgate|127\.0\.0\.1/)
      assert.equal((outcome.text ?? '').includes('model = "o3"'), !isNew)
      assert.ok(outcome.text?.endsWith('[tools]\nx = 1\n'))
      assert.deepEqual([record.isNew, record.madeFolder], [isNew, one.madeFolder])
      const emptied = restoring(record, moved.after.replace('[tools]\nx = 1\n', ''), gate.key)
      if (isNew) assert.deepEqual(emptied, { kind: 'changed', text: null })
    }
  })

  it('says that it leads to the last change only, where an earlier one cannot be taken back', () => {
    const broken = after.replace('name = "OpenAI through Tollgate"', 'name = "Mine"')
    const moved = planCodex(broken, { origin: 'http://127.0.0.1:5000', key: gate.key })
    assert.equal(moved.kind, 'edit')
    const record = undoRecord(
      { ...change, steps: moved.steps, before: broken, after: moved.after },
      undoRecord(change, undefined),
    )
    assert.equal(record.isLastOnly, true)
    assert.deepEqual(restoring(record, moved.after, gate.key), { kind: 'exact', text: broken })

    const cleaned = 'model = "o4"\n'
    const again = planCodex(cleaned, gate)
    assert.equal(again.kind, 'edit')
    const anew = undoRecord({ ...change, steps: again.steps, before: cleaned, after: again.after }, record)
    assert.deepEqual([anew.isLastOnly, anew.earlier], [false, []])
  })

  it('finds what was written with a key of before', () => {
    const record = undoRecord(change, undefined)
    assert.deepEqual(restoring(record, after, 'another'), { kind: 'exact', text: before })
    assert.deepEqual(restoring(record, `${after}# more\n`, 'another'), { kind: 'changed', text: `${before}# more\n` })
    const moved = planCodex(`${after}# more\n`, { origin: 'http://127.0.0.1:5000', key: 'another' })
    assert.equal(moved.kind, 'edit')
    const both = undoRecord(
      { ...change, steps: moved.steps, before: `${after}# more\n`, after: moved.after, key: 'another' },
      record,
    )
    assert.deepEqual(restoring(both, moved.after, 'another'), { kind: 'changed', text: `${before}# more\n` })
  })

  it('keeps a record for each file and setting of a client', () => {
    const setting = undoRecord({ ...change, client: 'claude', target: 'claudeCode.environmentVariables' }, undefined)
    const file = undoRecord({ ...change, client: 'claude', target: '~/.claude/settings.json' }, setting)
    assert.deepEqual(file.earlier, [])
    assert.ok(!isOf(file, setting))
    assert.ok(isOf(setting, { client: 'claude', target: 'claudeCode.environmentVariables' }))
  })

  it('keeps no key: neither the gate’s nor one of the file', () => {
    const cline = JSON.stringify({
      providers: {
        anthropic: { settings: { apiKey: 'sk-canary', provider: 'anthropic' } },
        openai: { settings: { apiKey: 'sk-canary', baseUrl: 'https://api.openai.com/v1', auth: 'sk-canary' } },
      },
    })
    const yaml = 'models:\n  - provider: openai\n    apiKey: sk-canary\n  - provider: ollama\n    apiKey: sk-canary\n'
    for (const [text, made] of [
      [cline, planCline(cline, gate)],
      [yaml, planContinueYaml(yaml, gate)],
      [before, plan],
    ] as const) {
      assert.equal(made.kind, 'edit')
      const kept = JSON.stringify(
        undoRecord({ ...change, steps: made.steps, before: text, after: made.after }, undefined),
      )
      assert.doesNotMatch(kept, /sk-canary|k3yOfThisMachine/)
    }
  })

  it('reads its records back, and passes over what is none', () => {
    const record = undoRecord(change, undefined)
    assert.deepEqual(
      parseUndo(
        JSON.parse(JSON.stringify([record, null, 7, {}, { ...record, steps: [1] }, { ...record, earlier: [1] }])),
      ),
      [record],
    )
    assert.deepEqual(parseUndo(undefined), [])
  })
})
