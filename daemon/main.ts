import { isMainThread } from 'node:worker_threads'
import { version } from '../shared/build.ts'
import { putBackHeld } from '../shared/heldVariables.ts'
import { runtimeProblem } from './commands/runtime.ts'

putBackHeld(process.env)

// Nothing that needs a newer Node may be loaded before this: the reader of the sentence has the older one.
const problem = runtimeProblem(process.versions.node)
if (problem !== null) {
  process.stderr.write(`${problem}\n`)
  process.exitCode = 2
} else if (isMainThread) void main(process.argv.slice(2))
else void work()

/** Runs the command that the words ask for. Each command loads only what it needs, so that `status` is no server. */
async function main(argv: readonly string[]): Promise<void> {
  const { readArguments } = await import('./commands/arguments.ts')
  const invocation = readArguments(argv)
  switch (invocation.command) {
    case 'mistake':
      process.stderr.write(`${invocation.problem}\n`)
      process.exitCode = 2
      return
    case 'version':
      process.stdout.write(`${version}\n`)
      return
    case 'help': {
      const { helpText } = await import('./commands/help.ts')
      process.stdout.write(helpText(invocation.about))
      return
    }
    case 'serve': {
      const { runServe } = await import('./commands/serve.ts')
      // A daemon that has settled everything must not be kept alive by a forgotten handle.
      return process.exit(await runServe(invocation))
    }
    case 'status':
    case 'watch':
    case 'run':
    case 'kill':
    case 'resume':
    case 'grant':
    case 'calibrate':
    case 'report':
    case 'reconcile':
    case 'prices':
    case 'doctor':
    case 'env': {
      const { runClientCommand } = await import('./commands/client.ts')
      process.exitCode = await runClientCommand(invocation)
      return
    }
  }
}

/** The same program as a thread of its own: it reads large bodies for the daemon that started it. */
async function work(): Promise<void> {
  const { isDescribeWorker, serveDescriptions } = await import('./describeWorker.ts')
  if (isDescribeWorker()) serveDescriptions()
}
