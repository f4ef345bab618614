import * as v from 'valibot'
import { largestCap } from '../../shared/personalCaps.ts'
import {
  block,
  blockOrOff,
  booleanField,
  choiceField,
  limitField,
  list,
  maximumEur,
  maximumTimerMs,
  nameOrNull,
  nameText,
  numberField,
  pathName,
  requiredNumber,
  table,
} from './fields.ts'

/**
 * What may be written into a configuration file: every field may be left out, none may be unknown. Completing it from the
 * defaults is `complete.ts`; what needs more than one field to be judged is `crossChecks.ts`.
 */

const euros = { min: 0, max: maximumEur }
const count = { min: 0, whole: true }
const atLeastOne = { min: 1, whole: true }
const share = { min: 0, max: 1 }
const keptDays = { min: 1, max: 36_500, whole: true }
const timerMs = { min: 1, max: maximumTimerMs, whole: true }

const cap = block({ eur: limitField(euros), tokens: limitField({ ...count, max: largestCap.tokens }) })

const budgets = block({
  userDaily: v.optional(cap),
  tenantDaily: v.optional(cap),
  tenantMonthly: v.optional(cap),
  projects: v.optional(table(pathName, cap)),
  models: v.optional(table(nameText, cap)),
  alertAt: numberField(share),
  heldWaitMs: numberField({ min: 0, max: maximumTimerMs, whole: true }),
  minOutputTokens: numberField(count),
})

const task = blockOrOff({
  maxIterations: limitField(count),
  maxInputTokens: limitField(count),
  maxWallSeconds: limitField({ min: 0 }),
  maxEur: limitField(euros),
  warnAt: numberField(share),
  constrainAt: numberField(share),
  haltGraceSeconds: numberField({ min: 0 }),
  sessionTimes: limitField(atLeastOne),
  onConstrained: blockOrOff({
    cheaperModel: booleanField(),
    disablePaidTools: booleanField(),
    compact: booleanField(),
    maxOutputTokens: limitField(atLeastOne),
  }),
})

/** A plan as it is written: what it leaves out comes from `agent`. */
export const planSchema = block({
  maxBodyBytes: limitField(count),
  maxMessageChars: limitField(count),
  maxConversationTokens: limitField(count),
  defaultOutputTokens: numberField(atLeastOne),
  maxOutputTokens: limitField(atLeastOne),
  maxN: limitField(atLeastOne),
  allowLogprobs: booleanField(),
  models: v.optional(v.nullable(list(nameText, ' or null'))),
  expectedUserAgents: v.optional(list(nameText)),
  timeouts: v.optional(
    block({
      connectMs: limitField(timerMs),
      firstByteMs: limitField(timerMs),
      idleMs: limitField(timerMs),
      totalMs: limitField(timerMs),
    }),
  ),
  rate: v.optional(
    block({
      callsPerMinute: limitField(count),
      tokensPerMinute: limitField(count),
      eurPerMinute: limitField(euros),
      concurrent: limitField(count),
    }),
  ),
  task,
  estimator: choiceField(['tokenizer', 'chars3', 'chars3.6', 'exact']),
  loop: blockOrOff({
    maxRepeats: numberField(atLeastOne),
    maxCycle: numberField(atLeastOne),
    action: choiceField(['warn', 'halt']),
  }),
  truncation: blockOrOff({
    before: choiceField(['warn', 'refuse', 'raise']),
    after: choiceField(['warn', 'error']),
    maxNumCtx: numberField(atLeastOne),
  }),
  storm: blockOrOff({ starts: numberField(atLeastOne), windowSeconds: numberField(atLeastOne) }),
  degrade: blockOrOff({
    cache: booleanField(),
    fallback: blockOrOff({ upstream: pathName, model: nameText }),
  }),
})

const usdPerMillion = { min: 0 }

const factor = v.union(
  [requiredNumber({ min: 0 }), v.literal('deny', 'must be a number >= 0 or "deny"')],
  'must be a number >= 0 or "deny"',
)

const prices = block({
  overrides: v.optional(
    list(
      block({
        provider: nameOrNull,
        match: nameText,
        prices: block({
          input_mtok: requiredNumber(usdPerMillion),
          output_mtok: requiredNumber(usdPerMillion),
          cache_read_mtok: numberField(usdPerMillion),
          cache_write_mtok: numberField(usdPerMillion),
          cache_write_1h_mtok: numberField(usdPerMillion),
        }),
      }),
    ),
  ),
  corrections: v.optional(
    list(
      block({
        provider: nameOrNull,
        match: nameText,
        factor: v.pipe(
          requiredNumber({ min: 0, max: 100 }),
          // A price of nothing would be no cap at all.
          v.check((value) => value > 0, 'must be a number > 0'),
        ),
        from: v.pipe(v.string('must be a date such as 2026-12-01'), v.isoDate('must be a date such as 2026-12-01')),
      }),
    ),
  ),
  multipliers: v.optional(table(nameText, table(nameText, table(nameText, factor)))),
  toolFees: v.optional(table(nameText, table(nameText, requiredNumber({ min: 0 })))),
  unpriced: choiceField(['refuse', 'dearest', 'free']),
})

/** A whole configuration file. */
export const fileSchema = block({
  requireKey: booleanField(),
  tenant: v.optional(nameText),
  user: v.optional(nameText),
  timezone: v.optional(nameText),
  currency: v.optional(
    block({
      code: v.optional(
        v.pipe(v.string('must be a code of three letters'), v.regex(/^[A-Z]{3}$/, 'must be a code of three letters')),
      ),
      usdRate: v.optional(
        v.pipe(
          v.number('must be a number > 0'),
          v.check((rate) => rate > 0 && rate <= 1_000_000, 'must be a number > 0 and <= 1000000'),
        ),
      ),
      asOf: v.optional(
        v.pipe(v.string('must be a date such as 2026-11-01'), v.isoDate('must be a date such as 2026-11-01')),
      ),
    }),
  ),
  budgets: v.optional(budgets),
  plans: v.optional(table(pathName, planSchema)),
  plan: v.optional(pathName),
  keys: v.optional(
    list(
      block({
        key: pathName,
        tenant: nameOrNull,
        user: nameOrNull,
        project: v.optional(v.nullable(pathName)),
        plan: v.optional(v.nullable(pathName)),
      }),
    ),
  ),
  tiers: v.optional(table(nameText, nameText)),
  toolCharges: v.optional(table(nameText, block({ eur: numberField(euros), eurPerSecond: numberField(euros) }))),
  prices: v.optional(prices),
  subscriptions: v.optional(block({ countEuros: booleanField() })),
  upstreams: v.optional(
    table(
      pathName,
      block({
        baseUrl: v.optional(v.string('must be a text with an http or https address')),
        dialect: choiceField(['openai', 'anthropic', 'gemini', 'ollama']),
        free: booleanField(),
      }),
    ),
  ),
  refusals: choiceField(['auto', 'semantic', 'final']),
  ledger: v.optional(v.string('must be "sqlite" or a redis:// address')),
  retention: v.optional(block({ callsDays: limitField(keptDays), eventsDays: limitField(keptDays) })),
  drainSeconds: numberField({ min: 0, max: 86_400 }),
  idleExitMinutes: numberField({ min: 0, max: 35_000 }),
})

/** A configuration file that has the right shape. */
export type FileConfig = v.InferOutput<typeof fileSchema>

/** A plan of such a file. */
export type FilePlan = v.InferOutput<typeof planSchema>
