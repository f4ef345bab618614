import type { Verdict } from '../doctor/finding.ts'
import type { Localiser } from './text.ts'

/** Sentences of the doctor's report; a part of `text.ts`, which has no room for them. */
export function createDoctorText(l10n: Localiser) {
  return {
    title: l10n.t('Tollgate Doctor'),
    looking: l10n.t('Looking for model clients'),
    head: (time: string, where: string, version: string) => l10n.t('{0}, {1}, Tollgate {2}.', time, where, version),
    sum: (counts: string) => l10n.t('Clients: {0}. Values of variables and keys are not shown here.', counts),
    notFound: l10n.t('Not found here'),
    verdicts: {
      guarded: l10n.t('guarded'),
      partlyGuarded: l10n.t('partly guarded'),
      notGuarded: l10n.t('not guarded'),
      overridden: l10n.t('overridden'),
      shadowed: l10n.t('shadowed by a file'),
      leftAlone: l10n.t('left alone'),
      notCoverable: l10n.t('cannot be guarded'),
      unreadable: l10n.t('cannot be read'),
      notInstalled: l10n.t('not found'),
    } satisfies Record<Verdict, string>,

    // Clients
    codex: l10n.t('Codex'),
    claudeCli: l10n.t('Claude Code in terminals'),
    claudePanel: l10n.t('Claude Code panel'),
    copilot: l10n.t('Copilot’s own models'),
    copilotEndpoints: l10n.t('Copilot’s custom endpoints'),
    continue: l10n.t('Continue'),
    cline: l10n.t('Cline'),
    aider: l10n.t('aider'),
    gemini: l10n.t('Gemini CLI'),
    openaiSdk: l10n.t('OpenAI clients in terminals'),
    anthropicSdk: l10n.t('Anthropic clients in terminals'),
    ollama: l10n.t('Ollama clients in terminals'),
    azure: l10n.t('Azure OpenAI'),

    // The gate
    gateUp: l10n.t('The gate: running'),
    gateDown: l10n.t('The gate: down'),
    gateStarting: l10n.t('The gate: starting'),
    gateOff: l10n.t('The gate: switched off'),
    answers: (version: string, origin: string) => l10n.t('Version {0} answers at {1}.', version, origin),
    answersAs: (version: string, origin: string, pid: number) =>
      l10n.t('Version {0} answers at {1}, process {2}.', version, origin, String(pid)),
    fixVersion: (version: string) =>
      l10n.t('This window brings version {0}. Run *Tollgate: Restart the Gate* to use it.', version),
    killed: l10n.t('All model calls are stopped.'),
    fixKilled: l10n.t('Run *Tollgate: Resume Model Calls*.'),
    ledgerAway: l10n.t('The ledger cannot be used, so every call is refused.'),
    fixLedger: l10n.t('Run `tollgate doctor --ledger` in a terminal: it says why and repairs it.'),
    whyDown: l10n.t('Guarded model calls get no connection.'),
    fixDown: l10n.t('Run *Tollgate: Restart the Gate*; *Tollgate: Show Log* says why it ended.'),
    fixStarting: l10n.t('Run the doctor again when it is up.'),
    keyKnown: l10n.t('The local key is known.'),
    terminalsGuarded: l10n.t('New terminals are guarded.'),
    startFilesUnread: l10n.t(
      'What the shell’s own start files set is not looked at here: only those of bash, zsh and fish are, not PowerShell’s.',
    ),
    checksGood: l10n.t('Ledger, files and configuration are in order.'),
    checksBad: l10n.t('`tollgate doctor` has found:'),
    failed: l10n.t('Failed'),
    warned: l10n.t('Warning'),

    // Terminals
    whyOff: l10n.t('Tollgate is switched off; terminals opened now are not guarded.'),
    fixOn: l10n.t('Set `tollgate.enabled`.'),
    whyWrongHost: l10n.t('The extension runs on your own machine, the terminals do not.'),
    fixWrongHost: l10n.t('Install Tollgate in the remote window too, and take it out of `remote.extensionKind`.'),
    whyNoKey: l10n.t('There is no local key yet; the first start of the gate makes it.'),
    fixNoKey: l10n.t('Run *Tollgate: Restart the Gate*, then the doctor again.'),
    whyBypassed: l10n.t('New terminals of this workspace bypass the gate.'),
    fixBypassed: l10n.t('Run *Tollgate: Guard New Terminals* and open new terminals.'),
    whyNotInjected: (setting: string) => l10n.t('The setting `{0}` is off, so terminals do not lead here.', setting),
    fixInject: (setting: string) => l10n.t('Set `{0}` and open new terminals.', setting),
    whyGuarded: (variable: string) => l10n.t('New terminals set {0}, and nothing found here changes it.', variable),
    whyElsewhere: (variable: string) =>
      l10n.t('The shell that started VS Code has {0} set to another server, so terminals keep that.', variable),
    fixElsewhere: (variable: string) =>
      l10n.t(
        'Take {0} out of the shell and restart VS Code, or let the start file of the shell set it to the address of *Tollgate: Copy Base URL…*.',
        variable,
      ),
    whyLate: (file: string, line: number, variable: string) =>
      l10n.t('{0}, line {1}, sets {2} after a terminal has started, so it wins.', file, String(line), variable),
    whyUnset: (file: string, line: number, variable: string) =>
      l10n.t('{0}, line {1}, takes {2} away after a terminal has started.', file, String(line), variable),
    fixLate: (file: string) =>
      l10n.t('Take the line out of {0}, or set the address of *Tollgate: Copy Base URL…* there.', file),
    whyShadowed: (file: string, line: number, variable: string) =>
      l10n.t(
        '{0}, line {1}, sets {2}: programs that let the file win, and those outside terminals, go past the gate; the others go through it and not where the file says.',
        file,
        String(line),
        variable,
      ),
    fixShadowed: (file: string, variable: string) =>
      l10n.t('Take {0} out of {1}, or give it the address of *Tollgate: Copy Base URL…*.', variable, file),

    // Clients with settings of their own
    whyConfigured: l10n.t('Its settings lead to the gate.'),
    whyPartly: (names: string) => l10n.t('Its settings lead to the gate, except for these: {0}.', names),
    whyCodexBuiltIn: l10n.t(
      'Its `openai_base_url` leads to the gate, but some versions of Codex open a WebSocket to OpenAI all the same.',
    ),
    fixCodexBuiltIn: (name: string) =>
      l10n.t(
        'Take that line out, then run *Tollgate: Configure Client…* and choose {0}: it adds a provider without WebSockets.',
        name,
      ),
    whyNotConfigured: l10n.t('Its settings do not lead to the gate, and it reads no variable of the terminal.'),
    fixConfigure: (name: string) => l10n.t('Run *Tollgate: Configure Client…* and choose {0}.', name),
    whyNothing: l10n.t('It has no provider that *Tollgate: Configure Client…* can send through the gate.'),
    fixNothing: (name: string) =>
      l10n.t(
        'Set up a provider there, then run *Tollgate: Configure Client…* and choose {0}; or give yours the address of *Tollgate: Copy Base URL…* by hand.',
        name,
      ),
    whyClientAzure: l10n.t('It uses Azure, which Tollgate leaves alone.'),
    whyClientElsewhere: (server: string) =>
      server === '' ? l10n.t('It uses a server of its own.') : l10n.t('It uses {0}.', server),
    fixUpstream: l10n.t(
      'Where an address can be set, use that of *Tollgate: Copy Base URL…*; a server that is not listed there has to be added to the upstreams of the gate first.',
    ),
    whyMalformed: (file: string) =>
      l10n.t(
        '{0} cannot be parsed, or is written in a way that Tollgate does not read, so it is not known where it leads.',
        file,
      ),
    fixMalformed: (name: string) =>
      l10n.t(
        'Correct it where it is broken. Where it is not, set `{0}` to the address of *Tollgate: Copy Base URL…* there by hand.',
        name,
      ),
    whyClaudeFile: (file: string) =>
      l10n.t('{0} leads to the gate, without the project and the ceilings of a terminal.', file),
    whyClaudeElsewhere: (file: string, server: string) =>
      server === ''
        ? l10n.t('{0} sets another address, and wins over terminals and over the panel’s setting.', file)
        : l10n.t('{0} leads to {1}, and wins over terminals and over the panel’s setting.', file, server),
    whyWorkspace: (setting: string) => l10n.t('The workspace sets `{0}`, which wins over yours.', setting),
    fixWorkspace: l10n.t('Take it out of the settings of the workspace.'),
    fixTakeOut: (file: string) => l10n.t('Take that out of {0}.', file),
    whyCopilot: l10n.t('They are called by GitHub’s own servers; no address can be set for them.'),
    fixCopilot: l10n.t('Custom endpoints can be guarded: add one with *Chat: Manage Language Models*.'),
    whyAider: l10n.t('New terminals set its variables, and nothing found here changes them.'),
    whyAiderFile: (file: string) => l10n.t('{0} names an address, which wins over the terminal.', file),
    whyAiderEnv: (file: string, line: number, variable: string) =>
      l10n.t('{0}, line {1}, sets {2}, and aider lets that file win.', file, String(line), variable),
    whyGeminiSignIn: l10n.t(
      'It is signed in with a Google account, whose calls go to a server that cannot be replaced.',
    ),
    fixGeminiSignIn: l10n.t('Choose an API key in its `/auth`, and set `tollgate.inject.gemini`.'),
    fixGeminiKey: l10n.t('It needs an API key as its sign-in: choose that once in its `/auth`.'),
    whyOllama: l10n.t(
      'LiteLLM and aider go through the gate. The Ollama command line and the Python client read OLLAMA_HOST, which is not set.',
    ),
    fixOllama: l10n.t(
      'Set `tollgate.inject.ollamaHost` for these. The JavaScript client reads no variable: give it `host: process.env.OLLAMA_BASE_URL`.',
    ),
    whyOllamaHost: l10n.t('New terminals set OLLAMA_HOST and OLLAMA_API_BASE.'),
    fixOllamaJs: l10n.t('The JavaScript client reads no variable: give it `host: process.env.OLLAMA_BASE_URL`.'),

    // Azure
    whyAzure: (variable: string) =>
      l10n.t('{0} is set, so OpenAI clients in terminals are left alone: they may be Azure clients.', variable),
    fixAzure: l10n.t(
      'To guard it, add the v1 address of your resource to the upstreams of the gate, and use the address of *Tollgate: Copy Base URL…*.',
    ),
    whyAzureFile: (file: string, line: number, variable: string) =>
      l10n.t(
        '{0}, line {1}, sets {2}, while terminals set OPENAI_BASE_URL: an Azure client refuses to start, or its calls are refused.',
        file,
        String(line),
        variable,
      ),
    fixAzureFile: l10n.t(
      'Run *Tollgate: Bypass the Gate in New Terminals* here, or add the v1 address of your resource to the upstreams of the gate and use the address of *Tollgate: Copy Base URL…*.',
    ),
    whyAzureFileOnly: (file: string, line: number, variable: string) =>
      l10n.t('{0}, line {1}, sets {2}; Tollgate leaves Azure alone.', file, String(line), variable),
  } as const
}
