import type { Localiser } from './text.ts'

/** Sentences about guarded terminals and base URLs; a part of `text.ts`, which has no room for them. */
export function createTerminalText(l10n: Localiser) {
  return {
    // Name of a guarded terminal
    guarded: l10n.t('guarded'),
    guardedOk: l10n.t('ok'),
    guardedWarn: l10n.t('warn'),
    guardedConstrained: l10n.t('constrained'),
    guardedHalted: l10n.t('halted'),
    guardedChanged: (task: string, state: string) => l10n.t('Guarded terminal {0}: {1}', task, state),

    // Its task
    terminalTask: (id: string) => l10n.t('The guarded terminal {0}', id),
    terminalTaskOf: (id: string, client: string) => l10n.t('The guarded terminal {0} ({1})', id, client),
    showTerminal: l10n.t('Show Terminal'),
    terminalGone: l10n.t('That terminal is closed.'),

    // Asking for its ceilings
    newTerminalStep: (step: number, steps: number) => l10n.t('New Guarded Terminal ({0}/{1})', step, steps),
    askEur: (currency: string) => l10n.t('Most {0} that may be spent in it. Empty: the ceiling of the plan.', currency),
    askIterations: l10n.t('Most model calls that may be made in it. Empty: the ceiling of the plan.'),
    askMinutes: l10n.t('Most minutes from its first call to its last. Empty: the ceiling of the plan.'),
    exampleEur: (currency: string) => l10n.t('{0}, such as 2 or 0.50', currency),
    exampleIterations: l10n.t('calls, such as 40'),
    exampleMinutes: l10n.t('minutes, such as 30'),
    noEur: l10n.t('Enter an amount such as 2 or 0.50, or leave it empty.'),
    noIterations: l10n.t('Enter a whole number from 1, or leave it empty.'),
    noMinutes: l10n.t('Enter a number above 0, or leave it empty.'),
    pickFolder: l10n.t('Open the guarded terminal in which folder? Its calls count for that project.'),

    // Its first lines
    terminalOf: (task: string, limits: string) =>
      l10n.t('Everything in this terminal is task {0}: at most {1}.', task, limits),
    terminalOfPlan: (task: string) =>
      l10n.t('Everything in this terminal is task {0}, with the ceilings of the plan.', task),

    // Why there is none
    terminalWhileDown: l10n.t('The gate is not running, so it cannot guard a terminal. Start it and try again.'),
    nothingToGuard: l10n.t('No model client would be guarded: the settings tollgate.inject.… are all off.'),
    nothingToGuardSkipped: (why: string) => l10n.t('No model client would be guarded. {0}', why),
    terminalRefused: (reason: string) => l10n.t('The guarded terminal was not opened: {0}', reason),
    start: l10n.t('Start'),

    // Base URLs
    pickProject: l10n.t('Shall its calls count for a project?'),
    forProject: (project: string) => l10n.t('Project {0}', project),
    withoutProject: l10n.t('No project'),
    copiedUrlOf: (upstream: string, project: string) =>
      l10n.t('Base URL for {0} and project {1} copied. It contains the local key of this machine.', upstream, project),
  } as const
}
