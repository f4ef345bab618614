/**
 * How a person lets a task go on, after "with". The window comes first: who installed the extension alone has no `tollgate` on the
 * path.
 */
export function resumeOf(task: string): string {
  return `Resume in the Spend view of VS Code, or with "tollgate resume --scope task --ref ${task}"`
}
