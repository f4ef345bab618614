import Mocha from 'mocha'

/** Entry point that VS Code calls in its extension host. Rejects when a test failed. */
export async function run(): Promise<void> {
  const mocha = new Mocha({ ui: 'bdd', timeout: 60_000, slow: 10_000, color: true, reporter: 'spec' })
  mocha.suite.emit('pre-require', globalThis, '', mocha)
  await import('./suite/extension.ts')
  await new Promise<void>((resolve, reject) => {
    mocha.run((failures) => (failures === 0 ? resolve() : reject(new Error(`${failures} tests failed.`))))
  })
}
