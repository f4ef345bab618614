/** One sample of a scrape. */
export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Metrics of a scrape with their types. */
export interface Scrape {
  readonly types: ReadonlyMap<string, string>
  readonly samples: readonly Sample[]
  value(name: string, labels?: Readonly<Record<string, string>>): number | null
}

const sampleLine = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/
const label = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y

/** Reads the text format of Prometheus, version 0.0.4, and throws for whatever a scraper would reject. */
export function parsePrometheus(text: string): Scrape {
  if (!text.endsWith('\n')) throw new Error('the last line has no line feed')
  const types = new Map<string, string>()
  const samples: Sample[] = []
  const seen = new Set<string>()
  for (const line of text.slice(0, -1).split('\n')) {
    const type = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(line)
    if (type !== null) {
      if (types.has(type[1]!)) throw new Error(`two types of ${type[1]}`)
      types.set(type[1]!, type[2]!)
      continue
    }
    if (/^# HELP \S+ .+$/.test(line)) continue
    const [, name, inside = '', value] = sampleLine.exec(line) ?? []
    if (name === undefined || value === undefined) throw new Error(`no sample: ${line}`)
    if (seen.has(`${name}{${inside}}`)) throw new Error(`twice: ${line}`)
    seen.add(`${name}{${inside}}`)
    const number = value === '+Inf' ? Infinity : Number(value)
    if (Number.isNaN(number)) throw new Error(`no number: ${line}`)
    const family = types.has(name) ? name : name.replace(/_(bucket|sum|count)$/, '')
    if (!types.has(family)) throw new Error(`no type before: ${line}`)
    samples.push({ name, labels: readLabels(inside, line), value: number })
  }
  return {
    types,
    samples,
    value: (name, labels = {}) =>
      samples.find(
        (sample) =>
          sample.name === name && Object.entries(labels).every(([key, wanted]) => sample.labels[key] === wanted),
      )?.value ?? null,
  }
}

function readLabels(inside: string, line: string): Record<string, string> {
  const labels: Record<string, string> = {}
  label.lastIndex = 0
  while (label.lastIndex < inside.length) {
    const [, name, value] = label.exec(inside) ?? []
    if (name === undefined || value === undefined) throw new Error(`bad labels: ${line}`)
    labels[name] = value
  }
  return labels
}
