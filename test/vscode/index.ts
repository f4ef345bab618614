import { format } from 'node:util'
import Mocha from 'mocha'
import { suiteMark } from './host/suiteMark.ts'

/** Entry point that VS Code calls in its extension host. Rejects when a test failed. */
export async function run(): Promise<void> {
  // The extension host's console carries everything that VS Code logs; the mark tells the runner what is ours.
  Mocha.reporters.Base.consoleLog = (...args: unknown[]) => console.log(suiteMark + format(...args))
  const mocha = new Mocha({ ui: 'bdd', timeout: 60_000, slow: 10_000, reporter: 'spec' })
  mocha.suite.emit('pre-require', globalThis, '', mocha)
  await import('./suite/extension.ts')
  await import('./suite/caps.ts')
  await import('./suite/stop.ts')
  await import('./suite/gateSettings.ts')
  await import('./suite/newerGate.ts')
  await import('./suite/tasks.ts')
  await import('./suite/spend.ts')
  await import('./suite/raiseToday.ts')
  await import('./suite/dashboard.ts')
  await import('./suite/guardedTerminal.ts')
  await import('./suite/commandLine.ts')
  await import('./suite/tryIt.ts')
  await import('./suite/doctor.ts')
  await import('./suite/clients.ts')
  await import('./suite/truncation.ts')
  await new Promise<void>((resolve, reject) => {
    mocha.run((failures) => (failures === 0 ? resolve() : reject(new Error(`${failures} tests failed.`))))
  })
}
