import assert from 'node:assert/strict'
import type { FileFacts } from '../../../../extension/clients/facts.ts'
import { nameOf, obstacleText, questionFor } from '../../../../extension/clients/question.ts'
import { claudeSetting } from '../../../../extension/clients/target.ts'
import type { ClientTarget } from '../../../../extension/clients/target.ts'
import { text } from '../support.ts'

const { clients } = text
const facts: FileFacts = {
  linkedTo: null,
  missingFolder: null,
  isReadableByOthers: false,
  repository: null,
  obstacle: null,
}

function target(changes: Partial<ClientTarget>): ClientTarget {
  const plan = { kind: 'edit', after: 'x', steps: [], left: [] } as const
  return { client: 'codex', target: '/c/config.toml', isSetting: false, text: '', plan, ...changes }
}

describe('the question before a client’s settings are written', () => {
  it('says for every client that the local key is in them then', () => {
    for (const found of [
      target({}),
      target({ client: 'claude', target: '/c/settings.json' }),
      target({ client: 'claude', target: claudeSetting, isSetting: true }),
      target({ client: 'copilot' }),
      target({ client: 'continue' }),
      target({ client: 'cline' }),
    ]) {
      const question = questionFor(found, facts, clients)
      assert.match(question, /^Send .+ through the gate\? This changes .+; the local key of this machine is in it\./)
      assert.ok(question.includes(found.target ?? '?'))
    }
  })

  it('says where a link leads, that it is in a repository, and that others may read the file', () => {
    const all = { ...facts, linkedTo: '/dotfiles/codex.toml', repository: '/dotfiles', isReadableByOthers: true }
    const question = questionFor(target({}), all, clients)
    for (const part of ['really /dotfiles/codex.toml', 'others than its owner', 'Git repository /dotfiles:']) {
      assert.ok(question.includes(part), question)
      assert.ok(!questionFor(target({}), facts, clients).includes(part))
    }
  })

  it('names what stays outside the gate', () => {
    const plan = { kind: 'edit', after: 'x', steps: [], left: ['Lab', 'Work (Azure)'] } as const
    assert.match(questionFor(target({ plan }), facts, clients), /: Lab, Work \(Azure\)\.$/)
  })

  it('names the VS Code profile where there are several', () => {
    assert.equal(nameOf({ client: 'copilot' }, clients), 'Copilot custom endpoints')
    assert.equal(
      nameOf({ client: 'copilot', profile: '' }, clients),
      'Copilot custom endpoints (VS Code profile Default)',
    )
    assert.match(questionFor(target({ client: 'copilot', profile: 'Work' }), facts, clients), /profile Work\)/)
  })

  it('has a sentence in its place where the file cannot be written', () => {
    assert.match(obstacleText('readOnly', '~/x', clients), /^~\/x is read-only\. Nothing was written/)
    assert.match(obstacleText('hardLink', '~/x', clients), /^~\/x has a second name/)
  })
})
