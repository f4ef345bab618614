import type { Plan } from '../clients/plan.ts'
import type { ClientTarget } from '../clients/target.ts'
import type { ClientFamily, SkippedFamily } from '../env/injection.ts'
import type { InjectSettings } from '../settings.ts'
import type { SetVariable } from './shellFile.ts'

/** Clients that are not written but only looked for. */
export type ProgramName = 'codex' | 'claude' | 'aider' | 'gemini' | 'ollama'

/** A file with the variables it sets. */
export interface VariableFile {
  /** As a person names it: `~/.zshrc`, `.env of shop`. */
  readonly name: string
  readonly variables: readonly SetVariable[]
}

/** The gate, as the window sees it. */
export type GateState =
  | { readonly kind: 'off' }
  | { readonly kind: 'starting' }
  | { readonly kind: 'down'; readonly reason: string }
  /** It answers, and this window cannot follow it. */
  | { readonly kind: 'unfollowed'; readonly reason: string; readonly version: string; readonly origin: string }
  | {
      readonly kind: 'up'
      readonly version: string
      readonly origin: string
      readonly pid: number | null
      readonly killed: boolean
      readonly ledgerAvailable: boolean
    }

/** Where Claude Code's settings files lead, whatever terminals set. */
export interface ClaudeLead {
  /** The file that decides, as a person names it. */
  readonly file: string
  /** It is the user's own, which *Configure Client…* writes; else one of a project, or of an organisation. */
  readonly isOwn: boolean
  readonly to:
    /** `provider`: past the gate, to a server that it forwards to, or to the gate at an address of before. */
    | { readonly kind: 'gate' | 'provider' | 'azure' | 'malformed' }
    | { readonly kind: 'elsewhere'; readonly server: string }
}

/** Everything the report follows from. No value of a variable and no key is in it. */
export interface Surroundings {
  readonly version: string
  readonly time: string
  /** Name of the remote machine, or null on the user's own. */
  readonly host: string | null
  readonly gate: GateState
  readonly terminals: {
    readonly enabled: boolean
    readonly bypassed: boolean
    readonly wrongHost: boolean
    readonly hasKey: boolean
    readonly skipped: readonly SkippedFamily[]
  }
  readonly inject: InjectSettings
  /** Start files of the user's shell, which run in a terminal after its variables were set. */
  readonly shellFiles: readonly VariableFile[]
  /** The user's shell is one whose start files are looked at. */
  readonly readsShell: boolean
  /** `.envrc` files of the workspace: direnv sets them after the shell has started. */
  readonly directoryFiles: readonly VariableFile[]
  /** `.env` files of the workspace. */
  readonly envFiles: readonly VariableFile[]
  /** Names that begin with `AZURE_OPENAI_`, or `OPENAI_API_TYPE` where it says Azure, of VS Code's own environment. */
  readonly azureVariables: readonly string[]
  readonly programs: ReadonlySet<ProgramName>
  /** Extensions by their id in lower case. */
  readonly extensions: ReadonlySet<string>
  /** Folders and files of clients that are there. */
  readonly traces: ReadonlySet<'codex' | 'claude' | 'continue' | 'cline' | 'gemini' | 'aider'>
  /** Clients' own settings, with what would have to be done; empty before the local key exists. */
  readonly targets: readonly ClientTarget[]
  /** Where Claude Code's own files lead, in terminals and in the panel; null where they name no address. */
  readonly claude: ClaudeLead | null
  /** What the workspace sets for Claude Code's panel instead of the user's setting; null where it does not. */
  readonly workspaceClaude: Plan | null
  /** `security.auth.selectedType` of Gemini CLI; null where it says nothing. */
  readonly geminiSignIn: string | null
  /** aider's configuration files that name an address themselves. */
  readonly aiderFiles: readonly string[]
  /** What `tollgate doctor` has to say, null where it could not be run. */
  readonly checks: readonly DaemonCheck[] | null
}

/** One thing that the command line's doctor complains about. */
export interface DaemonCheck {
  readonly verdict: 'warn' | 'fail'
  readonly says: string
  readonly next: string | null
}

/** Variables that lead a family's clients, the ones that Tollgate sets first. */
export const familyVariables: Readonly<Record<ClientFamily, readonly string[]>> = {
  openai: ['OPENAI_BASE_URL', 'OPENAI_API_BASE'],
  anthropic: ['ANTHROPIC_BASE_URL', 'ANTHROPIC_API_BASE', 'ANTHROPIC_API_URL'],
  gemini: ['GOOGLE_GEMINI_BASE_URL'],
  ollama: ['OLLAMA_API_BASE', 'OLLAMA_BASE_URL', 'OLLAMA_HOST'],
}
