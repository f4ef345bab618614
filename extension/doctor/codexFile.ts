import { scanToml } from '../clients/toml.ts'

/** Whether the provider in force in Codex's `config.toml` is the built-in one; also where nothing can be read of it. */
export function usesBuiltIn(text: string): boolean {
  const { entries } = scanToml(text) ?? { entries: [] }
  const valueAt = (...path: readonly string[]): string | null | undefined =>
    entries.find((entry) => entry.path.length === path.length && path.every((part, at) => part === entry.path[at]))
      ?.value
  const profile = valueAt('profile')
  const ofProfile = typeof profile === 'string' ? valueAt('profiles', profile, 'model_provider') : undefined
  return (ofProfile ?? valueAt('model_provider') ?? 'openai') === 'openai'
}
