import { disk } from './disk.ts'
import { userSettings } from './userSettings.ts'

/** What is there now, as `targetOf` reads it; undefined where it cannot be read any more. */
export async function presentText(target: string, isSetting: boolean): Promise<string | null | undefined> {
  if (isSetting) return userSettings.read(target)
  const found = await disk.read(target)
  return found.kind === 'text' ? found.text : found.kind === 'absent' ? null : undefined
}
