/** What each command is for and takes. `docs/cli.md` is tested against this. */
export const commandHelp = {
  serve: {
    does: 'Run the gate until it is told to stop.',
    usage: 'tollgate serve [--port 4141] [--data-dir DIR] [--config FILE] [--no-key] [--hints] [--replace PID]',
    options: [
      '--port N        Port on the loopback interface; 0 picks a free one. Default 4141.',
      '--data-dir DIR  Ledger, key and configuration. Default: the place of your system for user data.',
      '--config FILE   Configuration. Default: config.json in the data directory.',
      '--no-key        Do not ask for the local key in the address.',
      '--hints         Say on stderr how to point a client at the gate.',
      '--replace PID   Take the place of the instance with that process id, if no call runs there.',
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
  report: {
    does: 'Show what was spent by model, task, project, day, user, client or upstream.',
    usage:
      'tollgate report [--by GROUP] [--from DAY] [--to DAY] [--days N] [--limit N] [--csv | --json] [--data-dir DIR]',
    options: [
      '--by GROUP      model, task, project, day, user, client or upstream. Default model.',
      '--from DAY      First day, as in 2026-11-01.',
      '--to DAY        Last day. Default: today.',
      '--days N        Days up to the last one. Default 30.',
      '--limit N       Most rows. Default 50 of the table, 10000 otherwise.',
      '--csv           Rows as CSV.',
      '--json          The answer of /api/report as it is.',
      '--data-dir DIR  Data directory of the daemon.',
    ],
  },
  reconcile: {
    does: "Compare a provider's invoice with the calls, by day and model.",
    usage:
      'tollgate reconcile FILE [--provider NAME] [--from DAY] [--to DAY] [--map COLUMNS] [--apply-factor] [--config FILE] [--json | --csv] [--data-dir DIR]',
    options: [
      '--provider NAME Provider or upstream of the file. Default: the one of its format.',
      '--from DAY      First UTC day. Default: the first of the file.',
      '--to DAY        Last UTC day. Default: the last of the file.',
      '--map COLUMNS   Columns of another CSV: date=Day,model=Model,usd=Cost, and item, tier.',
      '--apply-factor  Write dated factors into the configuration instead of only showing them.',
      '--config FILE   Configuration. Default: config.json in the data directory.',
      '--json          Totals, models and days as JSON.',
      '--csv           Days and models as CSV.',
      '--data-dir DIR  Data directory of the daemon.',
    ],
  },
  prices: {
    does: 'Show what models cost, set prices of your own, bring newer ones.',
    usage:
      'tollgate prices [list [--model PATTERN] | age | set MODEL --input N --output N | unset MODEL | update FILE | reset] [--provider NAME] [--yes] [--config FILE] [--json] [--data-dir DIR]',
    options: [
      '--model PATTERN Model, with * for any characters. Default: all (list).',
      '--provider NAME Only this upstream (list, set, unset). Default: all.',
      '--input N       Dollars per million input tokens (set).',
      '--output N      Dollars per million output tokens (set).',
      '--cache-read N  The same for cached input. Default: as input.',
      '--cache-write N The same for input that is written to a cache for five minutes.',
      '--cache-write-hour N  The same for an hour.',
      '--as-of DATE    Date of the prices (update). Default: what the file says, else its own.',
      '--yes           Take a price that moves more than tenfold (set, update).',
      '--config FILE   Configuration. Default: config.json in the data directory.',
      '--json          As JSON (list, age).',
      '--data-dir DIR  Data directory of the daemon.',
    ],
  },
  doctor: {
    does: 'Look for what is wrong with the gate, prove the sums of its ledger, save or repair it.',
    usage:
      'tollgate doctor [--ledger] [--backup FILE | --export FILE | --repair] [--config FILE] [--json] [--data-dir DIR]',
    options: [
      '--ledger        Only the ledger.',
      '--backup FILE   Copy the ledger into a new file, also beside a running daemon.',
      '--export FILE   Write all calls into a new file, .jsonl or .csv; of a damaged ledger all that can be read.',
      '--repair        Add the sums up anew, or build a damaged ledger anew; the old one is kept beside it.',
      '--config FILE   Configuration. Default: config.json in the data directory.',
      '--json          The checks as JSON.',
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
