import type { Config } from '../../shared/config.ts'
import type { UpstreamsAnswer } from '../../shared/upstreams.ts'

/** Names, dialects and prices of the upstreams. A base URL is left out: it may hold credentials. */
export function listUpstreams(config: Pick<Config, 'upstreams'>): UpstreamsAnswer {
  return {
    upstreams: Object.entries(config.upstreams).map(([name, { dialect, free }]) => ({ name, dialect, free })),
  }
}
