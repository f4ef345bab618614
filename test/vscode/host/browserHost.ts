import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { format } from 'node:util'
import { launchChromium } from './chromium.ts'
import { installCodeServer, startCodeServer } from './codeServer.ts'
import type { Profile } from './profile.ts'
import { suiteMark } from './suiteMark.ts'

/** Longest time that the suite may take, in milliseconds. */
const suiteLimitMs = 300_000

/**
 * Runs the suite in the Node extension host of VS Code's server, driven by a browser. The tests' output comes through the
 * page, their result as its exit code.
 */
export async function runInBrowser(profile: Profile, extensionDir: string, suite: string): Promise<number> {
  const server = await startCodeServer(await installCodeServer(), profile, { testDriver: true })
  const browser = await launchChromium()
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
    const remote = (path: string): string => `vscode-remote://${new URL(server.url).host}${resolve(path)}`
    const payload = [
      ['extensionDevelopmentPath', remote(extensionDir)],
      ['extensionTestsPath', remote(suite)],
      ['skipWelcome', 'true'],
    ]
    const errors: string[] = []
    await page.exposeFunction('codeAutomationLog', (type: string, args: readonly unknown[]) => {
      const line = format(...args)
      if (line.startsWith(suiteMark)) console.log(line.slice(suiteMark.length))
      else if (type === 'error') errors.push(line)
    })
    const ended = new Promise<number>((done, fail) => {
      const timer = setTimeout(() => fail(new Error('The suite did not end in time.')), suiteLimitMs)
      page
        .exposeFunction('codeAutomationExit', (code: number) => {
          clearTimeout(timer)
          done(code)
        })
        .catch(fail)
    })
    await page.goto(`${server.url}/?folder=${profile.workspace}&payload=${encodeURIComponent(JSON.stringify(payload))}`)
    const code = await ended
    if (code !== 0) {
      // A suite that could not even be loaded says why only here.
      for (const line of errors) console.error(line)
      mkdirSync('artifacts', { recursive: true })
      await page.screenshot({ path: join('artifacts', 'vscode-suite-failed.png') })
    }
    return code
  } finally {
    await browser.close()
    await server.stop()
  }
}
