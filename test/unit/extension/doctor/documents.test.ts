import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { planCodex } from '../../../../extension/clients/codex.ts'
import { clientIds } from '../../../../extension/clients/plan.ts'
import { verdicts } from '../../../../extension/doctor/finding.ts'
import { gate } from '../clients/support.ts'
import { text } from '../support.ts'

const clients = readFileSync('docs/clients.md', 'utf8')
const extension = readFileSync('docs/extension.md', 'utf8')

describe('what the documents say about clients', () => {
  it('has a row for every client that can be configured, with the command and the way by hand', () => {
    for (const client of clientIds) {
      const row = clients.split('\n').find((line) => line.startsWith(`| ${text.clients.names[client]} |`))
      assert.ok(row, client)
      assert.match(row, /\*Configure Client…\*, or /)
    }
  })

  it('shows a provider for Codex that is wholly guarded', () => {
    const snippet = /```toml\n(.*?)```/s.exec(clients)?.[1] ?? ''
    const file = snippet.replace('BASE', `${gate.origin}/k/${gate.key}`)
    assert.notEqual(file, snippet)
    assert.deepEqual(planCodex(file, gate), { kind: 'already', left: [] })
  })

  it('explains every verdict of the doctor', () => {
    for (const verdict of verdicts) {
      if (verdict !== 'notInstalled') assert.ok(extension.includes(`\n| ${text.doctor.verdicts[verdict]} |`), verdict)
    }
  })

  it('says how an old exchange rate is made new in both places alike', () => {
    for (const sentence of [text.rateOld('90'), text.spend.remedyRate]) {
      assert.match(sentence, /currency\.usdRate.*currency\.asOf/)
    }
    for (const sentence of [text.rateOld('90'), text.spend.rateStale('1 May')]) assert.match(sentence, /2 % more/)
  })
})
