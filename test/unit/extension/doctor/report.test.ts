import assert from 'node:assert/strict'
import { parseChecks } from '../../../../extension/doctor/daemonChecks.ts'
import { reportOf } from '../../../../extension/doctor/report.ts'
import type { Surroundings } from '../../../../extension/doctor/surroundings.ts'
import { at, gate } from '../clients/support.ts'
import { text } from '../support.ts'
import { home, shop, surroundings, window } from './support.ts'

const report = async (
  changes: Partial<Surroundings> = {},
  contents: Parameters<typeof surroundings>[0] = {},
): Promise<string> => reportOf(await surroundings(contents, changes), text)

describe('the doctor’s report', () => {
  it('begins with the gate and ends with what was not found', async () => {
    const lines = await report({}, { '/usr/bin/codex': '' })
    assert.match(
      lines,
      /^# Tollgate Doctor\n\nNov 30, 2026, 12:00 PM, this machine, Tollgate 0\.1\.0\.\nClients: 2 guarded, 1 not guarded\./,
    )
    assert.match(
      lines,
      /## The gate: running\n\nVersion 0\.1\.0 answers at http:\/\/127\.0\.0\.1:4141, process 77\.\nThe local key is known\.\nNew terminals are guarded\./,
    )
    assert.match(
      lines,
      /## Codex: not guarded\n\nIts settings .+\n→ Run \*Tollgate: Configure Client…\* and choose Codex\.\n/,
    )
    assert.match(lines, /## Not found here\n\n.*Continue, Cline, aider/)
    assert.match(lines, /Ledger, files and configuration are in order\./)
  })

  it('says what a gate needs that is down, off, starting, stopped, old or without a ledger', async () => {
    const { terminals } = window()
    assert.match(
      await report({ gate: { kind: 'down', reason: 'It ended with code 7.' } }),
      /## The gate: down\n\n.*code 7\.\n→ .*Restart the Gate/,
    )
    const unfollowed = await report({
      gate: { kind: 'unfollowed', version: '9.0.0', origin: 'http://127.0.0.1:4141', reason: 'Update the extension.' },
    })
    assert.match(
      unfollowed,
      /## The gate: running\n\nVersion 9\.0\.0 answers .+\nThe gate runs, but .+\n→ Update the ext/,
    )
    const off = await report({ gate: { kind: 'off' }, terminals: { ...terminals, enabled: false } })
    assert.match(off, /## The gate: switched off\n\n.+\n→ Set `tollgate\.enabled`\./)
    assert.match(await report({ gate: { kind: 'starting' } }), /## The gate: starting/)
    const up = { kind: 'up', version: '0.0.9', origin: 'o', pid: null, killed: true, ledgerAvailable: false } as const
    const ill = await report({ gate: up })
    assert.match(ill, /brings version 0\.1\.0/)
    assert.match(ill, /→ Run \*Tollgate: Resume Model Calls\*/)
    assert.match(ill, /→ Run `tollgate doctor --ledger`/)
    assert.match(
      await report({ terminals: { ...terminals, bypassed: true } }),
      /bypass the gate\.\n→ Run \*Tollgate: Guard New Terminals\*/,
    )
  })

  it('adds what the command line’s doctor complains about', async () => {
    const checks = parseChecks(
      JSON.stringify({
        verdict: 'fail',
        checks: [
          { name: 'ledger.sums', verdict: 'fail', says: 'Sums differ.', next: 'Run: tollgate doctor --repair' },
          { name: 'config.valid', verdict: 'ok', says: 'Fine.', next: null },
          { name: 'daemon.running', verdict: 'warn', says: 'No daemon runs.', next: null },
          { name: 'config.prices', verdict: 'warn', says: 'Prices are old.', next: null },
          null,
        ],
      }),
    )
    const lines = await report({ checks })
    assert.match(lines, /- Failed: Sums differ\.\n {2}→ Run: tollgate doctor --repair\n- Warning: Prices are old\.\n/)
    assert.doesNotMatch(lines, /No daemon runs/)
    assert.doesNotMatch(await report({ checks: null }), /in order|has found/)
    for (const broken of ['', 'Segmentation fault', '{}', '[]', 'null']) assert.equal(parseChecks(broken), null)
  })

  it('says where it does not look at the start files of the shell', async () => {
    const unread =
      /New terminals are guarded\.\nWhat the shell’s own start files set is not looked at here: .*PowerShell/
    for (const environment of [{}, { SHELL: '/usr/bin/pwsh' }]) {
      assert.match(reportOf(await surroundings({}, {}, { environment }), text), unread)
    }
    assert.doesNotMatch(await report(), /PowerShell/)
    const { terminals } = window()
    const off = await surroundings({}, { terminals: { ...terminals, bypassed: true } }, { environment: {} })
    assert.doesNotMatch(reportOf(off, text), /PowerShell/)
  })

  it('counts what is guarded in part by itself', async () => {
    const lines = await report(
      {},
      {
        [`${home}/.continue/config.yaml`]: `models:\n  - provider: openai\n    apiBase: ${at('openai')}/v1/\n  - name: "A\n      B"\n    provider: mistral\n`,
      },
    )
    assert.match(lines, /Clients: 2 guarded, 1 partly guarded\./)
    assert.match(lines, /## Continue: partly guarded\n\nIts settings lead to the gate, except for these: [^\n]+\.\n→ /)
  })

  it('shows no key and no value of any file', async () => {
    const canary = 'sk-canary-3f9'
    const lines = await report(
      { extensions: new Set(['github.copilot-chat', 'anthropic.claude-code', 'continue.continue']) },
      {
        [`${shop.path}/.env`]: `OPENAI_API_KEY=${canary}\nOPENAI_BASE_URL=https://user:${canary}@lab.example/v1?key=${canary}\nAZURE_OPENAI_API_KEY=${canary}\n`,
        [`${shop.path}/.envrc`]: `export ANTHROPIC_BASE_URL=https://${canary}.example\n`,
        [`${home}/.zshrc`]: `export OLLAMA_API_BASE=http://${canary}:1\n`,
        [`${home}/.codex/config.toml`]: `openai_base_url = "https://u:${canary}@lab.example/v1"\n`,
        [`${home}/.claude/settings.json`]: `{"env": {"ANTHROPIC_AUTH_TOKEN": "${canary}"}}`,
        [`${home}/.continue/config.yaml`]: `models:\n  - provider: openai\n    apiKey: ${canary}\n    apiBase: https://lab.example/v1?key=${canary}\n`,
        [`${home}/.cline/data/settings/providers.json`]: `{"providers": {"anthropic": {"settings": {"apiKey": "${canary}"}}}}`,
        [`${home}/.aider.conf.yml`]: `openai-api-base: https://${canary}.example\nopenai-api-key: ${canary}\n`,
        [`${home}/.gemini/settings.json`]: `{"key": "${canary}"}`,
      },
    )
    assert.ok(lines.includes('lab.example'))
    assert.ok(!lines.includes(canary))
    assert.ok(!lines.includes(gate.key))
  })
})
