import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { optionNames, readArguments } from '../../../daemon/commands/arguments.ts'
import { defaultDataDir } from '../../../daemon/commands/dataDir.ts'
import { currentShell, settingLine } from '../../../daemon/commands/env.ts'
import { commandHelp, helpText } from '../../../daemon/commands/help.ts'
import type { CommandName } from '../../../daemon/commands/help.ts'
import { runtimeProblem } from '../../../daemon/commands/runtime.ts'
import { clientVariables } from '../../../shared/clientVariables.ts'

const commands = Object.keys(commandHelp) as CommandName[]

describe('readArguments', () => {
  it('reads serve with and without its options', () => {
    const nothing = {
      command: 'serve',
      port: null,
      dataDir: null,
      config: null,
      noKey: false,
      hints: false,
      replace: null,
    }
    assert.deepEqual(readArguments(['serve']), nothing)
    assert.deepEqual(readArguments(['serve', '--port', '0', '--data-dir=d', '--config', 'c.json', '--no-key']), {
      command: 'serve',
      port: 0,
      dataDir: 'd',
      config: 'c.json',
      noKey: true,
      hints: false,
      replace: null,
    })
    assert.deepEqual(readArguments(['serve', '--replace', '4711']), { ...nothing, replace: 4711 })
    for (const pid of ['0', '-1', 'x', '1e3']) {
      const read = readArguments(['serve', `--replace=${pid}`])
      assert.match(read.command === 'mistake' ? read.problem : '', /--replace must be the process id/)
    }
  })

  it('reads the other commands', () => {
    assert.deepEqual(readArguments(['status', '--json']), { command: 'status', dataDir: null, json: true })
    assert.deepEqual(readArguments(['watch', '--data-dir', 'd']), { command: 'watch', dataDir: 'd' })
    assert.deepEqual(readArguments(['kill', '--scope', 'key', '--ref', 'default']), {
      command: 'kill',
      dataDir: null,
      request: { scope: 'key', ref: 'default' },
    })
    assert.deepEqual(readArguments(['env', '--shell', 'fish', '--project', 'my shop']), {
      command: 'env',
      dataDir: null,
      shell: 'fish',
      project: 'my-shop',
      task: null,
    })
    assert.deepEqual(
      readArguments(['run', '--eur', '0.50', '--iterations=40', '--task', 'run-7', '--', 'npx', '--eur', '--', 'a b']),
      {
        command: 'run',
        dataDir: null,
        ask: {
          eur: 0.5,
          iterations: 40,
          minutes: null,
          project: null,
          task: 'run-7',
          words: ['npx', '--eur', '--', 'a b'],
        },
      },
    )
    assert.deepEqual(readArguments(['run', '--minutes', '1.5', '--project', 'my shop', '--data-dir', 'd', '--', 'x']), {
      command: 'run',
      dataDir: 'd',
      ask: { eur: null, iterations: null, minutes: 1.5, project: 'my-shop', task: null, words: ['x'] },
    })
    assert.deepEqual(readArguments(['run', '--help']), { command: 'help', about: 'run' })
    assert.deepEqual(readArguments(['--version']), { command: 'version' })
    for (const words of [[], ['help'], ['--help'], ['-h']]) {
      assert.deepEqual(readArguments(words), { command: 'help', about: null })
    }
    assert.deepEqual(readArguments(['help', 'kill']), { command: 'help', about: 'kill' })
    assert.deepEqual(readArguments(['kill', '--help']), { command: 'help', about: 'kill' })
  })

  it('reads a grant to a task by its id, and to a window by --scope and --ref', () => {
    assert.deepEqual(readArguments(['grant', 't1', '--eur', '2', '--iterations=20', '--minutes', '1.5']), {
      command: 'grant',
      dataDir: null,
      request: { scope: 'task', ref: 't1', eur: 2, iterations: 20, minutes: 1.5, by: 'cli' },
    })
    const words = ['grant', '--scope', 'tenant', '--ref', 'acme', '--tokens', '500', '--window', 'month']
    assert.deepEqual(readArguments([...words, '--until', 'midnight', '--data-dir', 'd']), {
      command: 'grant',
      dataDir: 'd',
      request: { scope: 'tenant', ref: 'acme', window: 'month', tokens: 500, until: 'midnight', by: 'cli' },
    })
    const byScope = readArguments(['grant', '--scope', 'task', '--ref', 't1', '--eur', '1'])
    assert.deepEqual(byScope, readArguments(['grant', 't1', '--eur', '1']))
  })

  const mistakes: readonly (readonly [string, RegExp])[] = [
    [
      'start',
      /^There is no command "start"\. Commands: serve, status, watch, run, kill, resume, grant, calibrate, report, reconcile, prices, doctor, env, help\.$/,
    ],
    ['--prot 4141', /^There is no option "--prot"\./],
    ['toString', /^There is no command "toString"\./],
    ['status --jsn', /Unknown option '--jsn'\. See: tollgate help status$/],
    ['status extra', /^status takes no "extra"\./],
    ['status --json=1', /See: tollgate help status$/],
    ['serve --port', /--port/],
    ['serve --port 70000', /^--port must be a number from 0 to 65535, not "70000"\.$/],
    ['serve --port -1', /--port/],
    ['serve --port 41.5', /^--port must be a number/],
    ['serve --port=', /^--port needs a value\.$/],
    ['kill --scope all', /^--scope must be one of global, tenant, key, task, not "all"\.$/],
    ['kill --scope task', /^--scope task needs --ref/],
    ['kill --ref run-7', /^--ref names a tenant, key or task: say which with --scope\.$/],
    ['grant', /^grant needs the id of a task, as in: tollgate grant t1 --eur 2$/],
    ['grant t1', /^Say how much: --eur, --iterations or --minutes\.$/],
    ['grant t1 t2 --eur 1', /^grant takes no "t2"\./],
    ['grant t1 --scope user --eur 1', /^Name the task, or give --scope and --ref, not both\.$/],
    ['grant t1 --ref ada --eur 1', /^Name the task, or give --scope and --ref, not both\.$/],
    ['grant --ref ada --eur 1', /^--ref needs --scope: task, user, tenant, project or model\.$/],
    ['grant --scope user --eur 1', /^--scope user needs --ref with the name of the user\.$/],
    ['grant --scope key --ref k --eur 1', /^--scope must be one of task, user, tenant, project, model, not "key"\.$/],
    ['grant --scope user --ref ada', /^Say how much: --eur or --tokens\.$/],
    ['grant t1 --eur 5,00', /^--eur must be an amount such as 2 or 0\.50, not "5,00"\.$/],
    ['grant t1 --eur=-1', /^--eur must be an amount/],
    ['grant t1 --minutes soon', /^--minutes must be an amount/],
    ['grant t1 --iterations 2.5', /^--iterations must be a whole number, not "2\.5"\.$/],
    ['grant --scope user --ref ada --tokens 1e6', /^--tokens must be a whole number/],
    ['grant --scope tenant --ref a --eur 1 --window week', /^--window must be day or month\.$/],
    ['grant t1 --until= --eur 1', /^--until needs a value\.$/],
    ['env --shell tcsh', /^--shell must be one of sh, fish, powershell, cmd, not "tcsh"\.$/],
    ['env --project ///', /^--project needs at least one letter/],
    ['env --task a/b', /^--task must be 1 to 128 letters/],
    ['run node agent.js', /^run needs "--" and after it the command/],
    ['run --eur 2 --', /^run needs a command behind "--"\.$/],
    ['run agent -- node', /^run takes no "agent"\./],
    ['run --eur 5,00 -- x', /^--eur must be an amount such as 2 or 0\.50, not "5,00"\.$/],
    ['run --eur 1e3 -- x', /^--eur must be an amount/],
    ['run --eur=-1 -- x', /^--eur must be an amount/],
    ['run --eur NaN -- x', /^--eur must be an amount/],
    ['run --iterations 0 -- x', /^--iterations must be a whole number from 1, not "0"\.$/],
    ['run --iterations 2.5 -- x', /^--iterations must be a whole number/],
    ['run --minutes 0 -- x', /^--minutes must be a number above 0/],
    ['run --minutes= -- x', /^--minutes needs a value\.$/],
    ['run --task a/b -- x', /^--task must be 1 to 128 letters/],
    ['run --project /// -- x', /^--project needs at least one letter/],
    ['help nothing', /^There is no command "nothing"\.$/],
  ]
  for (const [words, sentence] of mistakes) {
    it(`answers "${words}" with one sentence`, () => {
      const invocation = readArguments(words.split(' '))
      assert.ok(invocation.command === 'mistake')
      assert.match(invocation.problem, sentence)
      assert.doesNotMatch(invocation.problem, /\n/)
    })
  }

  it('never throws, whatever the words are', () => {
    const word = fc.oneof(
      fc.constantFrom(...commands, '--port', '--ref', '--scope', '--eur', '--', '-', '-x', '--data-dir'),
      fc.string(),
    )
    fc.assert(fc.property(fc.array(word, { maxLength: 5 }), (words) => void readArguments(words)))
  })
})

