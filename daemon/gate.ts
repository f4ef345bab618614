import type { Dispatcher } from 'undici'
import type { Config } from '../shared/config.ts'
import type { Admission } from './budget/admission.ts'
import type { Calendar } from './budget/calendar.ts'
import type { RateBook } from './budget/rateBook.ts'
import type { Configuration } from './config/configuration.ts'
import type { EventBus } from './control/eventBus.ts'
import type { Describer } from './describeWorker.ts'
import type { Ledger } from './ledger/ledger.ts'
import type { CounterFailure } from './stages/counterFailure.ts'
import type { BoundedMap } from './transcript/boundedMap.ts'
import type { TaskMemory } from './tasks/taskMemory.ts'
import type { PriceBook } from './money/priceBook.ts'
import type { InFlight } from './observe/inFlight.ts'
import type { Log } from './observe/log.ts'
import type { Metrics } from './observe/metrics.ts'
import type { Residuals } from './observe/residual.ts'
import type { PromptGrowth } from './observe/promptGrowth.ts'
import type { KillBoard } from './control/killBoard.ts'
import type { SelfCheck } from './control/selfCheck.ts'

/** The pieces that a call passes on its way. Built once by `commands/serve.ts`; nothing here knows who uses it. */
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
  /** Token counters that failed a moment ago. */
  readonly counterFailures: BoundedMap<CounterFailure>
  readonly selfCheck: SelfCheck
  readonly dispatcher: Dispatcher
  readonly events: EventBus
  readonly metrics: Metrics
  readonly log: Log
  /** Set while the daemon drains: new calls are refused with `shutting_down`. */
  readonly stopping: () => boolean
}
