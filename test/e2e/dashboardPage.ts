import type { FrameLocator, Locator } from 'playwright-core'
import type { Workbench } from './workbench.ts'

/** The dashboard of a window, as a person sees and uses it. */
export interface DashboardOfWindow {
  /** Its page, two frames deep. */
  readonly page: () => FrameLocator
  /** A chart by its heading. */
  readonly chart: (name: string) => Locator
  /** Chooses from a list by what is read there. */
  readonly choose: (label: string, option: string) => Promise<unknown>
}

/** Finds the parts of the dashboard of a window; the window may still be opened. */
export function dashboardOf(window: () => Workbench): DashboardOfWindow {
  const page = (): FrameLocator =>
    window().page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame')
  return {
    page,
    chart: (name) => page().getByRole('region', { name, exact: true }).first(),
    choose: (label, option) => page().getByLabel(label, { exact: true }).selectOption({ label: option }),
  }
}
