import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { readHealth } from '../../extension/daemon/api.ts'
import { runInBrowser } from './host/browserHost.ts'
import { runOnDesktop } from './host/desktopHost.ts'
import { addPanelExtension } from './host/panelExtension.ts'
import { startPlayedUpstream } from './host/playedGate.ts'
import { createProfile, endGate, gateRecord } from './host/profile.ts'

/**
 * Runs the suite inside a real VS Code against a playing upstream: in the desktop program that VSCODE_PATH names, else in
 * VS Code's server with a headless browser. Needs `node esbuild.mjs --tests` before.
 */
async function main(): Promise<number> {
  const suite = resolve('out', 'vscodeSuite.js')
  for (const built of [suite, resolve('dist', 'daemon.js'), resolve('dist', 'extension.js')]) {
    if (!existsSync(built)) throw new Error(`${built} is missing: run node esbuild.mjs --tests first.`)
  }
  const { upstream, gateConfig } = await startPlayedUpstream()
  const profile = await createProfile(gateConfig)
  const panel = addPanelExtension(profile)
  try {
    const desktop = process.env['VSCODE_PATH']
    const code =
      desktop === undefined
        ? await runInBrowser(profile, resolve('.'), suite)
        : await runOnDesktop(desktop, profile, [resolve('.'), panel], suite)
    const record = gateRecord(profile)
    if (code === 0 && (!record || (await readHealth(record.url, 2000))?.pid !== record.pid)) {
      console.error('The gate ended with its window; it has to stay for the other windows and terminals.')
      return 1
    }
    return code
  } finally {
    await endGate(profile)
    await upstream.close()
    profile.remove()
  }
}

process.exit(await main())
