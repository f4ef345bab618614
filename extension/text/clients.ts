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
    isPartlyGuarded: l10n.t('partly guarded'),
    usesAzure: l10n.t('uses Azure'),
    usesOther: l10n.t('uses another server'),
    hasNothing: l10n.t('nothing to change yet'),
    cannotRead: l10n.t('cannot be read'),

    // Profiles of VS Code
    pickProfile: l10n.t('The endpoints of which VS Code profile? Each of these has its own.'),
    defaultProfile: l10n.t('Default'),
    ofProfile: (name: string, profile: string) => l10n.t('{0} (VS Code profile {1})', name, profile),

    // The change
    diffTitle: (name: string) => l10n.t('{0}: now ↔ through the gate', name),
    ask: (name: string, where: string) =>
      l10n.t('Send {0} through the gate? This changes {1}; the local key of this machine is in it.', name, where),
    askClaudeFile: (where: string) =>
      l10n.t(
        'Send Claude Code through the gate? This changes {0}; the local key of this machine is in it. The file counts in terminals too: a guarded terminal loses its own ceilings for Claude Code.',
        where,
      ),
    askCodex: (where: string) =>
      l10n.t(
        'Send Codex through the gate? This changes {0}; the local key of this machine is in it. Codex has to be signed in with an API key, not with a ChatGPT plan.',
        where,
      ),
    isLink: (where: string) => l10n.t('By a link, the file is really {0}.', where),
    isReadable: l10n.t('The rights of the file let others than its owner read it.'),
    isInRepository: (where: string) => l10n.t('The file lies in the Git repository {0}: do not commit the key.', where),
    leaves: (names: string) => l10n.t('Left as they are, because they use servers of their own: {0}.', names),
    apply: l10n.t('Apply'),
    undo: l10n.t('Undo'),
    applied: (name: string) => l10n.t('{0} is set up for the gate. Restart it, so that it reads its settings.', name),
    changedMeanwhile: (where: string) =>
      l10n.t('{0} was changed in the meantime. Nothing was written; try again.', where),
    failed: (where: string, reason: string) => l10n.t('{0} could not be written: {1}', where, reason),

    // Nothing is changed
    readOnly: (where: string) =>
      l10n.t('{0} is read-only. Nothing was written; allow writing to it and try again.', where),
    hardLink: (where: string) =>
      l10n.t(
        '{0} has a second name (a hard link), and a change would part the two. Nothing was written; remove the other name, or change the file by hand.',
        where,
      ),
    alreadyPartly: (name: string, others: string) =>
      l10n.t('{0} goes through the gate already, except for these: {1}.', name, others),
    already: (name: string) => l10n.t('{0} goes through the gate already.', name),
    azure: (name: string) =>
      l10n.t(
        '{0} uses Azure, which Tollgate leaves alone. To guard it, add your resource to the upstreams of the gate and use the address of Copy Base URL.',
        name,
      ),
    elsewhere: (name: string, server: string) =>
      server === ''
        ? l10n.t(
            '{0} uses another server. To guard it, give it an address of Copy Base URL; a server that is not listed there has to be added to the upstreams of the gate first.',
            name,
          )
        : l10n.t(
            '{0} uses {1}. To guard it, give it an address of Copy Base URL; a server that is not listed there has to be added to the upstreams of the gate first.',
            name,
            server,
          ),
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
    restored: (where: string) => l10n.t('{0} is as it was before.', where),
    restoredLast: (where: string) => l10n.t('{0} is as it was before Tollgate’s last change to it.', where),
    takenOut: (where: string) => l10n.t('Tollgate’s part is out of {0}. Everything else is as it was.', where),
    removedAgain: (where: string) => l10n.t('{0} was not there before Tollgate wrote it, and is removed.', where),
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

/** What *Configure Client* and its undo say. */
export type ClientText = ReturnType<typeof createClientText>