describe('the data directory', () => {
  it('is where the system keeps data of one user', () => {
    assert.equal(defaultDataDir({}, 'linux', '/home/ada'), '/home/ada/.local/share/tollgate')
    assert.equal(defaultDataDir({ XDG_DATA_HOME: '/data' }, 'linux', '/home/ada'), '/data/tollgate')
    assert.equal(defaultDataDir({ XDG_DATA_HOME: 'relative' }, 'linux', '/home/ada'), '/home/ada/.local/share/tollgate')
    assert.equal(defaultDataDir({}, 'darwin', '/Users/ada'), '/Users/ada/Library/Application Support/Tollgate')
    assert.equal(defaultDataDir({ LOCALAPPDATA: 'D:\\Local' }, 'win32', 'C:\\Users\\ada'), 'D:\\Local\\Tollgate')
    assert.equal(defaultDataDir({}, 'win32', 'C:\\Users\\ada'), 'C:\\Users\\ada\\AppData\\Local\\Tollgate')
  })

  it('is what TOLLGATE_DATA_DIR says, unless that is empty', () => {
    assert.equal(defaultDataDir({ TOLLGATE_DATA_DIR: '/x' }, 'darwin', '/Users/ada'), '/x')
    assert.equal(defaultDataDir({ TOLLGATE_DATA_DIR: '' }, 'linux', '/h'), '/h/.local/share/tollgate')
  })
})

