import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as vscode from 'vscode'
import { protocolVersion } from '../../../shared/build.ts'
import { person } from './person.ts'
import { api, setSetting, statusBarShows } from './window.ts'

/** A gate of a later version, with three calls: it says its health and notes what it is told. */
async function newerGate() {
  const told: { readonly path: string; readonly authorization: string | undefined }[] = []
  const server = createServer((request, response) => {
    const health = { name: 'tollgate', version: '9.0.0', protocol: protocolVersion + 1, pid: process.pid, inFlight: 3 }
    if (request.method === 'POST') told.push({ path: request.url ?? '', authorization: request.headers.authorization })
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(request.method === 'POST' ? { cancelled: 3, tookMs: 2 } : health))
  }).listen({ host: '127.0.0.1', port: 0 })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-newer-'))
  const record = { url: `http://127.0.0.1:${port}`, port, key: 'k'.repeat(32), token: 'secret', pid: process.pid }
  const versions = { version: '9.0.0', protocol: protocolVersion + 1, startedAtMs: 0 }
  writeFileSync(join(dataDir, 'daemon.json'), JSON.stringify({ ...record, ...versions }))
  return {
    told,
    dataDir,
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

describe('a gate that is newer than the extension of this window', () => {
  let gate: Awaited<ReturnType<typeof newerGate>>
  let usual: string

  before(async () => {
    usual = api().dataDir()
    gate = await newerGate()
    await setSetting('daemon.dataDir', gate.dataDir)
    await statusBarShows(/gate not shown/)
  })
  after(async () => {
    await setSetting('daemon.dataDir', usual)
    await statusBarShows(/pulse/)
    await gate.close()
  })

  it('is not said to be down, and an update is offered instead of a restart', async () => {
    const { tooltip, background } = api().statusBar()
    assert.equal(background, 'warning')
    assert.match(tooltip, /The gate runs, but this window cannot show it/)
    assert.match(tooltip, /command:tollgate\.showExtension\)/)
    assert.doesNotMatch(tooltip, /not running|restartDaemon/)
    const reader = person()
    try {
      await vscode.commands.executeCommand('tollgate.tryIt')
      const said = await reader.reads(/^The gate runs, but this window cannot show it\. A newer Tollgate/)
      assert.deepEqual(said.buttons, ['Update', 'Show Log'])
      said.choose('Update')
    } finally {
      reader.leave()
    }
  })

  it('C12: is stopped all the same', async () => {
    const reader = person()
    try {
      await vscode.commands.executeCommand('tollgate.stopAll')
      await reader.reads(/^3 calls stopped in 2 ms\./)
      assert.deepEqual(gate.told.splice(0), [{ path: '/api/kill', authorization: 'Bearer secret' }])
    } finally {
      reader.leave()
    }
  })

  it('ends for no restart that was not confirmed', async () => {
    const reader = person()
    try {
      const restarted = vscode.commands.executeCommand('tollgate.restartDaemon')
      const said = await reader.reads(/^Restarting ends the newer gate \(9\.0\.0\) and starts the older one/)
      said.close()
      await restarted
      assert.deepEqual(gate.told, [])
      await statusBarShows(/gate not shown/)
    } finally {
      reader.leave()
    }
  })
})
