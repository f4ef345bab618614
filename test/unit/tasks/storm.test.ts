import assert from 'node:assert/strict'
import { isStart, StormBook, taskSignature } from '../../../daemon/tasks/storm.ts'
import { noTranscript } from '../../../daemon/transcript/transcript.ts'

const opening = { ...noTranscript, chain: ['system', 'system+ask'], humans: [1] }
const later = { ...noTranscript, chain: ['system', 'system+ask', 'answer', 'result'], humans: [1] }

describe('taskSignature', () => {
  it('is the same at every request of one task and at each new start of it', () => {
    assert.equal(taskSignature(opening, 'tools'), taskSignature(later, 'tools'))
    assert.deepEqual([isStart(opening), isStart(later)], [true, false])
  })

  it('differs by the opening and by the tools', () => {
    const other = { ...opening, chain: ['system', 'system+other'] }
    assert.notEqual(taskSignature(opening, 'tools'), taskSignature(other, 'tools'))
    assert.notEqual(taskSignature(opening, 'tools'), taskSignature(opening, 'more tools'))
  })

  it('is unknown without a message of a person', () => {
    assert.equal(taskSignature(noTranscript, 'tools'), null)
    assert.equal(taskSignature({ ...noTranscript, chain: ['system'] }, 'tools'), null)
    assert.equal(isStart(noTranscript), false)
  })
})

describe('StormBook', () => {
  it('counts the starts of the window and says when the oldest leaves it', () => {
    const book = new StormBook()
    for (let at = 0; at < 5; at += 1) book.started('ada', 'same', 20, at * 1000)
    assert.deepEqual(book.read('ada', 'same', 600, 10_000), { starts: 5, secondsToNext: 590 })
    assert.deepEqual(book.read('ada', 'same', 600, 602_500), { starts: 2, secondsToNext: 1 })
    assert.deepEqual(book.read('ada', 'same', 600, 700_000), { starts: 0, secondsToNext: 0 })
  })

  it('keeps accounts and tasks apart', () => {
    const book = new StormBook()
    book.started('ada', 'same', 20, 0)
    assert.equal(book.read('grace', 'same', 600, 0).starts, 0)
    assert.equal(book.read('ada', 'other', 600, 0).starts, 0)
  })

  it('remembers no more starts than the plan allows, and a bounded number of tasks', () => {
    const book = new StormBook()
    for (let at = 0; at < 100; at += 1) book.started('ada', 'same', 3, at)
    assert.equal(book.read('ada', 'same', 600, 100).starts, 3)
    for (let at = 0; at < 5000; at += 1) book.started('ada', `task ${at}`, 3, at)
    assert.equal(book.read('ada', 'same', 600, 100).starts, 0)
    assert.equal(book.read('ada', 'task 4999', 600, 5000).starts, 1)
  })
})
