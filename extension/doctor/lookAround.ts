import { basename, delimiter, join } from 'node:path'
import { isObject, readJson } from '../clients/json.ts'
import { clientIds } from '../clients/plan.ts'
import { placesOf } from '../clients/places.ts'
import type { Home } from '../clients/places.ts'
import { planClaudeSetting } from '../clients/claude.ts'
import { readOnce } from '../clients/files.ts'
import type { Files } from '../clients/files.ts'
import { serverOf } from '../clients/servers.ts'
import type { GateBase } from '../clients/servers.ts'
import { claudeSetting, targetOf } from '../clients/target.ts'
import type { UserSettings } from '../clients/target.ts'
import { claudeFilesIn, claudeLead, managedClaudeFile, worstLead } from './claudeFiles.ts'
import type { ClaudeFile } from './claudeFiles.ts'
import { readEnvFile, readShellFile } from './shellFile.ts'
import { familyVariables } from './surroundings.ts'
import type { ClaudeLead, ProgramName, Surroundings, VariableFile } from './surroundings.ts'

/** A folder of the workspace on this machine's disk. */
export interface Folder {
  readonly name: string
  readonly path: string
}

/** Where the doctor looks. */
export interface Lookout extends Home {
  readonly files: Pick<Files, 'read' | 'exists'>
  readonly settings: UserSettings
  /** What the workspace sets instead of the user's value, as JSON; null where it does not. */
  readonly workspaceSetting: (name: string) => string | null
  readonly platform: NodeJS.Platform
  /** Null before the local key exists. */
  readonly gate: GateBase | null
  readonly folders: readonly Folder[]
}

/** What was found on disk. */
export type Sight = Pick<
  Surroundings,
  | 'shellFiles'
  | 'readsShell'
  | 'directoryFiles'
  | 'envFiles'
  | 'azureVariables'
  | 'programs'
  | 'traces'
  | 'targets'
  | 'claude'
  | 'workspaceClaude'
  | 'geminiSignIn'
  | 'aiderFiles'
>

/** `.env` files that common loaders read from a project's root. */
const envNames = ['.env', '.env.local', '.env.development', '.env.development.local'] as const

const programs: readonly ProgramName[] = ['codex', 'claude', 'aider', 'gemini', 'ollama']

/** Reads what there is, each file once; nothing is kept of it but names and verdicts. */
export async function lookAround(lookout: Lookout): Promise<Sight> {
  const { home, environment, folders, gate, settings } = lookout
  const files = readOnce(lookout.files)
  const places = placesOf(lookout)
  const isGate = (address: string): boolean => gate !== null && serverOf(address, gate).kind === 'gate'
  const variables = async (path: string, name: string, read: typeof readEnvFile): Promise<VariableFile[]> => {
    const found = await files.read(path)
    if (found.kind !== 'text') return []
    return [{ name, variables: read(found.text, isGate).filter((one) => concerns(one.name)) }]
  }
  const inFolders = (names: readonly string[], read: typeof readEnvFile): Promise<VariableFile[]> =>
    gathered(
      folders.flatMap((folder) =>
        names.map((name) => variables(join(folder.path, name), `${name} (${folder.name})`, read)),
      ),
    )
  const startFiles = shellFiles(lookout)
  const inWorkspace = lookout.workspaceSetting(claudeSetting)
  return {
    readsShell: startFiles.length > 0,
    shellFiles: await gathered(startFiles.map(({ path, name }) => variables(path, name, readShellFile))),
    directoryFiles: await inFolders(['.envrc'], readShellFile),
    envFiles: [
      ...(await inFolders(envNames, readEnvFile)),
      ...(await variables(join(home, '.env'), '~/.env', readEnvFile)),
    ],
    azureVariables: Object.keys(environment).filter(
      (name) =>
        (name.startsWith('AZURE_OPENAI_') && environment[name]) ||
        (name === 'OPENAI_API_TYPE' && environment[name]?.toLowerCase().startsWith('azure')),
    ),
    programs: await programsOn(lookout),
    traces: await traces(lookout),
    targets:
      gate === null
        ? []
        : await Promise.all(
            clientIds.map(async (client) => {
              const found = await targetOf(client, gate, files, places, settings)
              return { ...found, target: shortened(found.target, home) }
            }),
          ),
    claude: gate === null ? null : await claude(files, lookout, places.claude, gate),
    workspaceClaude: gate === null || inWorkspace === null ? null : planClaudeSetting(inWorkspace, gate),
    geminiSignIn: await geminiSignIn(files, home),
    aiderFiles: await aiderFiles(files, lookout),
  }
}

/** The user's file, the organisation's, and those of each folder of the workspace. */
async function claude(
  files: Pick<Files, 'read'>,
  { home, folders, platform }: Lookout,
  userFile: string,
  gate: GateBase,
): Promise<ClaudeLead | null> {
  const read = async (path: string, name: string, isOwn: boolean): Promise<ClaudeFile> => ({
    name,
    isOwn,
    found: await files.read(path),
  })
  const managedFile = managedClaudeFile(platform)
  const managed = await read(managedFile, managedFile, false)
  const own = await read(userFile, shortened(userFile, home) ?? '', true)
  const ofFolders = await Promise.all(
    folders.map((folder) =>
      Promise.all(
        claudeFilesIn(folder.path)
          .filter(({ path }) => path !== userFile)
          .map(({ name, path }) => read(path, `${name} (${folder.name})`, false)),
      ),
    ),
  )
  const workspaces = ofFolders.length === 0 ? [[]] : ofFolders
  return worstLead(workspaces.map((ofFolder) => claudeLead([managed, ...ofFolder, own], gate)))
}

