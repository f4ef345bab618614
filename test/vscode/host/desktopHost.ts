import { join } from 'node:path'
import { runTests } from '@vscode/test-electron'
import type { Profile } from './profile.ts'

/**
 * Runs the suite in the desktop VS Code at `vscodePath`, with the extensions of `extensionDirs` and no others. Linux needs a
 * display, such as `xvfb-run -a`.
 */
export async function runOnDesktop(
  vscodePath: string,
  profile: Profile,
  extensionDirs: readonly string[],
  suite: string,
): Promise<number> {
  // test-electron hands this process's environment on; what the user has set for models must not reach the suite.
  const environment = profile.environment(process.env)
  for (const name of Object.keys(process.env)) if (!(name in environment)) Reflect.deleteProperty(process.env, name)
  return runTests({
    vscodeExecutablePath: vscodePath,
    extensionDevelopmentPath: [...extensionDirs],
    extensionTestsPath: suite,
    extensionTestsEnv: environment,
    launchArgs: [
      profile.workspace,
      '--disable-extensions',
      '--disable-workspace-trust',
      `--user-data-dir=${join(profile.serverDataDir, 'data')}`,
      `--extensions-dir=${profile.extensionsDir}`,
    ],
  })
}
