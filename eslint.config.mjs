import tseslint from 'typescript-eslint'

/** Imports that a layer may not make: `extension -> shared <- daemon`, and inside the daemon nothing flows back up. */
const layer = (files, groups, message) => ({
  files,
  rules: { 'no-restricted-imports': ['error', { patterns: [{ group: groups, message }] }] },
})

const impure = [
  'node:*',
  'fs',
  'http',
  'net',
  'undici',
  'ws',
  'better-sqlite3',
  '**/http/**',
  '**/ledger/sqlite*',
  '**/control/**',
  '**/lifecycle/**',
  '**/commands/**',
  '**/pipeline*',
  '**/gate*',
]

export default tseslint.config(
  { ignores: ['node_modules', 'dist', 'out', 'artifacts', '.cache', '**/*.mjs', '**/*.cjs'] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      'no-console': 'error',
      eqeqeq: 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/dot-notation': 'off',
    },
  },
  layer(
    ['shared/**/*.ts'],
    ['**/daemon/**', '**/extension/**', 'vscode', 'node:*'],
    'shared imports nothing but itself',
  ),
  layer(['daemon/**/*.ts'], ['**/extension/**', 'vscode'], 'the daemon does not know the extension'),
  layer(
    ['extension/**/*.ts'],
    [
      '**/daemon/{call,gate,pipeline}*',
      '**/daemon/{http,ledger,guards,dialects,streams,tokens,money,budget,control,observe,config,commands,lifecycle,tasks,transcript,models,stages}/**',
    ],
    'the extension shares only shared/ with the daemon',
  ),
  layer(
    [
      'daemon/{guards,money,budget,dialects,tasks,reconcile}/**/*.ts',
      'daemon/models/{effectiveWindow,lmStudioModels,modelMaximum,ollamaModels}.ts',
    ],
    [...impure, '**/extension/**', 'vscode'],
    'this folder is pure: no file, network, clock or database',
  ),
  // Digests are computed here; nothing else of the machine is used.
  layer(
    ['daemon/transcript/**/*.ts'],
    [...impure.filter((name) => name !== 'node:*'), '**/extension/**', 'vscode'],
    'this folder is pure but for hashing: no file, network, clock or database',
  ),
  {
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-non-null-assertion': 'off',
      'no-console': 'off',
    },
  },
)
