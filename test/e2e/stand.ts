import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core'
import type { Upstream } from '../upstream/upstream.ts'
import { launchChromium } from '../vscode/host/chromium.ts'
import { installCodeServer, installVsix, run, startCodeServer } from '../vscode/host/codeServer.ts'
import { startPlayedUpstream } from '../vscode/host/playedGate.ts'
import { createProfile, endGate } from '../vscode/host/profile.ts'
import type { Profile } from '../vscode/host/profile.ts'
import { Workbench } from './workbench.ts'

/** How a window gets the extension: installed from a file, as users do, or run from the checkout. */
export type Origin = { readonly vsix: string } | { readonly checkout: string }

/** An upstream that plays the providers, and the configuration that sends a gate there. */
export interface Played {
  readonly upstream: Upstream
  readonly gateConfig: unknown
}

/** What is opened. */
export interface StandOptions {
  readonly extension: Origin
  /** The providers; what the tests of VS Code play, unless it is told. */
  readonly play?: () => Promise<Played>
  /** Runs before VS Code does: what it shall find in the folders. */
  readonly prepare?: (profile: Profile) => unknown
  readonly view?: BrowserContextOptions
}

/** A VS Code of its own with Tollgate in it, which a browser shows. */
export interface Stand {
  readonly upstream: Upstream
  readonly profile: Profile
  readonly browser: Browser
  /** Windows of one context share the user's settings, as windows of one VS Code do. */
  readonly context: BrowserContext
  /** Opens one more window on the workspace and waits for the extension's item in its status bar. */
  openWindow(): Promise<Workbench>
  /** Installs a VSIX beside or over what is there, as *Install from VSIX…* does. */
  install(vsix: string): Promise<string>
  /** Ends everything that was started, the gate too, and removes the folders. */
  end(): Promise<void>
}

/**
 * Opens a stand before the tests of a suite and ends it after them; what it returns gives the stand to the tests. The options are asked
 * for in the hook, so that they may take long.
 */
export function useStand(options: () => StandOptions | Promise<StandOptions>): () => Stand {
  let stand: Stand | undefined
  before(async function () {
    // The first one on a machine installs VS Code.
    this.timeout(900_000)
    stand = await openStand(await options())
  })
  after(async () => {
    await stand?.end()
  })
  return () => stand!
}

/** Starts VS Code with empty folders and the extension in it. What had been started when it fails is ended. */
async function openStand(options: StandOptions): Promise<Stand> {
  const endings: (() => unknown)[] = []
  const end = async (): Promise<void> => {
    for (const step of endings.splice(0).reverse()) await step()
  }
  try {
    const { upstream, gateConfig } = await (options.play ?? startPlayedUpstream)()
    endings.push(() => upstream.close())
    const profile = await createProfile(gateConfig)
    endings.push(
      () => profile.remove(),
      () => endGate(profile),
    )
    await options.prepare?.(profile)
    const serverMain = await installCodeServer()
    const install = (vsix: string): Promise<string> => installVsix(serverMain, profile, vsix)
    const { extension } = options
    if ('vsix' in extension) await install(extension.vsix)
    const server = await startCodeServer(serverMain, profile, { testDriver: 'checkout' in extension })
    endings.push(() => server.stop())
    const browser = await launchChromium()
    endings.push(() => browser.close())
    const context = await browser.newContext(options.view ?? { viewport: { width: 1280, height: 800 } })
    const address = addressOf(server.url, profile, extension)
    return {
      upstream,
      profile,
      browser,
      context,
      openWindow: async () => {
        const page = await context.newPage()
        await page.goto(address)
        const window = new Workbench(page)
        await window.ready()
        return window
      },
      install,
      end,
    }
  } catch (error) {
    await end()
    throw error
  }
}

function addressOf(origin: string, profile: Profile, extension: Origin): string {
  const folder = `${origin}/?folder=${profile.workspace}`
  if ('vsix' in extension) return folder
  const checkout = `vscode-remote://${new URL(origin).host}${resolve(extension.checkout)}`
  const payload = [
    ['extensionDevelopmentPath', checkout],
    ['skipWelcome', 'true'],
  ]
  return `${folder}&payload=${encodeURIComponent(JSON.stringify(payload))}`
}

/** Packs a checkout's `dist`, as `npm run package` does, as a VSIX; gives its path. */
export async function packVsix(checkout = '.', name = 'tollgate'): Promise<string> {
  const file = resolve('artifacts', `${name}.vsix`)
  mkdirSync('artifacts', { recursive: true })
  const vsce = resolve('node_modules', '@vscode', 'vsce', 'vsce')
  const options = ['--no-dependencies', '--allow-missing-repository', '--readme-path', 'dist/README.md']
  await run(process.execPath, [vsce, 'package', ...options, '-o', file], resolve(checkout))
  return file
}
