import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync, existsSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { createLog, describeFault, openLogFile, redactText, redactUrl } from '../../../daemon/observe/log.ts'
import type { Log, LogFacts } from '../../../daemon/observe/log.ts'

const canary = 'CANARY7f3e91'
const providerKey = 'AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY'

function logInto(lines: string[], format: 'json' | 'plain'): Log {
  return createLog({ write: (line) => lines.push(line), nowMs: () => Date.UTC(2026, 10, 30, 4, 0, 0), format })
}

function lineOf(facts: LogFacts, format: 'json' | 'plain' = 'json'): string {
  const lines: string[] = []
  logInto(lines, format).warn('something happened', facts)
  assert.equal(lines.length, 1)
  return lines[0]!
}

describe('redactUrl', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['/k/CANARY7f3e91/t/run-7/p/shop/openai/v1/models', '/k/…/t/run-7/p/shop/openai/v1/models'],
    [`/gemini/v1beta/models/m:generateContent?key=${providerKey}`, '/gemini/v1beta/models/m:generateContent'],
    [`https://user:${canary}@host/v1/x?key=${canary}#${canary}`, 'https://host/v1/x'],
    [`//k//${canary}//openai`, '//k/…//openai'],
    [`/K/${canary}/openai`, '/k/…/openai'],
    [`/%6B/${canary}/openai`, '/k/…/openai'],
    [`http://127.0.0.1:4141/k/${canary}`, 'http://127.0.0.1:4141/k/…'],
    [`?${canary}`, ''],
    ['/v1/chat/completions', '/v1/chat/completions'],
  ]
  for (const [url, expected] of cases) {
    it(`makes ${expected === '' ? 'nothing' : expected} of an address with secrets (N04, N05)`, () => {
      assert.equal(redactUrl(url), expected)
    })
  }

  it('leaves no key in any path, wherever it stands (N04)', () => {
    const part = fc.stringMatching(/^[A-Za-z0-9_-]{1,8}$/)
    fc.assert(
      fc.property(fc.array(part), fc.array(part), fc.array(part), (before, after, query) => {
        const url = `/${[...before, 'k', canary, ...after].join('/')}?${query.join('&')}&key=${canary}`
        // Where the part before is itself a `k`, that one takes `k` for its key.
        fc.pre(!before.some((each) => each.toLowerCase() === 'k'))
        assert.doesNotMatch(redactUrl(url), /CANARY/)
      }),
    )
  })
})

describe('the log', () => {
  it('writes one line of JSON a message, with its time and level', () => {
    assert.deepEqual(JSON.parse(lineOf({ port: 4141, model: 'gpt-5', reason: null })), {
      time: '2026-11-30T04:00:00.000Z',
      level: 'warn',
      message: 'something happened',
      port: 4141,
      model: 'gpt-5',
      reason: null,
    })
  })

  it('writes a plain line for a terminal', () => {
    assert.equal(
      lineOf({ status: 503, problem: 'disk is full', upstream: 'openai' }, 'plain'),
      '2026-11-30T04:00:00.000Z warn something happened status=503 problem="disk is full" upstream=openai',
    )
  })

  it('keeps a message on its line, whatever a client has put into a field', () => {
    for (const format of ['json', 'plain'] as const) {
      const line = lineOf({ model: 'a\nforged line\r\u001b[31m\u2028x' }, format)
      assert.doesNotMatch(line, /[\n\r\u001b\u2028]/)
    }
  })

  it('drops fields that are not on its list, and values that are no scalars', () => {
    const facts = { prompt: canary, headers: { authorization: canary }, status: { body: canary }, count: 1 }
    const line = lineOf(facts as unknown as LogFacts)
    assert.doesNotMatch(line, /CANARY/)
    assert.match(line, /"count":1/)
  })

  for (const text of [
    `Bearer ${canary}${canary}`,
    `sk-proj-${canary}${canary}`,
    providerKey,
    `https://generativelanguage.googleapis.com/v1beta/models?key=${canary}`,
    `see http://me:${canary}@10.0.0.1/x and /k/${canary}/openai`,
    `path?alt=sse&key=${canary}`,
    `token ${canary}${canary}${canary}${canary}`,
  ]) {
    it(`takes the secret out of "${text.slice(0, 24)}…" in every field (N04, N05)`, () => {
      for (const field of ['problem', 'url', 'model', 'reason', 'path'] as const) {
        const line = lineOf({ [field]: text })
        assert.doesNotMatch(line, /CANARY|AIzaSy/)
      }
    })
  }

  it('leaves names of models, calls and versions as they are', () => {
    for (const name of [
      'claude-3-5-sonnet-20241022',
      'call_0a1b2c3d4e000001',
      'qwen3:4b',
      '0.1.0',
      'org/model-7B-Instruct',
    ]) {
      assert.equal(redactText(name), name)
    }
  })

  it('cuts a field that is very long', () => {
    assert.ok(redactText('word '.repeat(10_000)).length < 600)
  })
})

