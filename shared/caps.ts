/** `GET /api/caps`: every window of a budget that is capped, with what it came to. */
export interface CapsAnswer {
  readonly caps: readonly CapStatus[]
}

/** One capped window: the day of a user, tenant, project or model pattern, or the month of a tenant. */
export interface CapStatus {
  readonly scope: 'user' | 'tenant' | 'project' | 'model'
  /** As `POST /api/grants` takes it; a user has the tenant in front. */
  readonly ref: string
  /** As refusals have it in `scopeRef`. */
  readonly name: string
  readonly window: 'day' | 'month'
  /** The general user or tenant, of whom `today` and `month` of the status are. */
  readonly isGeneral: boolean
  /** Null where this unit is not capped. Euros are decimal, in the configured currency. */
  readonly eur: CapFill | null
  readonly tokens: CapFill | null
  /** ISO time at which the window ends, with the zone's offset. */
  readonly resetsAt: string
  /** What people granted on top, as far as it is in force, oldest first. */
  readonly grants: readonly WindowGrant[]
}

/** A cap and what is used of it. */
export interface CapFill {
  /** As configured. */
  readonly cap: number
  readonly granted: number
  readonly spent: number
  /** Held for running calls. */
  readonly reserved: number
}

/** A grant to a window that is in force. */
export interface WindowGrant {
  readonly id: number
  readonly eur: number
  readonly tokens: number
  /** ISO time at which it ends, with the zone's offset: that of the window where the grant has none, or a later one. */
  readonly until: string
  readonly by: string
}
