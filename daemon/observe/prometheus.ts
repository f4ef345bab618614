/**
 * The text format that Prometheus reads (version 0.0.4), for a handful of metrics: counters, histograms and gauges as lines.
 */

/** Names and values of a series' labels. */
export type Labels = Readonly<Record<string, string>>

/** `{code="killed",…}` with the three characters escaped that the format reserves; empty without labels. */
export function labelText(labels: Labels): string {
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`)
  return parts.length === 0 ? '' : `{${parts.join(',')}}`
}

function escapeLabel(value: string): string {
  return value.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n')
}

/** A number as the format writes it. */
export function valueText(value: number): string {
  if (value === Infinity) return '+Inf'
  if (value === -Infinity) return '-Inf'
  return String(value)
}

/** The two lines above a metric's series. */
export function headText(name: string, type: 'counter' | 'gauge' | 'histogram', help: string): string {
  return `# HELP ${name} ${help.replace(/\\/g, '\\\\').replace(/\n/g, '\\n')}\n# TYPE ${name} ${type}\n`
}

/** One series. */
export function lineText(name: string, labels: Labels, value: number): string {
  return `${name}${labelText(labels)} ${valueText(value)}\n`
}

/** A metric with one series per set of labels. */
export class CounterFamily {
  readonly #series = new Map<string, { readonly labels: Labels; value: number }>()
  readonly #name: string
  readonly #help: string

  constructor(name: string, help: string) {
    this.#name = name
    this.#help = help
  }

  /** `key` tells the labels of this series from those of the others. */
  add(key: string, labels: Labels, by: number): void {
    const series = this.#series.get(key)
    if (series === undefined) this.#series.set(key, { labels, value: by })
    else series.value += by
  }

  value(key: string): number {
    return this.#series.get(key)?.value ?? 0
  }

  render(): string {
    let text = headText(this.#name, 'counter', this.#help)
    for (const { labels, value } of this.#series.values()) text += lineText(this.#name, labels, value)
    return text
  }
}

interface HistogramSeries {
  readonly labels: Labels
  /** One count per bound and one for what is above the last; not cumulative. */
  readonly counts: number[]
  sum: number
  total: number
}

/** A histogram with one series per set of labels. */
export class HistogramFamily {
  readonly #series = new Map<string, HistogramSeries>()
  readonly #name: string
  readonly #help: string
  readonly #bounds: readonly number[]

  constructor(name: string, help: string, bounds: readonly number[]) {
    this.#name = name
    this.#help = help
    this.#bounds = bounds
  }

  /** Values that are no number are left out: one of them would make the sum useless for ever. */
  observe(key: string, labels: Labels, value: number): void {
    if (!Number.isFinite(value)) return
    let series = this.#series.get(key)
    if (series === undefined) {
      series = { labels, counts: new Array<number>(this.#bounds.length + 1).fill(0), sum: 0, total: 0 }
      this.#series.set(key, series)
    }
    let at = 0
    while (at < this.#bounds.length && value > (this.#bounds[at] ?? Infinity)) at += 1
    series.counts[at] = (series.counts[at] ?? 0) + 1
    series.sum += value
    series.total += 1
  }

  render(): string {
    let text = headText(this.#name, 'histogram', this.#help)
    for (const { labels, counts, sum, total } of this.#series.values()) {
      let below = 0
      this.#bounds.forEach((bound, at) => {
        below += counts[at] ?? 0
        text += lineText(`${this.#name}_bucket`, { ...labels, le: valueText(bound) }, below)
      })
      text += lineText(`${this.#name}_bucket`, { ...labels, le: '+Inf' }, total)
      text += lineText(`${this.#name}_sum`, labels, sum)
      text += lineText(`${this.#name}_count`, labels, total)
    }
    return text
  }
}
