import assert from 'node:assert/strict'
import { errorClass } from '../../../daemon/transcript/errorClass.ts'

describe('class of a failure', () => {
  const flagged: Readonly<Record<string, string>> = {
    'Exit code 128\nfatal: not a git repository': 'exit 128',
    'Command timed out after 2m 0s': 'timeout',
    'bash: frobnicate: command not found': 'no command',
    'File does not exist.': 'no file',
    'EACCES: permission denied, open': 'permission',
    'connect ECONNREFUSED 127.0.0.1:5432': 'connection',
    'TypeError: x is not a function': 'TypeError',
    'The string to replace was not found.': 'error',
  }
  for (const [result, expected] of Object.entries(flagged)) {
    it(`is "${expected}" for ${JSON.stringify(result)} that the client calls an error`, () => {
      assert.equal(errorClass(result, true), expected)
    })
  }

  const plain: Readonly<Record<string, string | null>> = {
    'Exit code: 2\nWall time: 0.1 seconds': 'exit 2',
    '{"output":"","metadata":{"exit_code":1,"duration_seconds":0.2}}': 'exit 1',
    'Error: request timed out': 'timeout',
    'Traceback (most recent call last):\n  File "a.py"\nKeyError: 3': 'KeyError',
    'fatal: bad revision': 'error',
    'Exit code: 0\nWall time: 0.1 seconds': null,
    'error.log\nExit code: 0': null,
    'export class TimeoutError extends Error {}': null,
    'The option sets the time after which a call has timed out.': null,
    '': null,
  }
  for (const [result, expected] of Object.entries(plain)) {
    it(`is ${expected ?? 'none'} for ${JSON.stringify(result)} without a flag`, () => {
      assert.equal(errorClass(result, false), expected)
    })
  }

  it('is read from both ends of a long result', () => {
    assert.equal(errorClass(`${'line\n'.repeat(50_000)}Process exited with code 3`, false), 'exit 3')
  })
})
