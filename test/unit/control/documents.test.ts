import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { eventNames } from '../../../shared/protocol.ts'

const document = readFileSync('docs/control.md', 'utf8')

describe('docs/control.md', () => {
  it('names every address that the daemon answers', () => {
    const source = readFileSync('daemon/control/api.ts', 'utf8')
    const routes = [...source.matchAll(/case '((?:GET|POST) [^']+)'/g)].map((match) => match[1]!)
    assert.ok(routes.length >= 9)
    for (const route of routes) assert.ok(document.includes(`\`${route}`), route)
  })

  it('names every event', () => {
    for (const name of eventNames) assert.ok(document.includes(`\`${name}\``), name)
  })
})
