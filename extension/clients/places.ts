import { homedir } from 'node:os'
import { join } from 'node:path'

/** What the places of clients' files follow from. */
export interface Home {
  /** The user's home folder. */
  readonly home: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** VS Code's folder `User`, null where it lies on another machine than the extension. */
  readonly userDir: string | null
}

/** Where clients keep their settings. */
export interface Places {
  readonly codex: string
  readonly claude: string
  /** The default profile's list of Copilot endpoints; null where it lies on another machine. */
  readonly copilot: string | null
  /** VS Code's folder `User`, with the profiles; null likewise. */
  readonly userDir: string | null
  readonly continueYaml: string
  readonly continueJson: string
  readonly cline: string
}

/** The files of this user. Variables by which a client moves its folder are followed. */
export function placesOf({ home, environment, userDir }: Home): Places {
  const folder = (variable: string, name: string): string => environment[variable] || join(home, name)
  const continueDir = folder('CONTINUE_GLOBAL_DIR', '.continue')
  return {
    codex: join(folder('CODEX_HOME', '.codex'), 'config.toml'),
    claude: join(folder('CLAUDE_CONFIG_DIR', '.claude'), 'settings.json'),
    copilot: userDir === null ? null : join(userDir, copilotFile),
    userDir,
    continueYaml: join(continueDir, 'config.yaml'),
    continueJson: join(continueDir, 'config.json'),
    cline: join(home, '.cline', 'data', 'settings', 'providers.json'),
  }
}

/** Where VS Code keeps its profiles. */
export function profileStorage(userDir: string): string {
  return join(userDir, 'globalStorage', 'storage.json')
}

/** A profile's own list of Copilot endpoints. */
export function copilotOf(userDir: string, folder: string): string {
  return join(userDir, 'profiles', folder, copilotFile)
}

const copilotFile = 'chatLanguageModels.json'

/** A path as a person writes it. */
export function shortPath(path: string): string {
  const home = homedir()
  return path.startsWith(`${home}/`) || path.startsWith(`${home}\\`) ? `~${path.slice(home.length)}` : path
}
