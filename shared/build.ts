declare const TOLLGATE_VERSION: string | undefined

/** The package version, put in by the bundler; `0.0.0-dev` when the sources run unbundled in a test. */
export const version: string = typeof TOLLGATE_VERSION === 'undefined' ? '0.0.0-dev' : TOLLGATE_VERSION

/** Version of the control protocol between daemon and extension; raised when an old extension could no longer follow. */
export const protocolVersion = 1

/** The fixed port, so that a base URL is a constant. */
export const defaultPort = 4141

/** Oldest runtime that the daemon's native SQLite binding and zstd support work on. */
export const minimumNodeMajor = 22