/** A path as a person writes it. */
function shortened(path: string | null, home: string): string | null {
  return path?.startsWith(home) === true ? `~${path.slice(home.length)}` : path
}

/** Whether the report has anything to say about a variable. */
function concerns(name: string): boolean {
  return name.startsWith('AZURE_OPENAI_') || Object.values(familyVariables).some((names) => names.includes(name))
}

async function gathered(reads: readonly Promise<VariableFile[]>[]): Promise<VariableFile[]> {
  return (await Promise.all(reads)).flat()
}

/** The start files that the user's shell reads in a new terminal. Terminals are login shells on macOS only. */
function shellFiles({
  home,
  environment,
  platform,
}: Lookout): readonly { readonly path: string; readonly name: string }[] {
  const isLogin = platform === 'darwin'
  const inHome = (name: string) => ({ path: join(home, name), name: `~/${name}` })
  switch (basename(environment['SHELL'] ?? '')) {
    case 'bash':
      return [...(isLogin ? ['.profile', '.bash_profile'] : []), '.bashrc'].map(inHome)
    case 'zsh': {
      const dir = environment['ZDOTDIR']
      const names = ['.zshenv', ...(isLogin ? ['.zprofile'] : []), '.zshrc', ...(isLogin ? ['.zlogin'] : [])]
      return dir ? names.map((name) => ({ path: join(dir, name), name: `$ZDOTDIR/${name}` })) : names.map(inHome)
    }
    case 'fish':
      return [inHome('.config/fish/config.fish')]
    default:
      return []
  }
}

async function programsOn({ files, environment, platform }: Lookout): Promise<ReadonlySet<ProgramName>> {
  const folders = [...new Set((environment['PATH'] ?? environment['Path'] ?? '').split(delimiter))].filter(Boolean)
  const endings = platform === 'win32' ? ['.exe', '.cmd'] : ['']
  const found = await Promise.all(
    programs.map(async (program) => {
      const paths = folders.flatMap((folder) => endings.map((ending) => join(folder, program + ending)))
      return (await Promise.all(paths.map((path) => files.exists(path)))).includes(true) ? [program] : []
    }),
  )
  return new Set(found.flat())
}

async function traces(lookout: Lookout): Promise<Surroundings['traces']> {
  const { home, environment, folders, files } = lookout
  const paths = {
    codex: [environment['CODEX_HOME'] || join(home, '.codex')],
    claude: [environment['CLAUDE_CONFIG_DIR'] || join(home, '.claude')],
    continue: [environment['CONTINUE_GLOBAL_DIR'] || join(home, '.continue')],
    cline: [join(home, '.cline')],
    gemini: [join(home, '.gemini', 'settings.json')],
    aider: [home, ...folders.map(({ path }) => path)].map((folder) => join(folder, '.aider.conf.yml')),
  } as const
  const found = await Promise.all(
    (Object.keys(paths) as (keyof typeof paths)[]).map(async (name) =>
      (await Promise.all(paths[name].map((path) => files.exists(path)))).includes(true) ? [name] : [],
    ),
  )
  return new Set(found.flat())
}

async function geminiSignIn(files: Pick<Files, 'read'>, home: string): Promise<string | null> {
  const found = await files.read(join(home, '.gemini', 'settings.json'))
  const settings = found.kind === 'text' ? readJson(found.text, {}) : undefined
  if (!isObject(settings)) return null
  const { security, selectedAuthType } = settings
  const auth = isObject(security) ? security['auth'] : undefined
  const chosen = isObject(auth) ? auth['selectedType'] : selectedAuthType
  return typeof chosen === 'string' ? chosen : null
}

/** `openai-api-base: …`, and variables under `set-env`. */
const aiderAddress = new RegExp(
  `^(?:openai-api-base\\s*:|[^#\\n]*\\b(?:${[familyVariables.openai, familyVariables.anthropic, familyVariables.ollama].flat().join('|')})\\s*=)\\s*["']?([^\\s"'#,\\]]+)`,
  'gm',
)

async function aiderFiles(files: Pick<Files, 'read'>, { home, folders, gate }: Lookout): Promise<readonly string[]> {
  const places = [
    { path: join(home, '.aider.conf.yml'), name: '~/.aider.conf.yml' },
    ...folders.map(({ name, path }) => ({
      path: join(path, '.aider.conf.yml'),
      name: `.aider.conf.yml (${name})`,
    })),
  ]
  const found = await Promise.all(
    places.map(async ({ path, name }) => {
      const text = await files.read(path)
      if (text.kind !== 'text') return []
      const addresses = [...text.text.matchAll(aiderAddress)].map(([, address = '']) => address)
      const isGate = addresses.every((address) => gate !== null && serverOf(address, gate).kind === 'gate')
      return isGate ? [] : [name]
    }),
  )
  return found.flat()
}
