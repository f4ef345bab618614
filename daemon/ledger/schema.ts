/**
 * The schema, one numbered step per migration. `PRAGMA user_version` holds how many steps a file has; a step that was
 * released is never changed, a new one is added below it.
 *
 * - `calls` has one row per reservation. `seq` is the time of the reservation in microseconds, made unique and increasing,
 *   so that the primary key orders calls by time and no further index has to be written with each call.
 * - `windows` has the totals that caps are compared with.
 * - `lines` has the sums per day and combination of names. It gives each call row one small number instead of a dozen
 *   texts, and answers the status and reports by day, user, project or model without reading calls.
 * - `scope_sets` has the lists of windows that calls were charged to, so that `check()` can compute windows from calls.
 * - `owners` has one row per process that reserved. A reservation whose owner is gone is an orphan.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE owners (id INTEGER PRIMARY KEY, epoch TEXT NOT NULL UNIQUE) STRICT;

  CREATE TABLE windows (
    id INTEGER PRIMARY KEY,
    period TEXT NOT NULL, scope TEXT NOT NULL, ref TEXT NOT NULL, window TEXT NOT NULL,
    spent_nano INTEGER NOT NULL DEFAULT 0, reserved_nano INTEGER NOT NULL DEFAULT 0,
    spent_tokens INTEGER NOT NULL DEFAULT 0, reserved_tokens INTEGER NOT NULL DEFAULT 0,
    alerted INTEGER NOT NULL DEFAULT 0,
    UNIQUE (period, scope, ref, window)
  ) STRICT;

  CREATE TABLE scope_sets (id INTEGER PRIMARY KEY, members TEXT NOT NULL UNIQUE) STRICT;

  CREATE TABLE lines (
    id INTEGER PRIMARY KEY,
    day TEXT NOT NULL, month TEXT NOT NULL, tenant TEXT NOT NULL, user TEXT NOT NULL, project TEXT,
    client TEXT NOT NULL, key_id TEXT NOT NULL, upstream TEXT NOT NULL, dialect TEXT NOT NULL, model TEXT NOT NULL,
    usd_rate REAL NOT NULL, rate_as_of TEXT NOT NULL, priced INTEGER NOT NULL,
    calls INTEGER NOT NULL DEFAULT 0, spent_nano INTEGER NOT NULL DEFAULT 0,
    input INTEGER NOT NULL DEFAULT 0, cache_read INTEGER NOT NULL DEFAULT 0,
    cache_write INTEGER NOT NULL DEFAULT 0, output INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX lines_by_day ON lines (day, model);
  CREATE INDEX lines_by_month ON lines (month);

  CREATE TABLE calls (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    owner INTEGER NOT NULL REFERENCES owners,
    line INTEGER NOT NULL REFERENCES lines,
    scopes INTEGER NOT NULL REFERENCES scope_sets,
    received_at_ms INTEGER NOT NULL,
    task TEXT, session TEXT,
    stream INTEGER NOT NULL, is_retry INTEGER NOT NULL,
    estimated_input INTEGER NOT NULL, reserved_nano INTEGER NOT NULL, reserved_tokens INTEGER NOT NULL,
    settlement TEXT, outcome TEXT, status INTEGER, finish TEXT, response_model TEXT,
    cost_nano INTEGER NOT NULL DEFAULT 0,
    input INTEGER NOT NULL DEFAULT 0, cache_read INTEGER NOT NULL DEFAULT 0,
    cache_write_5m INTEGER NOT NULL DEFAULT 0, cache_write_1h INTEGER NOT NULL DEFAULT 0,
    output INTEGER NOT NULL DEFAULT 0, reasoning INTEGER NOT NULL DEFAULT 0,
    audio_input INTEGER NOT NULL DEFAULT 0, audio_output INTEGER NOT NULL DEFAULT 0,
    web_searches INTEGER NOT NULL DEFAULT 0,
    settled_at_ms INTEGER, duration_ms INTEGER, first_byte_ms INTEGER, warnings TEXT
  ) STRICT;
  CREATE INDEX calls_open ON calls (id) WHERE settlement IS NULL;
  CREATE INDEX calls_by_task ON calls (task) WHERE task IS NOT NULL;

  CREATE TABLE events (id INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, event TEXT NOT NULL, body TEXT NOT NULL) STRICT;

  CREATE TABLE kills (scope TEXT NOT NULL, ref TEXT NOT NULL, since_ms INTEGER NOT NULL, PRIMARY KEY (scope, ref)) STRICT;

  CREATE TABLE cap_overrides (field TEXT PRIMARY KEY, value REAL, until_ms INTEGER) STRICT;

  CREATE TABLE residuals (
    upstream TEXT NOT NULL, model TEXT NOT NULL, ratio REAL NOT NULL, samples INTEGER NOT NULL,
    PRIMARY KEY (upstream, model)
  ) STRICT;

  CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
  `,
  // What people gave and ordered. `grants.until_ms` is null for as long as the task lives or the window lasts. In
  // `task_orders` the ceilings are written by themselves; `kept_at_ms` is when the rest was, null where it never was.
  `
  CREATE TABLE grants (
    id INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, given_by TEXT NOT NULL,
    scope TEXT NOT NULL, ref TEXT NOT NULL, window TEXT NOT NULL, period TEXT NOT NULL,
    nano_eur INTEGER NOT NULL, tokens INTEGER NOT NULL, iterations INTEGER NOT NULL, wall_seconds INTEGER NOT NULL,
    until_ms INTEGER
  ) STRICT;
  CREATE INDEX grants_by_period ON grants (period);

  CREATE TABLE task_orders (
    scope TEXT NOT NULL, ref TEXT NOT NULL, at_ms INTEGER NOT NULL,
    ceilings TEXT, kept_at_ms INTEGER, stopped_by TEXT, stopped_at_ms INTEGER,
    window_from_ms INTEGER, paused_ms INTEGER NOT NULL DEFAULT 0,
    charged_nano INTEGER NOT NULL DEFAULT 0, window_charged_nano INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (scope, ref)
  ) STRICT;
  `,
  // Where a line's price came from, with its date and unit prices; null where there was none. The counts of what is not
  // plain text lie inside the buckets of the first step.
  `
  ALTER TABLE lines ADD COLUMN price TEXT;
  ALTER TABLE calls ADD COLUMN audio_cache_read INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE calls ADD COLUMN image_input INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE calls ADD COLUMN image_output INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE calls ADD COLUMN file_searches INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE calls ADD COLUMN code_containers INTEGER NOT NULL DEFAULT 0;
  `,
  // What outlives the single calls. `task_lines` has the sums of each task in each line, so that a report by task reads
  // no calls but the newest; it is written some time after the calls, up to the counter `summed_seq`. The folded sums of
  // windows and lines are those of calls that were removed, up to the counter `folded_seq`.
  `
  CREATE TABLE task_lines (
    line INTEGER NOT NULL REFERENCES lines, task TEXT NOT NULL,
    calls INTEGER NOT NULL, spent_nano INTEGER NOT NULL, list_nano INTEGER NOT NULL,
    input INTEGER NOT NULL, cache_read INTEGER NOT NULL, cache_write INTEGER NOT NULL, output INTEGER NOT NULL,
    PRIMARY KEY (line, task)
  ) STRICT, WITHOUT ROWID;

  ALTER TABLE windows ADD COLUMN folded_nano INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE windows ADD COLUMN folded_tokens INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE lines ADD COLUMN folded_nano INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE lines ADD COLUMN folded_tokens INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE lines ADD COLUMN folded_list_nano INTEGER NOT NULL DEFAULT 0;
  `,
  // Calls of subscriptions. `list_nano` is their list price, which is in no window and neither in `cost_nano` nor in
  // `spent_nano`: of an open call the worst case, of a settled one the price.
  `
  ALTER TABLE lines ADD COLUMN billing TEXT NOT NULL DEFAULT 'metered';
  ALTER TABLE lines ADD COLUMN list_nano INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE calls ADD COLUMN list_nano INTEGER NOT NULL DEFAULT 0;
  `,
  // `tier` is the one that was served, null for the ordinary one, so that invoices can be compared by tier.
  // `reconciliations` has what they came to; `body` is the summary.
  `
  ALTER TABLE calls ADD COLUMN tier TEXT;

  CREATE TABLE reconciliations (
    id INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, provider TEXT NOT NULL, unit TEXT NOT NULL, body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX reconciliations_by_provider ON reconciliations (provider, unit);
  `,
]

/** The newest schema that this program understands. */
export const schemaVersion = migrations.length
