import type { Localiser } from './text.ts'

/** Sentences of *Configure Client* and its undo; a part of `text.ts`, which has no room for them. */
export function createClientText(l10n: Localiser) {
  return {
    names: {
      codex: l10n.t('Codex'),
      claude: l10n.t('Claude Code panel'),
      copilot: l10n.t('Copilot custom endpoints'),
      continue: l10n.t('Continue'),
      cline: l10n.t('Cline'),
    },
    pick: l10n.t('Send which client through the gate? The change is shown before anything is written.'),
    canChange: l10n.t('not guarded'),
    isGuarded: l10n.t('guarded'),
    usesAzure: l10n.t('uses Azure'),
    usesOther: l10n.t('uses another server'),
    hasNothing: l10n.t('nothing to change yet'),
    cannotRead: l10n.t('cannot be read'),

    // The change
    diffTitle: (name: string) => l10n.t('{0}: now ↔ through the gate', name),
    ask: (name: string, where: string) =>
      l10n.t('Send {0} through the gate? This changes {1}; the local key of this machine is in it.', name, where),
    askClaudeFile: (where: string) =>
      l10n.t(
        'Send Claude Code through the gate? This changes {0}, which counts in terminals too: a guarded terminal loses its own ceilings for Claude Code.',
        where,
      ),
    askCodex: (where: string) =>
      l10n.t(
        'Send Codex through the gate? This changes {0}. Codex has to be signed in with an API key, not with a ChatGPT plan.',
        where,
      ),
    leaves: (names: string) => l10n.t('Left as they are, because they use servers of their own: {0}.', names),
    apply: l10n.t('Apply'),
    undo: l10n.t('Undo'),
    applied: (name: string) => l10n.t('{0} is set up for the gate. Restart it, so that it reads its settings.', name),
    changedMeanwhile: (where: string) =>
      l10n.t('{0} was changed in the meantime. Nothing was written; try again.', where),
    failed: (where: string, reason: string) => l10n.t('{0} could not be written: {1}', where, reason),

    // Nothing is changed
    already: (name: string) => l10n.t('{0} goes through the gate already.', name),
    azure: (name: string) =>
      l10n.t(
        '{0} uses Azure, which Tollgate leaves alone. To guard it, add your resource to the upstreams of the gate.',
        name,
      ),
    elsewhere: (name: string, server: string) =>
      server === ''
        ? l10n.t('{0} uses another server. To guard it, add that server to the upstreams of the gate.', name)
        : l10n.t('{0} uses {1}. To guard it, add that server to the upstreams of the gate.', name, server),
    malformed: (where: string) =>
      l10n.t('{0} cannot be parsed, or is written in a way that Tollgate does not change. Nothing was written.', where),
    nothingCopilot: l10n.t(
      'Copilot has no custom endpoint yet. Add one with Chat: Manage Language Models, then run this again. Copilot’s own models cannot be guarded.',
    ),
    nothingElsewhere: l10n.t(
      'The list of Copilot’s own endpoints lies on the machine that shows this window. Configure it in a local window; its address has to lead to this machine.',
    ),
    nothing: (name: string) =>
      l10n.t('{0} has no provider set up that the gate forwards to. Set one up there, then run this again.', name),
    openFile: l10n.t('Open File'),
    copyUrl: l10n.t('Copy Base URL'),

    // Undo
    pickUndo: l10n.t('Restore the settings of which client?'),
    noUndo: l10n.t('Tollgate has not written into the settings of a client.'),
    restored: (name: string) => l10n.t('The settings of {0} are as they were before.', name),
    undoTitle: (name: string) => l10n.t('{0}: now ↔ without the gate', name),
    askUndo: (where: string) =>
      l10n.t('{0} was changed since Tollgate wrote into it. Take only Tollgate’s part out of it?', where),
    restore: l10n.t('Restore'),
    cannotUndo: (where: string) =>
      l10n.t(
        'In {0}, what Tollgate wrote is not there any more as it was. Nothing was changed; look for “tollgate” in it.',
        where,
      ),
  } as const
}
