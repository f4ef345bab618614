import type { Localiser } from './text.ts'

/** Sentences about context windows that are too small, and about single calls; a part of `text.ts`, which has no room for them. */
export function createWindowText(l10n: Localiser) {
  return {
    // Buttons
    showHow: l10n.t('Show How'),
    raiseAlways: l10n.t('Raise num_ctx'),
    refuseInstead: l10n.t('Refuse Instead'),
    showCall: l10n.t('Show Call'),
    undo: l10n.t('Undo'),
    openFile: l10n.t('Open File'),

    // The policy in config.json
    willRaise: (plan: string) =>
      l10n.t('From now on the gate raises num_ctx where a prompt does not fit (plan {0} in config.json).', plan),
    willRefuse: (plan: string) =>
      l10n.t('From now on a prompt that does not fit is refused before the call (plan {0} in config.json).', plan),
    policyHolds: (plan: string) => l10n.t('The plan {0} in config.json says so already.', plan),
    policyUndone: l10n.t('config.json is as it was before.'),
    policyChanged: l10n.t('config.json was changed in the meantime. Nothing was written.'),
    policyMalformed: l10n.t('config.json cannot be parsed, so nothing was written. Correct it first.'),
    policyFailed: (reason: string) => l10n.t('config.json could not be written: {0}', reason),

    // How to get a larger window
    guideTitle: (model: string) => l10n.t('A larger context window for {0}', model),
    guideWhy: (sent: string, read: string, size: string) =>
      l10n.t(
        'About {0} tokens were sent and {1} were read: the rest of the prompt was dropped without an error. The window has to hold the prompt and the answer; {2} tokens are enough for this one.',
        sent,
        read,
        size,
      ),
    inRequest: l10n.t('In the request'),
    inRequestHow: l10n.t('On /api/chat and /api/generate, and in the Ollama libraries:'),
    noRequest: l10n.t(
      'The route that was called takes no num_ctx. Ollama’s own /api/chat does; else set it as follows.',
    ),
    inServer: l10n.t('For every model of the server'),
    inServerHow: l10n.t('Start Ollama with this variable:'),
    inService: l10n.t(
      'Where it runs as a service, `systemctl edit ollama.service` takes these lines; restart it then:',
    ),
    inApp: l10n.t('The Ollama app has the context length in its settings.'),
    inModel: l10n.t('For one model'),
    inModelHow: l10n.t('A Modelfile with these lines, and `ollama create` with a name of your own:'),
    byGate: l10n.t('By the gate'),
    byGateHow: (field: string) =>
      l10n.t('`{0}` in config.json raises num_ctx of a request by itself, up to `maxNumCtx`.', field),
    inMemory: l10n.t(
      'A larger window takes more memory. `ollama ps` says whether the model still fits into the graphics card.',
    ),
    otherServer: l10n.t('Where the model is loaded'),
    otherServerHow: l10n.t('Give the server a larger context when it loads the model:'),
    otherShorter: l10n.t('Where the window cannot grow, send less: fewer files, or a new conversation with a summary.'),

    // One call
    callTitle: (model: string, upstream: string) => l10n.t('A call to {0} through {1}', model, upstream),
    callIsGone: l10n.t('This call is not in the ledger any more.'),
    callTime: l10n.t('Time'),
    callTask: l10n.t('Task'),
    callProject: l10n.t('Project'),
    callClient: l10n.t('Client'),
  } as const
}