describe('describeFault', () => {
  it('gives class, code and place of an error, never its message, which may quote a request (N05)', () => {
    const parse = (): unknown => JSON.parse(`{"key": ${canary}`)
    try {
      parse()
      assert.fail('that was JSON')
    } catch (error) {
      const fault = describeFault(error)
      assert.equal(fault.fault, 'SyntaxError')
      assert.doesNotMatch(JSON.stringify(fault), /CANARY/)
      assert.match(fault.at ?? '', /JSON\.parse|log\.test\.ts:\d+/)
    }
  })

  it('keeps the code of a system error and leaves out where the program is installed', () => {
    const error = Object.assign(new Error(`connect to https://h/?key=${canary}`), { code: 'ECONNREFUSED' })
    const fault = describeFault(error)
    assert.equal(fault.code, 'ECONNREFUSED')
    assert.match(fault.at ?? '', /log\.test\.ts:\d+:\d+/)
    assert.doesNotMatch(JSON.stringify(fault), /CANARY|test\/unit/)
  })

  it('says only the kind of what is no error', () => {
    assert.deepEqual(describeFault(canary), { fault: 'string' })
  })
})

describe('openLogFile', () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tollgate-log-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('appends lines, also to what an earlier process wrote', () => {
    const path = join(folder, 'daemon.log')
    for (const line of ['one', 'two']) {
      const file = openLogFile(path)
      file.write(line)
      file.close()
    }
    assert.equal(readFileSync(path, 'utf8'), 'one\ntwo\n')
  })

  it('is readable by its owner only', function () {
    if (process.platform === 'win32') return
    const path = join(folder, 'daemon.log')
    const file = openLogFile(path)
    file.write('line')
    file.close()
    assert.equal(statSync(path).mode & 0o777, 0o600)
  })

  it('never keeps more than two files of the size, and loses none of the latest lines', () => {
    const path = join(folder, 'daemon.log')
    const file = openLogFile(path, 1000)
    for (let at = 0; at < 500; at += 1) file.write(`line ${String(at).padStart(4, '0')}`)
    file.close()
    const old = readFileSync(`${path}.1`, 'utf8')
    const current = readFileSync(path, 'utf8')
    assert.ok(old.length <= 1000 && current.length <= 1000)
    const lines = `${old}${current}`.trimEnd().split('\n')
    assert.equal(lines[lines.length - 1], 'line 0499')
    lines.forEach((line, at) => assert.equal(line, `line ${String(500 - lines.length + at).padStart(4, '0')}`))
  })

  it('loses lines but does not throw where the folder is gone, and goes on when it is back', () => {
    const inner = join(folder, 'gone')
    const path = join(inner, 'daemon.log')
    const file = openLogFile(path)
    file.write('lost')
    assert.ok(!existsSync(path))
    mkdirSync(inner)
    file.write('kept')
    file.close()
    assert.equal(readFileSync(path, 'utf8'), 'kept\n')
  })
})
