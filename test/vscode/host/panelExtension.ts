import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Profile } from './profile.ts'

/** Puts an extension into the profile that declares the setting of Claude Code's panel, and does nothing else. Gives its folder. */
export function addPanelExtension({ extensionsDir }: Profile): string {
  const folder = join(extensionsDir, 'tollgate-test.panel-1.0.0')
  mkdirSync(folder)
  const manifest = {
    name: 'panel',
    publisher: 'tollgate-test',
    version: '1.0.0',
    engines: { vscode: '^1.101.0' },
    contributes: {
      configuration: { properties: { 'claudeCode.environmentVariables': { type: 'array', default: [] } } },
    },
  }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  return folder
}
