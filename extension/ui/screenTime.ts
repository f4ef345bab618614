import type { Timers } from './coalesce.ts'

/**
 * How long a warning stays on the screen in a window with the focus, in milliseconds: VS Code takes it away after 12 s, with buttons or
 * without (`PURGE_TIMEOUT` of its `notificationsToasts.ts`), and what it was asked for stays unanswered. One with the pointer on it stays
 * longer.
 */
const warningMs = 13_000

/** The focus of a window. */
export interface WindowFocus {
  isFocused(): boolean
  /** Calls back the next time it gets the focus; the returned function takes that back. */
  onceFocused(run: () => void): () => void
}

/**
 * Calls back when a warning that is shown now has left the screen. Without the focus VS Code lets it stay and begins anew with the
 * focus. The returned function takes that back.
 */
export function whenOffScreen(timers: Timers, focus: WindowFocus, run: () => void): () => void {
  let takeBack: () => void = () => undefined
  const wait = (): void => {
    takeBack = timers.after(warningMs, () => {
      if (focus.isFocused()) run()
      else takeBack = focus.onceFocused(wait)
    })
  }
  wait()
  return () => takeBack()
}
