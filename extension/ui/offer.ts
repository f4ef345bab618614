import type { GrantRequest } from '../../shared/protocol.ts'
import type { NoticeKind } from '../memory.ts'
import type { ProcessIdentity } from '../process/identity.ts'
import type { WindowPolicy } from '../truncation/policy.ts'
import type { Truncation } from '../truncation/truncation.ts'
import type { ExhaustedCap } from './gateView.ts'

/** A notification to show, with the key under which it is shown only once. */
export interface Notice {
  readonly key: string
  readonly message: string
}

/** Which cap a refusal was about. */
export type CapReference = Pick<ExhaustedCap, 'scope' | 'ref' | 'tenant' | 'window' | 'unit'>

/** What a click does. Nothing is allowed, ended or stopped without one. */
export type Step =
  /** `done` says what was allowed to whom. */
  | { readonly kind: 'allow'; readonly grant: GrantRequest; readonly done: string }
  | { readonly kind: 'resume' | 'stop'; readonly task: string; readonly name: string }
  /** `seen` is the process as it was when the daemon named it, null before anybody looked. */
  | {
      readonly kind: 'endProcess'
      readonly pid: number
      readonly name: string
      readonly seen: ProcessIdentity | null
    }
  | { readonly kind: 'openSetting'; readonly setting: string }
  /** Asks how much more of a cap is allowed for today. */
  | { readonly kind: 'raise'; readonly cap: CapReference }
  /** The guarded terminal that is the task. */
  | { readonly kind: 'showTerminal'; readonly task: string }
  | { readonly kind: 'showLog' }
  /** How to get a window that holds the prompt. */
  | { readonly kind: 'showWindowGuide'; readonly truncation: Truncation }
  /** Says in `config.json` what happens to a prompt that does not fit. */
  | { readonly kind: 'setWindowPolicy'; readonly plan: string; readonly policy: WindowPolicy }
  /** `sinceMs` is no later than its beginning. */
  | { readonly kind: 'showCall'; readonly call: string; readonly sinceMs: number }

/** A button of a notification. */
export interface Choice {
  readonly title: string
  readonly step: Step
}

/** A notification with its buttons; *Don't Show Again* is added to each. */
export interface Offer extends Notice {
  readonly kind: NoticeKind
  /** The task or session that it is about; null where it is about none. */
  readonly about: string | null
  /** The same in a few words, for the status bar while it waits for another message; empty where it is not said there. */
  readonly brief: string
  readonly choices: readonly Choice[]
}

const weights: Readonly<Record<NoticeKind, number>> = {
  // Calls go on.
  taskConstrained: 0,
  truncated: 0,
  emptyAnswer: 0,
  degraded: 0,
  // Calls are refused for some time.
  velocity: 1,
  restartStorm: 1,
  // Calls are refused until somebody decides.
  capReached: 2,
  taskHalted: 2,
  loopHalted: 2,
  notStarted: 2,
  // Something calls on that should not.
  stillCalling: 3,
}

/** How much a kind of notification asks for: one waits for none that asks for less. */
export function weightOf(kind: NoticeKind): number {
  return weights[kind]
}
