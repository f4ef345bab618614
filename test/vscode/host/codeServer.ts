import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import type { Profile } from './profile.ts'

const version = '4.139.1'

/** Folder for what is downloaded once and reused, as `@vscode/test-electron` does with `.vscode-test`. */
const cacheDir = process.env['TOLLGATE_TEST_CACHE'] ?? join(homedir(), '.cache', 'tollgate-test')

/** Environment in which `node` is the runtime of this process: code-server's install script insists on Node 24. */
function withThisNode(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.fromEntries(
    Object.entries(environment).filter(([name]) => !/^(npm_|VSCODE_|ELECTRON_)/i.test(name)),
  )
  return { ...kept, PATH: dirname(process.execPath) + delimiter + (environment['PATH'] ?? '') }
}

/** Runs a command to its end. Throws with the end of its output when it fails. */
export async function run(command: string, args: readonly string[], cwd: string, env = process.env): Promise<string> {
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const output: string[] = []
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk.toString()))
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  const text = output.join('')
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${String(code)}:\n${text.slice(-4000)}`)
  return text
}

/**
 * Path of the VS Code server inside the npm package code-server, which is installed on first use (about three minutes, 600
 * MB; it compiles native modules and so needs a C++ compiler, Python and the Kerberos headers).
 */
export async function installCodeServer(): Promise<string> {
  const final = join(cacheDir, `code-server-${version}`)
  const server = join('node_modules', 'code-server', 'lib', 'vscode', 'out', 'server-main.js')
  if (existsSync(join(final, server))) return join(final, server)
  console.log(`Installing code-server ${version} into ${cacheDir}; this takes some minutes, once.`)
  const draft = `${final}.installing`
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { recursive: true })
  writeFileSync(
    join(draft, 'package.json'),
    JSON.stringify({ private: true, allowScripts: { 'code-server': true, argon2: true } }),
  )
  await run('npm', ['install', `code-server@${version}`, '--no-audit', '--no-fund'], draft, withThisNode(process.env))
  // The final name stands for a complete installation, so that an interrupted one is made again.
  renameSync(draft, final)
  return join(final, server)
}

/** A VS Code server that a browser can open. */
export interface CodeServer {
  readonly url: string
  stop(): Promise<void>
}

function profileArgs(profile: Profile): readonly string[] {
  return ['--server-data-dir', profile.serverDataDir, '--extensions-dir', profile.extensionsDir]
}

/**
 * Starts the server on a free port of 127.0.0.1 and waits until it listens. `testDriver` makes a production build accept a
 * payload that names an extension and its tests; it also keeps notifications from being shown.
 */
export async function startCodeServer(
  serverMain: string,
  profile: Profile,
  options: { readonly testDriver: boolean },
): Promise<CodeServer> {
  const child = spawn(
    process.execPath,
    [
      serverMain,
      ...['--host', '127.0.0.1', '--port', '0', '--without-connection-token', '--accept-server-license-terms'],
      ...['--telemetry-level', 'off', '--disable-workspace-trust'],
      ...(options.testDriver ? ['--enable-smoke-test-driver'] : []),
      ...profileArgs(profile),
    ],
    {
      env: profile.environment(withThisNode(process.env)),
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own, that is of the server and its extension hosts.
      detached: true,
    },
  )
  const port = await listeningPort(child)
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), 5000)
      await ended
      clearTimeout(timer)
      endGroup(child.pid)
    },
  }
}

/** Ends what a server leaves: an extension host lives on for seconds, and would start the gate that its test ends then once more. */
function endGroup(leader: number | undefined): void {
  if (leader === undefined) return
  try {
    process.kill(-leader, 'SIGKILL')
  } catch {
    // Nothing was left, or the system knows no groups.
  }
}

function listeningPort(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let output = ''
    const timer = setTimeout(() => reject(new Error(`VS Code's server did not start:\n${output}`)), 60_000)
    const read = (chunk: Buffer): void => {
      output += chunk.toString()
      const found = /Extension host agent listening on (\d+)|Web UI available at \S+:(\d+)/.exec(output)
      if (!found) return
      clearTimeout(timer)
      resolve(Number(found[1] ?? found[2]))
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.once('exit', (code) => reject(new Error(`VS Code's server ended with ${String(code)}:\n${output}`)))
  })
}

/** Installs a VSIX into the profile, as a user does with *Install from VSIX…*, which does not refuse an older version. */
export async function installVsix(serverMain: string, profile: Profile, vsix: string): Promise<string> {
  return run(
    process.execPath,
    [serverMain, '--install-extension', vsix, '--force', '--accept-server-license-terms', ...profileArgs(profile)],
    profile.root,
    profile.environment(withThisNode(process.env)),
  )
}
