import type Database from 'better-sqlite3'

/** The ratio of reported to estimated input of a model, and how many samples made it. */
export interface Residual {
  readonly upstream: string
  readonly model: string
  readonly ratio: number
  readonly samples: number
}

/** Writes residuals. Runs inside a transaction. */
export class ResidualBook {
  readonly #upsert: Database.Statement<[string, string, number, number]>

  constructor(database: Database.Database) {
    this.#upsert = database.prepare(
      `INSERT INTO residuals (upstream, model, ratio, samples) VALUES (?, ?, ?, ?)
       ON CONFLICT (upstream, model) DO UPDATE SET ratio = excluded.ratio, samples = excluded.samples`,
    )
  }

  save(residuals: readonly Residual[]): void {
    for (const { upstream, model, ratio, samples } of residuals) this.#upsert.run(upstream, model, ratio, samples)
  }
}