describe('the runtime', () => {
  it('may be 22 or newer', () => {
    for (const version of ['22.0.0', '24.21.0', '100.1.0']) assert.equal(runtimeProblem(version), null)
  })

  it('is named in one sentence where it is too old', () => {
    for (const version of ['20.20.2', '9.0.0', '21.7.3']) {
      assert.equal(
        runtimeProblem(version),
        `Tollgate needs Node 22 or newer and this is Node ${version}: start it with a newer Node.`,
      )
    }
  })
})

describe('variables for clients', () => {
  it('carry the key, the task and the project, with /v1 for OpenAI only', () => {
    const variables = clientVariables({ origin: 'http://127.0.0.1:4141', key: 'k1', project: 'shop', task: 't1' })
    assert.deepEqual(variables, {
      OPENAI_BASE_URL: 'http://127.0.0.1:4141/k/k1/t/t1/p/shop/openai/v1',
      OPENAI_API_BASE: 'http://127.0.0.1:4141/k/k1/t/t1/p/shop/openai/v1',
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:4141/k/k1/t/t1/p/shop/anthropic',
      ANTHROPIC_API_BASE: 'http://127.0.0.1:4141/k/k1/t/t1/p/shop/anthropic',
      ANTHROPIC_API_URL: 'http://127.0.0.1:4141/k/k1/t/t1/p/shop/anthropic',
      GOOGLE_GEMINI_BASE_URL: 'http://127.0.0.1:4141/k/k1/t/t1/p/shop/gemini',
      OLLAMA_API_BASE: 'http://127.0.0.1:4141/k/k1/t/t1/p/shop/ollama',
      OLLAMA_BASE_URL: 'http://127.0.0.1:4141/k/k1/t/t1/p/shop/ollama',
      ENABLE_TOOL_SEARCH: 'true',
    })
  })

  it('have no key part where the gate asks for none', () => {
    assert.equal(clientVariables({ origin: 'http://h', key: null })['OLLAMA_BASE_URL'], 'http://h/ollama')
  })

  it('are set in the syntax of each shell, with quotes that hold', () => {
    assert.equal(settingLine('sh', 'A', "it's"), `export A='it'\\''s'`)
    assert.equal(settingLine('fish', 'A', "it's \\n"), `set -gx A 'it\\'s \\\\n'`)
    assert.equal(settingLine('powershell', 'A', "it's"), `$env:A = 'it''s'`)
    assert.equal(settingLine('cmd', 'A', 'x y'), 'set "A=x y"')
  })

  it('are written for the shell that is running', () => {
    assert.equal(currentShell({ SHELL: '/usr/bin/fish' }, 'linux'), 'fish')
    assert.equal(currentShell({ SHELL: '/bin/zsh' }, 'darwin'), 'sh')
    assert.equal(currentShell({}, 'win32'), 'powershell')
    assert.equal(currentShell({ SHELL: '/usr/bin/bash' }, 'win32'), 'sh')
    assert.equal(currentShell({}, 'linux'), 'sh')
  })
})

describe('docs/cli.md', () => {
  const page = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8')
  const sections = new Map(
    page
      .split(/^## tollgate /m)
      .slice(1)
      .map((section) => [section.split('\n', 1)[0]!.trim(), section] as const),
  )

  it('has a section for each command, and for no other', () => {
    assert.deepEqual([...sections.keys()], commands)
  })

  for (const command of commands) {
    it(`lists exactly the options of ${command}, as the help does`, () => {
      const options = optionNames(command)
        .map((name) => `--${name}`)
        .sort()
      const listed = [...(sections.get(command) ?? '').matchAll(/^- `(--[a-z-]+)/gm)].map(([, name]) => name!)
      assert.deepEqual(listed.sort(), options)
      const helped = [...helpText(command).matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, name]) => name!)
      assert.deepEqual(helped.sort(), options)
    })
  }

  it('names every variable that env prints', () => {
    for (const name of Object.keys(clientVariables({ origin: 'http://h', key: null })))
      assert.ok(page.includes(`\`${name}\``), name)
  })
})
