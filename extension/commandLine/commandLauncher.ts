import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { copyDaemon } from '../daemon/copies.ts'
import { compareVersions } from '../daemon/versionOrder.ts'
import type { Log } from '../log.ts'
import { commandPromptScript, copyNameIn, shellScript, versionOfCopy } from './scripts.ts'

/** What the launcher of the command line follows from. */
export interface CommandLauncherPorts {
  /** `dist/` of the extension. */
  readonly distDir: string
  /** Where the copies of the daemon live. */
  readonly copiesDir: string
  /** Folder of the command. */
  readonly binDir: string
  readonly version: string
  /** Runtime of VS Code. */
  readonly ownRuntime: string
  readonly platform: NodeJS.Platform
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly log: Log
  /** What the settings say now: the data directory, and a runtime of the user's own, or empty for VS Code's. */
  settings(): { readonly dataDir: string; readonly nodePath: string }
}

/**
 * Keeps the `tollgate` command of terminals: a script that runs the present copy of the daemon's program. Its path never changes, so
 * that a terminal of before an upgrade has the newer program.
 *
 * Windows of several versions keep the same file. The newest version wins while its copy is there; a rule like "not mine, so write
 * it anew" would put an older program before a newer gate each time that a window connects.
 */
export class CommandLauncher {
  readonly #ports: CommandLauncherPorts
  #work: Promise<void> = Promise.resolve()

  constructor(ports: CommandLauncherPorts) {
    this.#ports = ports
  }

  /** Folder of the command. */
  get binDir(): string {
    return this.#ports.binDir
  }

  /** Lets the command run this copy of the daemon, unless a newer one is there. Never rejects. */
  pointTo(copyDir: string): Promise<void> {
    return this.#inTurn(async () => {
      if (!(await this.#newerIsThere())) await this.#write(copyDir)
    })
  }

  /**
   * The same for a gate that this window has not started, and of which it may have no copy yet. The copy is noted as one that
   * the gate's process uses, so that it is not cleared away while that runs. Never rejects.
   */
  follow(gatePid: number): Promise<void> {
    return this.#inTurn(async () => {
      if (await this.#newerIsThere()) return
      const { distDir, copiesDir, version } = this.#ports
      await this.#write(await copyDaemon(distDir, copiesDir, version, gatePid))
    })
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#work = this.#work
      .then(work)
      .catch((error: unknown) => this.#ports.log.warn(`The tollgate command was not written: ${String(error)}`))
    return this.#work
  }

  async #newerIsThere(): Promise<boolean> {
    const { binDir, copiesDir, version } = this.#ports
    const copyName = copyNameIn(await textOf(join(binDir, 'tollgate')))
    if (copyName === null || compareVersions(versionOfCopy(copyName), version) <= 0) return false
    return stat(join(copiesDir, copyName, 'daemon.js')).then(
      () => true,
      () => false,
    )
  }

  async #write(copyDir: string): Promise<void> {
    const { binDir, ownRuntime, platform, environment, log } = this.#ports
    const { dataDir, nodePath } = this.#ports.settings()
    const isOwnRuntime = nodePath === ''
    const command = {
      copyName: basename(copyDir),
      program: join(copyDir, 'daemon.js'),
      runtime: isOwnRuntime ? ownRuntime : nodePath,
      isOwnRuntime,
      dataDir,
    }
    await mkdir(binDir, { recursive: true, mode: 0o700 })
    if (platform !== 'win32') await chmod(binDir, 0o700)
    // On Windows Git Bash takes the first, everything else the second.
    const scripts = {
      tollgate: shellScript(command),
      ...(platform === 'win32' ? { 'tollgate.cmd': commandPromptScript(command, environment) } : {}),
    }
    for (const [name, script] of Object.entries(scripts)) {
      if (await replace(join(binDir, name), script))
        log.info(`The ${name} command of terminals runs ${command.program}.`)
    }
  }
}

/** Replaces a file as a whole where its text differs; whether it did. */
async function replace(path: string, script: string): Promise<boolean> {
  if ((await textOf(path)) === script) return false
  const draft = `${path}.${process.pid}.new`
  try {
    await writeFile(draft, script, { mode: 0o700 })
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
  return true
}

async function textOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '')
}
