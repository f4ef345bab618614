import assert from 'node:assert/strict'
import fc from 'fast-check'
import { planCodex } from '../../../../extension/clients/codex.ts'
import { at, edited, gate } from './support.ts'
import { codexDocuments } from './tomlDocuments.ts'
import type { CodexSettings } from './tomlDocuments.ts'
import { meaningOf } from './tomlMeaning.ts'

const runs = { numRuns: 300 }

/** Where Codex calls: the address of the provider that the profile in force chooses, or the top. */
function addressInForce({ profile, profiles = {}, ...top }: Partial<CodexSettings>): string | undefined {
  const own = profile === undefined ? undefined : profiles[profile]?.['model_provider']
  const provider = own ?? top.model_provider ?? 'openai'
  return provider === 'openai' ? top.openai_base_url : top.model_providers?.[provider]?.['base_url']
}

/** What an edit makes of the settings: Tollgate’s provider in the place of the built-in one, where that leads to OpenAI. */
function expected(before: Partial<CodexSettings>, after: Partial<CodexSettings>): unknown {
  const { profiles, model_providers, openai_base_url = '' } = before
  const isOpen = !/k3yOfThisMachine|lab/.test(openai_base_url)
  const chosen = (fields: Readonly<Record<string, unknown>>): object =>
    isOpen && fields['model_provider'] === 'openai' ? { ...fields, model_provider: 'tollgate' } : fields
  const isAdded = before.model_provider === undefined && after.model_provider === 'tollgate'
  const made = after.model_providers?.['tollgate']
  return {
    ...chosen(before),
    ...(isAdded ? { model_provider: 'tollgate' } : {}),
    ...(profiles === undefined
      ? {}
      : { profiles: Object.fromEntries(Object.entries(profiles).map(([name, fields]) => [name, chosen(fields)])) }),
    model_providers: {
      ...model_providers,
      tollgate: { ...(model_providers?.['tollgate'] ?? made), base_url: `${at('openai')}/v1` },
    },
  }
}

describe('Codex’s configuration, however it is written', () => {
  it('stays TOML, gets another provider and nothing else, and leads to the gate', () => {
    let edits = 0
    fc.assert(
      fc.property(codexDocuments, ({ text }) => {
        const before = meaningOf(text) as Record<string, unknown>
        const plan = planCodex(text, gate)
        if (plan.kind === 'already') assert.equal(addressInForce(before), `${at('openai')}/v1`)
        if (plan.kind !== 'edit') return
        edits++
        const after = meaningOf(edited(text, plan)) as Record<string, unknown>
        assert.equal(addressInForce(after), `${at('openai')}/v1`)
        assert.deepEqual(after, expected(before, after))
        const again = planCodex(plan.after, gate)
        assert.deepEqual(again, { kind: 'already', left: plan.left })
      }),
      runs,
    )
    assert.ok(edits > 30, String(edits))
  })

  it('keeps every remark, and every line in which nothing is chosen', () => {
    fc.assert(
      fc.property(codexDocuments, ({ text }) => {
        const plan = planCodex(text, gate)
        if (plan.kind !== 'edit') return
        const after = plan.after.split('\n')
        for (const line of text.split('\n')) {
          const isKept = [
            line,
            line.replace(/(?<== )(["'])openai\1/, '"tollgate"'),
            line.replace(/(?<== )(["'])http[^"']*\1/, `"${at('openai')}/v1"`),
          ].some((one) => after.some((now) => now.replace('\r', '') === one.replace('\r', '')))
          assert.ok(isKept, line)
        }
      }),
      runs,
    )
  })

  it('is not touched where the profiles, or Tollgate’s provider, stand in braces or lack an address', () => {
    fc.assert(
      fc.property(codexDocuments, ({ text, settings, styles: [ofProfiles, ofProviders] }) => {
        const plan = planCodex(text, gate)
        const hasProfiles = Object.keys(settings.profiles).length > 0
        const own = settings.model_providers['tollgate']
        const isHidden =
          ofProfiles === 'braces' ||
          ofProviders === 'braces' ||
          (ofProfiles === 'braces each' && hasProfiles) ||
          (ofProviders === 'braces each' && own !== undefined)
        if (isHidden) return assert.equal(plan.kind, 'malformed')
        if (plan.kind === 'malformed') return assert.equal(own?.['base_url'], undefined)
      }),
      runs,
    )
  })
})
