import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import fc from 'fast-check'
import { findSocketOwner } from '../../../daemon/lifecycle/socketOwner.ts'
import { ownerOnLinux } from '../../../daemon/lifecycle/socketOwnerLinux.ts'
import {
  inodeFromProcNet,
  nameFromTasklist,
  ownerFromLsof,
  pidFromNetstat,
  programName,
} from '../../../daemon/lifecycle/socketOwnerParsers.ts'

/** Port 4141 is 102D, port 52000 is CB20. */
const connection = { localPort: 4141, remotePort: 52_000 }

describe('the tables of /proc/net', () => {
  const head =
    '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode                                                     \n'
  const row = (local: string, remote: string, state: string, inode: string): string =>
    `   1: ${local} ${remote} ${state} 00000000:00000000 00:00000000 00000000  1000        0 ${inode} 1 00000000d8bb5269 20 4 30 10 -1\n`

  it("name the inode of the client's end and not of the gate's", () => {
    const table =
      head +
      row('0100007F:102D', '00000000:0000', '0A', '11') +
      row('0100007F:102D', '0100007F:CB20', '01', '22') +
      row('0100007F:CB20', '0100007F:102D', '01', '33')
    assert.equal(inodeFromProcNet(table, connection), '33')
  })

  it('name it over IPv6, mapped IPv4 included', () => {
    const six = '00000000000000000000000001000000'
    const mapped = '0000000000000000FFFF00000100007F'
    for (const address of [six, mapped]) {
      const table = head + row(`${address}:CB20`, `${address}:102D`, '01', '44')
      assert.equal(inodeFromProcNet(table, connection), '44')
    }
  })

  it('leave out sockets that no process holds, and connections to other hosts with the same ports', () => {
    assert.equal(inodeFromProcNet(row('0100007F:CB20', '0100007F:102D', '06', '0'), connection), null)
    assert.equal(inodeFromProcNet(row('7F00A8C0:CB20', '7F00A8C0:102D', '01', '55'), connection), null)
    assert.equal(inodeFromProcNet('', connection), null)
  })
})

describe('the output of lsof', () => {
  it("names the process of the client's end", () => {
    const output = [
      'p812',
      'cnode',
      'f23',
      'n127.0.0.1:4141->127.0.0.1:52000',
      'p990',
      'cGoogle\\x20Chrome',
      'f18',
      'n127.0.0.1:52000->127.0.0.1:9000',
      'f19',
      'n[::1]:52000->[::1]:4141',
      '',
    ].join('\n')
    assert.deepEqual(ownerFromLsof(output, connection), { pid: 990, name: 'Google Chrome' })
  })

  it('names nobody where the connection is not in it', () => {
    assert.equal(ownerFromLsof('', connection), null)
    assert.equal(ownerFromLsof('p812\ncnode\nf23\nn127.0.0.1:4141->127.0.0.1:52000\n', connection), null)
    assert.equal(ownerFromLsof('p1\ncx\nn127.0.0.1:52000->93.184.216.34:4141\n', connection), null)
    assert.equal(ownerFromLsof('n127.0.0.1:52000->127.0.0.1:4141\n', connection), null)
  })
})

describe('the output of netstat and tasklist', () => {
  it('names the process in any language of the system', () => {
    const output = [
      '',
      'Aktive Verbindungen',
      '',
      '  Proto  Lokale Adresse         Remoteadresse          Status           PID',
      '  TCP    127.0.0.1:4141         0.0.0.0:0              ABHÖREN          812',
      '  TCP    127.0.0.1:4141         127.0.0.1:52000        HERGESTELLT      812',
      '  TCP    127.0.0.1:52000        127.0.0.1:4141         HERGESTELLT      990',
      '  UDP    127.0.0.1:52000        *:*                                     4',
      '',
    ].join('\r\n')
    assert.equal(pidFromNetstat(output, connection), 990)
  })

  it('names it over IPv6 and leaves out a socket that waits for its end', () => {
    const six = '  TCP    [::1]:52000            [::1]:4141             ESTABLISHED     990\r\n'
    const waiting = '  TCP    127.0.0.1:52000        127.0.0.1:4141         TIME_WAIT       0\r\n'
    assert.equal(pidFromNetstat(waiting + six, connection), 990)
    assert.equal(pidFromNetstat(waiting, connection), null)
  })

  it('gives the name of the program', () => {
    assert.equal(nameFromTasklist('"python.exe","990","Console","1","61,300 K"\r\n', 990), 'python')
    assert.equal(nameFromTasklist('"python.exe","991","Console","1","61,300 K"\r\n', 990), null)
    assert.equal(nameFromTasklist('INFO: No tasks are running which match the specified criteria.\r\n', 990), null)
  })
})

