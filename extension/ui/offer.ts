import type { GrantRequest } from '../../shared/protocol.ts'
import type { NoticeKind } from '../memory.ts'
import type { ProcessIdentity } from '../process/identity.ts'
import type { WindowPolicy } from '../truncation/policy.ts'
import type { Truncation } from '../truncation/truncation.ts'

/** A notification to show, with the key under which it is shown only once. */
export interface Notice {
  readonly key: string
  readonly message: string
}

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
  /** The task or session that at most one message is open about; null where nothing stands in the way. */
  readonly about: string | null
  /** The same in a few words, for the status bar while another message about it is open. */
  readonly brief: string
  readonly choices: readonly Choice[]
}
