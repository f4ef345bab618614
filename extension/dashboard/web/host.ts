import { parseState, parseToPage } from '../messages.ts'
import type { FromPage, PageState, ToPage } from '../messages.ts'

interface WebviewApi {
  postMessage(message: unknown): void
  getState(): unknown
  setState(state: unknown): void
}

declare function acquireVsCodeApi(): WebviewApi

/** The extension, as the page talks to it. VS Code hands its interface out once, and nobody else gets it. */
const api = acquireVsCodeApi()

/** Tells the extension something. */
export function tell(message: FromPage): void {
  api.postMessage(message)
}

/** Calls back for each message that is understood. */
export function listen(receive: (message: ToPage) => void): void {
  window.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    const message = parseToPage(data)
    if (message !== undefined) receive(message)
  })
}

/** What VS Code kept of this page. */
export function keptState(): PageState {
  return parseState(api.getState())
}

/** Lets VS Code keep something: it is there again when the page is shown again, or the window loaded anew. */
export function keepState(state: PageState): void {
  api.setState(state)
}
