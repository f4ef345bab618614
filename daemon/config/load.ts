import * as v from 'valibot'
import type { Config } from '../../shared/config.ts'
import { completeConfig } from './complete.ts'
import { configProblems, fileProblems, isTimezone } from './crossChecks.ts'
import { builtInPlans, defaults } from './defaults.ts'
import { readEnvironment, withField } from './environment.ts'
import { fieldSchema, pathText } from './fieldTree.ts'
import { deepFreeze } from './overlay.ts'
import { parseText } from './parse.ts'
import { issuePath, problemText } from './problems.ts'
import { fileSchema } from './schema.ts'
import type { FileConfig } from './schema.ts'

/** Where a configuration comes from. */
export interface ConfigSources {
  /** Contents of the file; null where there is none. */
  readonly text: string | null
  readonly env: Readonly<Record<string, string | undefined>>
  /** IANA zone that holds where none is configured. */
  readonly systemTimezone: string
}

/** A complete configuration, or every reason against it. */
export type LoadedConfig =
  | { readonly ok: true; readonly config: Config; readonly warnings: readonly string[] }
  /** Each problem is a sentence that names a field or variable and says what is allowed. */
  | { readonly ok: false; readonly problems: readonly string[] }

type Shaped = { readonly ok: true; readonly file: FileConfig } | { readonly ok: false; readonly problems: string[] }

/** `variables` maps the path of a field to the environment variable that set it. */
function shape(raw: unknown, variables: ReadonlyMap<string, string>): Shaped {
  const result = v.safeParse(fileSchema, raw)
  if (result.success) return { ok: true, file: result.output }
  const root = fieldSchema(fileSchema)
  const subject = (issue: v.BaseIssue<unknown>): string | null => variables.get(pathText(issuePath(issue))) ?? null
  return { ok: false, problems: result.issues.map((issue) => problemText(root, issue, subject(issue))) }
}

/** A problem that starts with a path that a variable has set names the variable instead. */
function nameVariable(problem: string, variables: ReadonlyMap<string, string>): string {
  for (const [path, variable] of variables) {
    if (problem.startsWith(`${path} `)) return variable + problem.slice(path.length)
  }
  return problem
}

/**
 * The configuration from a file (JSON with comments) and the environment, over the embedded defaults. Nothing is repaired
 * silently: whatever cannot be understood is a problem, because a limit that is misread is a limit that does not hold (M09).
 * `null` is unlimited and `0` is none (A13).
 */
export function loadConfig(sources: ConfigSources): LoadedConfig {
  let raw: unknown = {}
  if (sources.text !== null) {
    const parsed = parseText(sources.text)
    if (!parsed.ok) return parsed
    raw = parsed.value
  }
  const environment = readEnvironment(sources.env, [{ ...defaults, plans: builtInPlans }, raw])
  const variables = new Map<string, string>()
  // A file that is wrong by itself is said before a variable is laid over it and hides that.
  const alone = shape(raw, variables)
  if (!alone.ok) return { ok: false, problems: [...alone.problems, ...environment.problems] }
  for (const { variable, path, value } of environment.overrides) {
    raw = withField(raw, path, value)
    variables.set(pathText(path), variable)
  }
  const shaped = environment.overrides.length === 0 ? alone : shape(raw, variables)
  if (!shaped.ok) return { ok: false, problems: [...shaped.problems, ...environment.problems] }
  const inFile = fileProblems(shaped.file).map((problem) => nameVariable(problem, variables))
  if (inFile.length > 0 || environment.problems.length > 0) {
    return { ok: false, problems: [...inFile, ...environment.problems] }
  }

  const warnings = [...environment.warnings]
  let timezone = sources.systemTimezone
  if (!isTimezone(timezone)) {
    if (shaped.file.timezone === undefined)
      warnings.push("The system's time zone is not known; days are counted in UTC.")
    timezone = 'UTC'
  }
  const config = completeConfig(shaped.file, timezone)
  const problems = configProblems(config).map((problem) => nameVariable(problem, variables))
  return problems.length > 0 ? { ok: false, problems } : { ok: true, config: deepFreeze(config), warnings }
}