describe('parsers of system tools', () => {
  it('survive any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        inodeFromProcNet(text, connection)
        ownerFromLsof(text, connection)
        pidFromNetstat(text, connection)
        nameFromTasklist(text, 990)
      }),
    )
  })

  it('keep of a path the program only', () => {
    assert.equal(programName('/usr/bin/python3.12'), 'python3.12')
    assert.equal(programName('/opt/agent (deleted)'), 'agent')
    assert.equal(programName('C:\\Program Files\\nodejs\\node.exe'), 'node')
  })
})

describe('findSocketOwner', () => {
  let server: Server
  let child: ChildProcess | null = null

  beforeEach(async () => {
    server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })

  afterEach(async () => {
    if (child !== null && child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    child = null
    await new Promise((resolve) => server.close(resolve))
  })

  /** The gate's end of a connection that a process of its own has opened. */
  async function connectedChild(script: string): Promise<{ readonly socket: Socket; readonly pid: number }> {
    const { port } = server.address() as AddressInfo
    const accepted = once(server, 'connection') as Promise<[Socket]>
    child = spawn(process.execPath, ['-e', script, String(port), '--api-key=secret'], { stdio: 'ignore' })
    const [socket] = await accepted
    return { socket, pid: child.pid! }
  }

  const connects = 'require("node:net").connect(Number(process.argv[1]), "127.0.0.1")'

  it('names the process that has opened a connection, without its arguments', async () => {
    const { socket, pid } = await connectedChild(connects)
    assert.deepEqual(await findSocketOwner(socket), { pid, name: programName(process.execPath) })
    socket.destroy()
  })

  it('names nobody once the process has ended', async () => {
    const { socket } = await connectedChild(connects)
    const { localPort, remotePort } = socket
    child!.kill('SIGKILL')
    await once(child!, 'exit')
    assert.equal(await findSocketOwner({ localPort, remotePort }), null)
    socket.destroy()
  })

  it('names nobody for a socket that is closed already', async () => {
    assert.equal(await findSocketOwner({ localPort: undefined, remotePort: undefined }), null)
  })

  it('asks lsof for one port where there is no /proc', async () => {
    const asked: string[] = []
    const found = await findSocketOwner(connection, 'darwin', (_, args) => {
      asked.push(args.join(' '))
      return Promise.resolve('p990\ncPython\nf3\nn127.0.0.1:52000->127.0.0.1:4141\n')
    })
    assert.deepEqual(found, { pid: 990, name: 'Python' })
    assert.deepEqual(asked, ['-nP -iTCP:52000 -F pcn'])
  })

  it('asks netstat for both families and tasklist for the name on Windows', async () => {
    const asked: string[] = []
    const found = await findSocketOwner(connection, 'win32', (file, args) => {
      asked.push(`${programName(file)} ${args.join(' ')}`)
      if (file.endsWith('tasklist.exe')) return Promise.resolve('"claude.exe","990","Console","1","61,300 K"\r\n')
      return Promise.resolve(args.includes('tcpv6') ? '  TCP  [::1]:52000  [::1]:4141  ESTABLISHED  990\r\n' : '')
    })
    assert.deepEqual(found, { pid: 990, name: 'claude' })
    assert.deepEqual(asked, ['netstat -ano -p tcp', 'netstat -ano -p tcpv6', 'tasklist /FI PID eq 990 /FO CSV /NH'])
  })

  it('names nobody where a tool fails', async () => {
    for (const platform of ['darwin', 'win32'] as const) {
      assert.equal(await findSocketOwner(connection, platform, () => Promise.resolve('')), null)
      assert.equal(await findSocketOwner(connection, platform, () => Promise.reject(new Error('gone'))), null)
    }
    assert.equal(await ownerOnLinux(connection, '/nowhere'), null)
  })
})
