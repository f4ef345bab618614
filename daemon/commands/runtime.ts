import { minimumNodeMajor } from '../../shared/build.ts'

/** Why the program cannot run on this runtime, in one sentence; null where it can. `nodeVersion` is like `22.15.1`. */
export function runtimeProblem(nodeVersion: string): string | null {
  const major = Number(nodeVersion.split('.', 1)[0])
  if (major >= minimumNodeMajor) return null
  return `Tollgate needs Node ${minimumNodeMajor} or newer and this is Node ${nodeVersion}: start it with a newer Node.`
}
