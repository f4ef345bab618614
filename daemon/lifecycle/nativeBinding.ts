import { existsSync } from 'node:fs'
import path from 'node:path'

/**
 * The SQLite binding of this platform beside the bundle. Throws an
 * Error that names the platform where there is no binding for it.
 */
export function nativeBindingPath(): string {
  const file = path.join(__dirname, 'prebuilds', `${platformName()}-${process.arch}.node`)
  if (!existsSync(file)) throw new Error(`Tollgate has no SQLite binding for ${platformName()} on ${process.arch}.`)
  return file
}

/** `linuxmusl` where the C library is musl, as the binding's own loader calls it. */
function platformName(): string {
  return (knownPlatform ??= findPlatform())
}

let knownPlatform: string | null = null

/**
 * Found once, and not while a port is open: a report asks the name server for the name of every socket's other end, and waits for
 * it. `excludeNetwork` says that it need not, where Node knows that.
 */
function findPlatform(): string {
  if (process.platform !== 'linux') return process.platform
  const report: typeof process.report & { excludeNetwork?: boolean } = process.report
  report.excludeNetwork = true
  const { header } = report.getReport() as { readonly header?: { readonly glibcVersionRuntime?: string } }
  return header?.glibcVersionRuntime === undefined ? 'linuxmusl' : 'linux'
}
