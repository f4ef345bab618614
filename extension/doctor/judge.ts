import type { ClientTarget } from '../clients/target.ts'
import type { ClientFamily } from '../env/injection.ts'
import type { Text } from '../text/text.ts'
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
      judgeTarget('codex', around, text),
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
      return as('guarded', doctor.whyConfigured, null)
    case 'edit':
      return as('notGuarded', doctor.whyNotConfigured, doctor.fixConfigure(name))
    case 'nothing':
      return as('notGuarded', doctor.whyNothing, doctor.fixNothing(name))
    case 'azure':
      return as('leftAlone', doctor.whyClientAzure, doctor.fixAzure)
    case 'elsewhere':
      return as('leftAlone', doctor.whyClientElsewhere(plan.server), doctor.fixUpstream)
    case 'malformed':
      return as('unreadable', doctor.whyMalformed(file), doctor.fixMalformed)
  }
}

/** Its file wins over the terminal's variables, wherever it leads. */
function claudeCli(around: Surroundings, text: Text): Judgement {
  const { doctor } = text
  const { claudeFile } = around
  switch (claudeFile?.plan.kind) {
    case 'already':
      return { verdict: 'guarded', why: doctor.whyClaudeFile, fix: null }
    case 'azure':
      return { verdict: 'leftAlone', why: doctor.whyClientAzure, fix: doctor.fixAzure }
    case 'elsewhere': {
      const { server } = claudeFile.plan
      return {
        verdict: 'overridden',
        why: doctor.whyClaudeElsewhere(claudeFile.target ?? '', server),
        fix: doctor.fixUpstream,
      }
    }
    case 'malformed':
      return { verdict: 'unreadable', why: doctor.whyMalformed(claudeFile.target ?? ''), fix: doctor.fixMalformed }
    case 'edit':
      // An address that the file holds and the gate forwards to is still not the gate.
      if (claudeFile.plan.steps.some(({ removed }) => removed.trim() !== '')) {
        return {
          verdict: 'overridden',
          why: doctor.whyClaudeElsewhere(claudeFile.target ?? '', ''),
          fix: doctor.fixConfigure(text.clients.names.claude),
        }
      }
      break
    case 'nothing':
    case undefined:
      break
  }
  return judgeFamily('anthropic', around, text)
}

function claudePanel(around: Surroundings, text: Text): Judgement {
  if (around.claudeFile?.plan.kind === 'already') {
    return { verdict: 'guarded', why: text.doctor.whyClaudeFile, fix: null }
  }
  return judgeTarget('claude', around, text)
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
  return hasEndpoints ? [own, { client: doctor.copilotEndpoints, ...judgeTarget('copilot', around, text) }] : [own]
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
    const found = variables.find((one) => one.name.startsWith('AZURE_OPENAI_'))
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
