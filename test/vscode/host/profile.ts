import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DiscoveryRecord } from '../../../shared/protocol.ts'

/** The folders of one run: nothing of it is shared with another run or with the user's own VS Code. */
export interface Profile {
  readonly root: string
  readonly serverDataDir: string
  readonly extensionsDir: string
  /** The folder that VS Code opens. */
  readonly workspace: string
  /** Tollgate's data directory. */
  readonly dataDir: string
  readonly gatePort: number
  /** The environment of VS Code: without the user's own model servers, keys and Tollgate settings. */
  environment(base: NodeJS.ProcessEnv): NodeJS.ProcessEnv
  remove(): void
}

/** Settings of every run: no questions, no network, no animation. */
const quietSettings = {
  'security.workspace.trust.enabled': false,
  'telemetry.telemetryLevel': 'off',
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'chat.disableAIFeatures': true,
  'update.mode': 'none',
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'git.enabled': false,
  // The manifest silences the notice for the gate's usual port; a run takes a free one.
  'remote.autoForwardPorts': false,
  // Without graphics hardware the terminal's text is in the page, where a test can read it.
  'terminal.integrated.gpuAcceleration': 'off',
}

/** Makes the folders of a run, with VS Code settings and a gate configuration. */
export async function createProfile(gateConfig: unknown): Promise<Profile> {
  const root = mkdtempSync(join(tmpdir(), 'tollgate-vscode-'))
  const gatePort = await freePort()
  const dataDir = join(root, 'gate')
  const serverDataDir = join(root, 'server')
  const workspace = join(root, 'checkout-bot')
  const machine = { 'tollgate.daemon.port': gatePort, 'tollgate.daemon.dataDir': dataDir }
  write(join(dataDir, 'config.json'), gateConfig)
  // The desktop reads the user's file; a browser keeps the user's settings itself and reads the machine's file.
  write(join(serverDataDir, 'data', 'User', 'settings.json'), { ...quietSettings, ...machine })
  write(join(serverDataDir, 'data', 'Machine', 'settings.json'), { ...quietSettings, ...machine })
  write(join(workspace, 'package.json'), { name: 'checkout-bot', private: true })
  const extensionsDir = join(root, 'extensions')
  mkdirSync(extensionsDir)
  return {
    root,
    serverDataDir,
    extensionsDir,
    workspace,
    dataDir,
    gatePort,
    environment: (base) => {
      const foreign = /^(TOLLGATE|OPENAI|AZURE_OPENAI|ANTHROPIC|OLLAMA)_|_proxy$/i
      const kept = Object.entries(base).filter(([name]) => !foreign.test(name))
      return { ...Object.fromEntries(kept), OPENAI_API_KEY: 'sk-test', ANTHROPIC_API_KEY: 'sk-test' }
    },
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }),
  }
}

/** The record of the daemon that the extension started, or undefined. */
export function gateRecord(profile: Pick<Profile, 'dataDir'>): DiscoveryRecord | undefined {
  try {
    return JSON.parse(readFileSync(join(profile.dataDir, 'daemon.json'), 'utf8')) as DiscoveryRecord
  } catch {
    return undefined
  }
}

/** Ends the daemon of a run by its process id; the extension leaves it running on purpose. */
export async function endGate(profile: Profile): Promise<void> {
  const pid = gateRecord(profile)?.pid
  if (pid === undefined) return
  for (let look = 0; look < 100; look++) {
    try {
      process.kill(pid, look === 0 ? 'SIGTERM' : 0)
    } catch {
      return
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  process.kill(pid, 'SIGKILL')
}

function write(path: string, value: unknown): void {
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, JSON.stringify(value, null, 2))
}

/** A port that nobody has. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() =>
        typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no port')),
      )
    })
  })
}
