import type { Dispatcher } from 'undici'
import type { Config } from '../shared/config.ts'
import type { Admission } from './budget/admission.ts'
import type { Calendar } from './budget/calendar.ts'
import type { GrantBook } from './budget/grantBook.ts'
import type { RateBook } from './budget/rateBook.ts'
import type { Configuration } from './config/configuration.ts'
import type { EventBus } from './observe/eventBus.ts'
import type { AnswerCache } from './degrade/answerCache.ts'
import type { Describer } from './describeWorker.ts'
import type { AskJson } from './http/askJson.ts'
import type { Ledger } from './ledger/ledger.ts'
import type { ContextWindows } from './models/contextWindows.ts'
import type { CountBook } from './models/countBook.ts'
import type { CounterFailure } from './stages/counterFailure.ts'
import type { BoundedMap } from './transcript/boundedMap.ts'
import type { TaskMemory } from './tasks/taskMemory.ts'
import type { PriceBook } from './money/priceBook.ts'
import type { Anomalies } from './observe/anomalies.ts'
import type { InFlight } from './observe/inFlight.ts'
import type { Log } from './observe/log.ts'
import type { NearCaps } from './observe/nearCaps.ts'
import type { PacingBook } from './observe/pacing.ts'
import type { Metrics } from './observe/metrics.ts'
import type { Residuals } from './observe/residual.ts'
import type { PromptGrowth } from './observe/promptGrowth.ts'
import type { KillBoard } from './control/killBoard.ts'
import type { SelfCheck } from './control/selfCheck.ts'

/** The pieces that a call passes on its way. Built once by `composition.ts`; nothing here knows who uses it. */
export interface Gate {
  readonly nowMs: () => number
  readonly newCallId: () => string
  readonly config: () => Config
  readonly configuration: Configuration
  readonly localKey: string
  readonly token: string
  readonly port: () => number
  readonly dataDir: string
  readonly startedAtMs: number
  readonly ledger: Ledger
  readonly admission: Admission
  readonly calendar: Calendar
  /** What people gave to windows on top of their caps. */
  readonly grants: GrantBook
  readonly priceBook: PriceBook
  readonly residuals: Residuals
  readonly growth: PromptGrowth
  readonly describer: Describer
  readonly inFlight: InFlight
  readonly rates: RateBook
  /** Base URLs whose servers refuse `stream_options`: their streams are settled by what was counted. */
  readonly withoutUsageOption: Set<string>
  readonly memory: TaskMemory
  readonly kills: KillBoard
  /** Earlier answers, for plans that answer from them when a budget is used up. */
  readonly answers: AnswerCache
  readonly nearCaps: NearCaps
  /** How far the providers' own windows are used. */
  readonly pacing: PacingBook
  readonly anomalies: Anomalies
  /** What exact token counters said. */
  readonly counts: CountBook
  /** How much of a prompt the models read. */
  readonly contextWindows: ContextWindows
  /** Token counters that failed a moment ago. */
  readonly counterFailures: BoundedMap<CounterFailure>
  readonly selfCheck: SelfCheck
  readonly dispatcher: Dispatcher
  /** Small questions of the gate's own to the upstreams. */
  readonly ask: AskJson
  readonly events: EventBus
  readonly metrics: Metrics
  readonly log: Log
  /** Set while the daemon drains: new calls are refused with `shutting_down`. */
  readonly stopping: () => boolean
}
