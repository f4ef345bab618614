/** Values of a tier field that mean the ordinary price. */
const ordinary = new Set(['', 'auto', 'default', 'standard', 'standard_only', 'on_demand', 'not_available'])

/**
 * One word for the tier of a call: `standard`, `priority`, `batch`, `fast`, `batch+fast`. Providers' own values are kept;
 * those that mean the ordinary price are one.
 */
export function tierName(tier: Readonly<Record<string, string | null | undefined>>): string {
  const words = [tier['service_tier'], tier['speed']].map((value) => (value ?? '').trim().toLowerCase())
  return words.filter((word) => !ordinary.has(word)).join('+') || 'standard'
}

/** The same for the ledger, where null is the ordinary one; a provider's own word is cut at 64 characters. */
export function servedTier(tier: Readonly<Record<string, string>>): string | null {
  const name = tierName(tier)
  return name === 'standard' ? null : name.slice(0, 64)
}
