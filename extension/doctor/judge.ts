import { claudeSetting } from '../clients/target.ts'
import type { ClientTarget } from '../clients/target.ts'
import type { ClientFamily } from '../env/injection.ts'
import type { Text } from '../text/text.ts'
import { usesBuiltIn } from './codexFile.ts'
import type { Finding, Verdict } from './finding.ts'
import { familyVariables } from './surroundings.ts'
import type { Surroundings } from './surroundings.ts'
import { firstOf, judgeFamily, terminalsUnguarded } from './terminalVerdict.ts'
import type { Judgement } from './terminalVerdict.ts'

/** Every client with its verdict, in the order of the report. */
export function judge(around: Surroundings, text: Text): readonly Finding[] {
  const { doctor } = text
  const { extensions, programs, traces } = around
  const found = (client: string, isHere: boolean, how: () => Judgement): Finding =>
    isHere ? { client, ...how() } : { client, verdict: 'notInstalled', why: '', fix: null }
  return [
    found(doctor.codex, programs.has('codex') || traces.has('codex') || extensions.has('openai.chatgpt'), () =>
      codex(around, text),
    ),
    found(doctor.claudeCli, programs.has('claude') || traces.has('claude'), () => claudeCli(around, text)),
    found(doctor.claudePanel, extensions.has('anthropic.claude-code'), () => claudePanel(around, text)),
    ...copilot(around, text),
    found(doctor.continue, extensions.has('continue.continue') || traces.has('continue'), () =>
      judgeTarget('continue', around, text),
    ),
    found(doctor.cline, extensions.has('saoudrizwan.claude-dev') || traces.has('cline'), () =>
      judgeTarget('cline', around, text),
    ),
    found(doctor.aider, programs.has('aider') || traces.has('aider'), () => aider(around, text)),
    found(doctor.gemini, programs.has('gemini') || traces.has('gemini'), () => gemini(around, text)),
    { client: doctor.openaiSdk, ...judgeFamily('openai', around, text) },
    { client: doctor.anthropicSdk, ...judgeFamily('anthropic', around, text) },
    found(doctor.ollama, programs.has('ollama') || shadows(around, 'ollama'), () => ollama(around, text)),
    ...azure(around, text),
  ]
}

/** A client with settings of its own: what there is to do says how it stands. */
function judgeTarget(client: ClientTarget['client'], around: Surroundings, text: Text): Judgement {
  const { doctor, clients } = text
  const target = around.targets.find((one) => one.client === client)
  const name = clients.names[client]
  if (target === undefined) return { verdict: 'notGuarded', why: doctor.whyNoKey, fix: doctor.fixNoKey }
  const { plan } = target
  const file = target.target ?? ''
  const as = (verdict: Verdict, why: string, fix: string | null): Judgement => ({ verdict, why, fix })
  switch (plan.kind) {
    case 'already':
      return plan.left.length === 0
        ? as('guarded', doctor.whyConfigured, null)
        : as('partlyGuarded', doctor.whyPartly(listOf(plan.left)), doctor.fixUpstream)
    case 'edit': {
      const left = plan.left.length === 0 ? '' : ` ${clients.leaves(listOf(plan.left))}`
      return as('notGuarded', doctor.whyNotConfigured, doctor.fixConfigure(name) + left)
    }
    case 'nothing':
      return as('notGuarded', doctor.whyNothing, doctor.fixNothing(name))
    case 'azure':
      return as('leftAlone', doctor.whyClientAzure, doctor.fixAzure)
    case 'elsewhere':
      return as('leftAlone', doctor.whyClientElsewhere(plan.server), doctor.fixUpstream)
    case 'malformed':
      return as('unreadable', doctor.whyMalformed(file), doctor.fixMalformed(addressNames[client]))
  }
}

/** What holds the address in a client's settings, for someone who sets it by hand. */
const addressNames: Readonly<Record<ClientTarget['client'], string>> = {
  codex: 'base_url',
  claude: familyVariables.anthropic[0] ?? '',
  copilot: 'url',
  continue: 'apiBase',
  cline: 'baseUrl',
}

/** Names out of a file, on one line. */
function listOf(names: readonly string[]): string {
  return names.join(', ').replace(/\s+/g, ' ')
}

/** Its built-in provider may open a WebSocket to OpenAI, whatever its address is. */
function codex(around: Surroundings, text: Text): Judgement {
  const { doctor, clients } = text
  const judged = judgeTarget('codex', around, text)
  const file = around.targets.find(({ client }) => client === 'codex')
  if (judged.verdict !== 'guarded' || !usesBuiltIn(file?.text ?? '')) return judged
  return { verdict: 'partlyGuarded', why: doctor.whyCodexBuiltIn, fix: doctor.fixCodexBuiltIn(clients.names.codex) }
}

/** Its files win over the terminal's variables, wherever they lead. */
function claudeCli(around: Surroundings, text: Text): Judgement {
  return claudeByFiles(around, text) ?? judgeFamily('anthropic', around, text)
}

/** The files win over the panel's setting, too, and the workspace's setting over the user's. */
function claudePanel(around: Surroundings, text: Text): Judgement {
  const { doctor } = text
  const byFiles = claudeByFiles(around, text)
  if (byFiles !== undefined) return byFiles
  switch (around.workspaceClaude?.kind) {
    case undefined:
      return judgeTarget('claude', around, text)
    case 'already':
      return { verdict: 'guarded', why: doctor.whyConfigured, fix: null }
    default:
      return { verdict: 'overridden', why: doctor.whyWorkspace(claudeSetting), fix: doctor.fixWorkspace }
  }
}

