/** What each command is for and takes. `docs/cli.md` is tested against this. */
export const commandHelp = {
  serve: {
    does: 'Run the gate until it is told to stop.',
    usage: 'tollgate serve [--port 4141] [--data-dir DIR] [--config FILE] [--no-key] [--hints]',
    options: [
      '--port N        Port on the loopback interface; 0 picks a free one. Default 4141.',
      '--data-dir DIR  Ledger, key and configuration. Default: the place of your system for user data.',
      '--config FILE   Configuration. Default: config.json in the data directory.',
      '--no-key        Do not ask for the local key in the address.',
      '--hints         Say on stderr how to point a client at the gate.',
    ],
  },
  status: {
    does: 'Show spend, caps and calls in flight.',
    usage: 'tollgate status [--json] [--data-dir DIR]',
    options: ['--json          The answer of /api/status as it is.', '--data-dir DIR  Data directory of the daemon.'],
  },
  watch: {
    does: 'Show a live line with spend and running calls; Ctrl+C ends it.',
    usage: 'tollgate watch [--data-dir DIR]',
    options: ['--data-dir DIR  Data directory of the daemon.'],
  },
  run: {
    does: 'Run a command as one task with its own ceilings.',
    usage:
      'tollgate run [--eur N] [--iterations N] [--minutes N] [--project NAME] [--task ID] [--data-dir DIR] -- COMMAND [ARG...]',
    options: [
      '--eur N         Most euros that the task may cost.',
      '--iterations N  Most calls that it may make.',
      '--minutes N     Longest time that it may take.',
      '--project NAME  Project that the calls count for. Default: that of the current shell.',
      '--task ID       Id of the task. Default: a new one.',
      '--data-dir DIR  Data directory of the daemon.',
    ],
  },
  kill: {
    does: 'Stop all calls, those in flight too, and refuse new ones.',
    usage: 'tollgate kill [--scope global|tenant|key|task] [--ref NAME] [--data-dir DIR]',
    options: [
      '--scope SCOPE   What to stop. Default global.',
      '--ref NAME      Which tenant, key or task.',
      '--data-dir DIR  Data directory of the daemon.',
    ],
  },
  resume: {
    does: 'Allow calls again after a kill.',
    usage: 'tollgate resume [--scope global|tenant|key|task] [--ref NAME] [--data-dir DIR]',
    options: [
      '--scope SCOPE   What to allow. Default global.',
      '--ref NAME      Which tenant, key or task.',
      '--data-dir DIR  Data directory of the daemon.',
    ],
  },
  grant: {
    does: 'Give a task, or a window of a budget, more room without changing its limit.',
    usage:
      'tollgate grant TASK | --scope user|tenant|project|model|task --ref NAME [--eur N] [--tokens N] [--iterations N] [--minutes N] [--until WHEN] [--window day|month] [--data-dir DIR]',
    options: [
      '--scope SCOPE   What gets the room. Default task.',
      '--ref NAME      Which user, tenant, project, model pattern or task.',
      '--eur N         Euros.',
      '--tokens N      Tokens; not for a task.',
      '--iterations N  Calls; for a task.',
      '--minutes N     Time; for a task.',
      '--until WHEN    midnight or an ISO time. Default: as long as the window lasts or the task lives.',
      '--window NAME   day or month of a tenant. Default: the one that is capped.',
      '--data-dir DIR  Data directory of the daemon.',
    ],
  },
  calibrate: {
    does: 'Propose task ceilings from the history of each client and project.',
    usage: 'tollgate calibrate [--days N] [--plan NAME] [--apply] [--config FILE] [--json] [--data-dir DIR]',
    options: [
      '--days N        Days of history, 1 to 365. Default 30.',
      '--plan NAME     Only this plan. Default: all.',
      '--apply         Write the configuration instead of only showing what would change.',
      '--config FILE   Configuration. Default: config.json in the data directory.',
      '--json          The answer of /api/calibration as it is.',
      '--data-dir DIR  Data directory of the daemon.',
    ],
  },
  env: {
    does: 'Print the variables that send the clients of a shell through the gate.',
    usage: 'tollgate env [--shell sh|fish|powershell|cmd] [--project NAME] [--task NAME] [--data-dir DIR]',
    options: [
      '--shell SHELL   Syntax of the lines. Default: that of the current shell.',
      '--project NAME  Project that the calls count for.',
      '--task NAME     Makes the shell one task with its own ceilings.',
      '--data-dir DIR  Data directory of the daemon.',
    ],
  },
  help: {
    does: 'Explain a command.',
    usage: 'tollgate help [COMMAND]',
    options: [],
  },
} as const satisfies Record<string, { does: string; usage: string; options: readonly string[] }>

/** A command of the program. */
export type CommandName = keyof typeof commandHelp

/** Text of `help`, for one command or all of them. */
export function helpText(about: CommandName | null): string {
  if (about !== null) {
    const { does, usage, options } = commandHelp[about]
    const list = options.map((option) => `  ${option}\n`).join('')
    return `${does}\n\n  ${usage}\n${list === '' ? '' : `\n${list}`}`
  }
  const commands = Object.entries(commandHelp).map(([name, { does }]) => `  ${name.padEnd(11)}${does}\n`)
  return `Tollgate: a gate with hard caps for model calls.\n\n${commands.join('')}\n  tollgate --version\n  tollgate help COMMAND\n`
}
