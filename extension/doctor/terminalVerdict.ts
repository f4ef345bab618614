import type { ClientFamily } from '../env/injection.ts'
import type { Text } from '../text/text.ts'
import type { Finding } from './finding.ts'
import { familyVariables } from './surroundings.ts'
import type { Surroundings, VariableFile } from './surroundings.ts'

/** A finding without its client. */
export type Judgement = Omit<Finding, 'client'>

/** Whether terminals are set up for the gate at all: what is said where they are not, else undefined. */
export function terminalsUnguarded({ terminals }: Surroundings, { doctor }: Text): Judgement | undefined {
  if (!terminals.enabled) return { verdict: 'notGuarded', why: doctor.whyOff, fix: doctor.fixOn }
  if (terminals.wrongHost) return { verdict: 'notGuarded', why: doctor.whyWrongHost, fix: doctor.fixWrongHost }
  if (!terminals.hasKey) return { verdict: 'notGuarded', why: doctor.whyNoKey, fix: doctor.fixNoKey }
  if (terminals.bypassed) return { verdict: 'notGuarded', why: doctor.whyBypassed, fix: doctor.fixBypassed }
  return undefined
}

/** How clients of a family stand that follow the variables of a terminal. `files` are further ones that win over them. */
export function judgeFamily(
  family: ClientFamily,
  around: Surroundings,
  text: Text,
  files: readonly VariableFile[] = [],
): Judgement {
  const { doctor } = text
  const unguarded = terminalsUnguarded(around, text)
  if (unguarded !== undefined) return unguarded
  if (!around.inject[family]) {
    const setting = `tollgate.inject.${family}`
    return { verdict: 'notGuarded', why: doctor.whyNotInjected(setting), fix: doctor.fixInject(setting) }
  }
  const names = familyVariables[family]
  const skip = around.terminals.skipped.find((one) => one.family === family)
  if (skip?.why === 'azure') {
    return { verdict: 'leftAlone', why: doctor.whyAzure(skip.variable), fix: doctor.fixAzure }
  }
  const late = firstOf([...around.shellFiles, ...around.directoryFiles, ...files], names)
  if (late !== undefined) {
    return {
      verdict: 'overridden',
      why: late.isUnset
        ? doctor.whyUnset(late.file, late.line, late.variable)
        : doctor.whyLate(late.file, late.line, late.variable),
      fix: doctor.fixLate(late.file),
    }
  }
  if (skip !== undefined) {
    return { verdict: 'overridden', why: doctor.whyElsewhere(skip.variable), fix: doctor.fixElsewhere(skip.variable) }
  }
  const shadow = firstOf(around.envFiles, names)
  if (shadow !== undefined) {
    return {
      verdict: 'shadowed',
      why: doctor.whyShadowed(shadow.file, shadow.line, shadow.variable),
      fix: doctor.fixShadowed(shadow.file, shadow.variable),
    }
  }
  return { verdict: 'guarded', why: doctor.whyGuarded(names[0] ?? ''), fix: null }
}

/** The first line of the files that leads one of the names past the gate. */
export function firstOf(
  files: readonly VariableFile[],
  names: readonly string[],
): { readonly file: string; readonly line: number; readonly variable: string; readonly isUnset: boolean } | undefined {
  for (const { name: file, variables } of files) {
    // The last line wins.
    for (const name of names) {
      const last = variables.findLast((one) => one.name === name)
      if (last !== undefined && last.leads !== 'gate') {
        return { file, line: last.line, variable: name, isUnset: last.leads === 'unset' }
      }
    }
  }
  return undefined
}
