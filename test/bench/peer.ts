import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { start } from './processes.ts'
import type { Program } from './processes.ts'
import { Connection, requestBytes } from './wire.ts'
import { pause } from './statistics.ts'

/** The gateway that Tollgate is compared with. Installed beside the tests' other downloads, never a dependency. */
const packageName = '@portkey-ai/gateway'
export const peerVersion = '1.15.2'

/** With the version that npm would choose, every stream is answered 500. It is no slower with this one. */
const peerOverrides = { '@hono/node-server': '1.13.8' }

const readyWithinMs = 20_000

/** Where the peer's program is, after installing it where it is missing. Throws where npm cannot. */
function installedPeer(): string {
  const cacheDir = process.env['TOLLGATE_TEST_CACHE'] ?? path.join(homedir(), '.cache', 'tollgate-test')
  const folder = path.join(cacheDir, `portkey-gateway-${peerVersion}`)
  const program = path.join(folder, 'node_modules', packageName, 'build', 'start-server.js')
  if (existsSync(program)) return program
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ private: true, overrides: peerOverrides }))
  // Its install script patches nothing that is in the package, so that none has to run.
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--omit=dev', `${packageName}@${peerVersion}`]
  execFileSync('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  return program
}

/** Starts the peer as its README says, without its web console. */
export async function startPeer(port: number): Promise<Program> {
  return start([installedPeer(), `--port=${port}`, '--headless'], {
    env: { NODE_ENV: 'production' },
    ready: async () => {
      const deadlineMs = performance.now() + readyWithinMs
      for (;;) {
        const answers = await greet(port)
        if (answers) return
        if (performance.now() > deadlineMs) throw new Error('the peer gateway did not start')
        await pause(50)
      }
    },
  })
}

async function greet(port: number): Promise<boolean> {
  try {
    const connection = await Connection.open(port)
    await connection.send(requestBytes({ port, path: '/', headers: {} }, '', 'GET'))
    connection.close()
    return true
  } catch {
    return false
  }
}

/** Headers that point a request at our own upstream. */
export function peerHeaders(upstreamPort: number): Readonly<Record<string, string>> {
  return {
    'x-portkey-provider': 'openai',
    'x-portkey-custom-host': `http://127.0.0.1:${upstreamPort}/v1`,
  }
}
