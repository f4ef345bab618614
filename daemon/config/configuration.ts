import type { Budgets, Config } from '../../shared/config.ts'
import type { PersonalCaps } from '../../shared/protocol.ts'
import type { CapOverride } from '../ledger/ledger.ts'

/**
 * The configuration that holds at this moment: the file, over it the personal caps from VS Code settings, over those the
 * caps that a person raised or lowered for a while. The lower layers are never changed by the upper ones.
 */
export class Configuration {
  #file: Config
  #personal: PersonalCaps
  #overrides: readonly CapOverride[]
  #merged: Config
  #holdsUntilMs = Infinity

  constructor(file: Config, personal: PersonalCaps, overrides: readonly CapOverride[], nowMs: number) {
    this.#file = file
    this.#personal = personal
    this.#overrides = overrides
    this.#merged = file
    this.#merge(nowMs)
  }

  /** The personal caps in force. */
  get personal(): PersonalCaps {
    return this.#personal
  }

  current(nowMs: number): Config {
    if (nowMs >= this.#holdsUntilMs) this.#merge(nowMs)
    return this.#merged
  }

  replaceFile(file: Config, nowMs: number): void {
    this.#file = file
    this.#merge(nowMs)
  }

  replacePersonal(personal: PersonalCaps, nowMs: number): void {
    this.#personal = personal
    this.#merge(nowMs)
  }

  replaceOverrides(overrides: readonly CapOverride[], nowMs: number): void {
    this.#overrides = overrides
    this.#merge(nowMs)
  }

  #merge(nowMs: number): void {
    const holding = this.#overrides.filter((override) => override.untilMs === null || override.untilMs > nowMs)
    this.#holdsUntilMs = Math.min(Infinity, ...holding.map((override) => override.untilMs ?? Infinity))
    const caps: Record<string, number | null | undefined> = { ...this.#personal }
    for (const override of holding) caps[override.field] = override.value
    this.#merged = { ...this.#file, budgets: withCaps(this.#file.budgets, caps) }
  }
}

/** Budgets with the named caps replaced; `undefined` leaves the configured one. */
function withCaps(budgets: Budgets, caps: Readonly<Record<string, number | null | undefined>>): Budgets {
  const pick = (name: string, configured: number | null): number | null => {
    const value = caps[name]
    return value === undefined ? configured : value
  }
  return {
    ...budgets,
    userDaily: {
      eur: pick('userDailyEur', budgets.userDaily.eur),
      tokens: pick('userDailyTokens', budgets.userDaily.tokens),
    },
    tenantDaily: {
      eur: pick('tenantDailyEur', budgets.tenantDaily.eur),
      tokens: pick('tenantDailyTokens', budgets.tenantDaily.tokens),
    },
    tenantMonthly: {
      eur: pick('tenantMonthlyEur', budgets.tenantMonthly.eur),
      tokens: pick('tenantMonthlyTokens', budgets.tenantMonthly.tokens),
    },
  }
}
