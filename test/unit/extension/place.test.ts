import assert from 'node:assert/strict'
import { placeOf } from '../../../extension/place.ts'
import type { Host } from '../../../extension/place.ts'

const folder = '/home/me/.vscode-server/data/User/globalStorage/tollgate.tollgate'
const ssh: Host = { remoteName: 'ssh-remote', hostName: 'build-1', distribution: undefined }

describe('the name of a folder on its host', () => {
  it('differs from host to host, from folder to folder, and from one distribution of WSL to another', () => {
    const wsl = { remoteName: 'wsl', hostName: 'laptop', distribution: 'Ubuntu-22.04' }
    const names = [
      placeOf(folder, ssh),
      placeOf(folder, { ...ssh, hostName: 'build-2' }),
      placeOf(folder, { remoteName: undefined, hostName: 'build-1', distribution: undefined }),
      placeOf('/srv/tollgate', ssh),
      placeOf(folder, wsl),
      placeOf(folder, { ...wsl, distribution: 'Ubuntu-24.04' }),
    ]
    assert.equal(new Set(names).size, names.length)
    assert.equal(placeOf(folder, { ...ssh }), names[0])
  })

  it('does not follow the host name of the own machine, which can change with the network', () => {
    const at = (hostName: string): string =>
      placeOf(folder, { remoteName: undefined, hostName, distribution: undefined })
    assert.equal(at('laptop.local'), at('dhcp-10-1-2-3.example.edu'))
  })

  it('is short and has neither path nor host in it', () => {
    assert.match(placeOf(folder, ssh), /^[\w-]{16}$/)
  })
})