/** Undefined where Claude Code's files leave it to the terminal and to the panel's setting. */
function claudeByFiles({ claude }: Surroundings, { doctor, clients }: Text): Judgement | undefined {
  if (claude === null) return undefined
  const { file, isOwn, to } = claude
  const overridden = (server: string, fix: string): Judgement => ({
    verdict: 'overridden',
    why: doctor.whyClaudeElsewhere(file, server),
    fix: isOwn ? fix : doctor.fixTakeOut(file),
  })
  switch (to.kind) {
    case 'gate':
      return { verdict: 'guarded', why: doctor.whyClaudeFile(file), fix: null }
    case 'azure':
      return isOwn
        ? { verdict: 'leftAlone', why: doctor.whyClientAzure, fix: doctor.fixAzure }
        : overridden('Azure', doctor.fixAzure)
    case 'elsewhere':
      return overridden(to.server, doctor.fixUpstream)
    case 'provider':
      return overridden('', doctor.fixConfigure(clients.names.claude))
    case 'malformed':
      return {
        verdict: 'unreadable',
        why: doctor.whyMalformed(file),
        fix: doctor.fixMalformed(addressNames.claude),
      }
  }
}

/** Copilot's own models and the endpoints of the user's own are two things. */
function copilot(around: Surroundings, text: Text): readonly Finding[] {
  const { doctor } = text
  const isHere = around.extensions.has('github.copilot-chat') || around.extensions.has('github.copilot')
  const target = around.targets.find(({ client }) => client === 'copilot')
  const hasEndpoints = target !== undefined && target.target !== null && target.plan.kind !== 'nothing'
  const own: Finding = isHere
    ? {
        client: doctor.copilot,
        verdict: 'notCoverable',
        why: doctor.whyCopilot,
        fix: target?.target === null ? text.clients.nothingElsewhere : doctor.fixCopilot,
      }
    : { client: doctor.copilot, verdict: 'notInstalled', why: '', fix: null }
  if (!hasEndpoints) return [own]
  const client =
    target.profile === undefined || target.profile === ''
      ? doctor.copilotEndpoints
      : text.clients.ofProfile(doctor.copilotEndpoints, target.profile)
  return [own, { client, ...judgeTarget('copilot', around, text) }]
}

/** It loads `.env` files with their values winning, and its configuration wins over variables. */
function aider(around: Surroundings, text: Text): Judgement {
  const { doctor } = text
  const [file] = around.aiderFiles
  if (file !== undefined) {
    return { verdict: 'overridden', why: doctor.whyAiderFile(file), fix: doctor.fixLate(file) }
  }
  const names = [...familyVariables.openai, ...familyVariables.anthropic, ...familyVariables.ollama]
  const shadow = firstOf(around.envFiles, names)
  if (shadow !== undefined) {
    const { file: name, line, variable } = shadow
    return {
      verdict: 'shadowed',
      why: doctor.whyAiderEnv(name, line, variable),
      fix: doctor.fixShadowed(name, variable),
    }
  }
  const judged = (['openai', 'anthropic', 'ollama'] as const).map((family) => judgeFamily(family, around, text))
  return judged.find(({ verdict }) => verdict !== 'guarded') ?? { verdict: 'guarded', why: doctor.whyAider, fix: null }
}

function gemini(around: Surroundings, text: Text): Judgement {
  const { doctor } = text
  if (around.geminiSignIn !== null && /^(oauth|login|cloud-shell|compute)/.test(around.geminiSignIn)) {
    return { verdict: 'notCoverable', why: doctor.whyGeminiSignIn, fix: doctor.fixGeminiSignIn }
  }
  const judged = judgeFamily('gemini', around, text)
  return judged.verdict === 'guarded' ? { ...judged, fix: doctor.fixGeminiKey } : judged
}

function ollama(around: Surroundings, text: Text): Judgement {
  const { doctor } = text
  const judged = judgeFamily('ollama', around, text)
  if (judged.verdict !== 'guarded') return judged
  return around.inject.ollamaHost
    ? { verdict: 'guarded', why: doctor.whyOllamaHost, fix: doctor.fixOllamaJs }
    : { verdict: 'guarded', why: doctor.whyOllama, fix: doctor.fixOllama }
}

function shadows(around: Surroundings, family: ClientFamily): boolean {
  return firstOf([...around.envFiles, ...around.shellFiles], familyVariables[family]) !== undefined
}

/** Only where Azure is used. */
function azure(around: Surroundings, text: Text): readonly Finding[] {
  const { doctor } = text
  const [variable] = around.azureVariables
  if (variable !== undefined) {
    return [{ client: doctor.azure, verdict: 'leftAlone', why: doctor.whyAzure(variable), fix: doctor.fixAzure }]
  }
  for (const { name, variables } of [...around.envFiles, ...around.shellFiles, ...around.directoryFiles]) {
    const found = variables.find((one) => one.name.startsWith('AZURE_OPENAI_') && one.leads !== 'unset')
    if (found === undefined) continue
    const isInjected =
      terminalsUnguarded(around, text) === undefined &&
      around.inject.openai &&
      !around.terminals.skipped.some(({ family }) => family === 'openai')
    return [
      isInjected
        ? {
            client: doctor.azure,
            verdict: 'notGuarded',
            why: doctor.whyAzureFile(name, found.line, found.name),
            fix: doctor.fixAzureFile,
          }
        : {
            client: doctor.azure,
            verdict: 'leftAlone',
            why: doctor.whyAzureFileOnly(name, found.line, found.name),
            fix: doctor.fixAzure,
          },
    ]
  }
  return []
}
