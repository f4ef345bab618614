import type { IncomingMessage, ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { version, protocolVersion } from '../../shared/build.ts'
import { refusalCodes } from '../../shared/codes.ts'
import type { Health, KillRequest } from '../../shared/protocol.ts'
import type { Gate } from '../gate.ts'
import type { EventFilter } from '../observe/eventMemory.ts'
import { readBody } from '../http/body.ts'
import { calibrationReport, readDays } from './calibration.ts'
import { changeCaps } from './caps.ts'
import { gauges } from './gauges.ts'
import { listCaps } from './capList.ts'
import { StopStays } from './pendingStops.ts'
import { giveGrant, readGrant, withdrawGrant } from './grantApi.ts'
import { readReportQuery, spendReport } from './report.ts'
import { readCaps, readKill, readShutdown } from './requests.ts'
import { keepReconciliation, readReconciliation } from './reconciliationApi.ts'
import { readSeriesQuery, spendSeries } from './series.ts'
import { statusReport } from './statusReport.ts'
import { chargeTask, readCharge, readTaskRequest, setTaskCeilings, steerTask, taskActions } from './taskApi.ts'
import { listUpstreams } from './upstreamsApi.ts'
import { readDayRange, usageByUtcDay } from './usageByDay.ts'

/** What the control addresses need besides the gate. */
export interface ControlActions {
  /** Ends the daemon as SIGTERM does; `forSuccessor`: its windows are told that another one comes. */
  readonly shutDown: (forSuccessor: boolean) => void
}

const mostRows = 1000
const bodyLimits = { maxBytes: 64 * 1024, idleMs: null, totalMs: 10_000 }

/** `GET /healthz`: no key, so that a client can see that somebody is there and who. */
export function health(gate: Gate): Health {
  return { name: 'tollgate', version, protocol: protocolVersion, pid: process.pid, inFlight: gate.inFlight.open }
}

/** Answers `/metrics` and `/api/*`. The caller has checked Host, Origin and token. */
export async function answerControl(
  gate: Gate,
  actions: ControlActions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://gate')
  const route = `${request.method ?? 'GET'} ${url.pathname}`
  switch (route) {
    case 'GET /metrics': {
      response.writeHead(200, {
        'content-type': 'text/plain; version=0.0.4; charset=utf-8',
        'cache-control': 'no-store',
      })
      response.end(gate.metrics.render(gauges(gate)))
      return
    }
    case 'GET /api/status':
      return json(response, 200, statusReport(gate))
    case 'GET /api/calls': {
      const task = url.searchParams.get('task')
      const call = url.searchParams.get('call')
      const calls = gate.ledger.calls({
        sinceMs: since(url),
        limit: limit(url),
        ...(task === null ? {} : { task }),
        ...(call === null ? {} : { call }),
      })
      return json(response, 200, { calls })
    }
    case 'GET /api/events':
      return json(response, 200, { events: gate.events.list(eventFilter(url)) })
    case 'GET /api/report': {
      const { day } = gate.calendar.periods(gate.nowMs())
      const query = readReportQuery((name) => url.searchParams.get(name), day)
      if (typeof query === 'string') return fail(response, 400, 'invalid_request', query)
      return json(response, 200, spendReport(gate.ledger, gate.config(), query))
    }
    case 'GET /api/series': {
      const nowMs = gate.nowMs()
      const query = readSeriesQuery((name) => url.searchParams.get(name), gate.calendar.periods(nowMs).day)
      if (typeof query === 'string') return fail(response, 400, 'invalid_request', query)
      const parts = { ledger: gate.ledger, config: gate.config(), nowMs }
      return json(response, 200, await spendSeries(parts, query, setImmediate))
    }
    case 'GET /api/caps':
      return json(response, 200, listCaps(gate))
    case 'GET /api/upstreams':
      return json(response, 200, listUpstreams(gate.config()))
    case 'GET /api/check':
      return json(response, 200, { drift: gate.selfCheck.run(gate.nowMs()) })
    case 'GET /api/calibration': {
      const days = readDays(url.searchParams.get('days'))
      if (typeof days === 'string') return fail(response, 400, 'invalid_request', days)
      return json(response, 200, calibrationReport(gate, days))
    }
    case 'GET /api/usage-by-utc-day': {
      const range = readDayRange(url.searchParams.get('from'), url.searchParams.get('to'))
      const usage = typeof range === 'string' ? range : await usageByUtcDay(gate, range, setImmediate)
      return typeof usage === 'string' ? fail(response, 400, 'invalid_request', usage) : json(response, 200, usage)
    }
    case 'POST /api/reconciliations':
      return withBody(request, response, readReconciliation, (summary) =>
        json(response, 200, keepReconciliation(gate, summary)),
      )
    case 'POST /api/kill':
      return withBody(request, response, readKill, (kill: KillRequest) => json(response, 200, gate.kills.kill(kill)))
    case 'POST /api/resume':
      return withBody(request, response, readKill, (kill: KillRequest) => {
        try {
          gate.kills.resume(kill)
        } catch (fault) {
          if (!(fault instanceof StopStays)) throw fault
          return fail(response, 503, 'stop_stays', fault.message)
        }
        if (kill.scope === 'task' && kill.ref !== undefined) steerTask(gate, kill.ref, 'resume')
        json(response, 200, { killed: gate.kills.current().some((one) => one.scope === 'global') })
      })
    case 'POST /api/caps':
      return withBody(request, response, readCaps, (caps) => {
        changeCaps(gate, caps)
        const { budgets } = gate.config()
        json(response, 200, {
          userDaily: budgets.userDaily,
          tenantDaily: budgets.tenantDaily,
          tenantMonthly: budgets.tenantMonthly,
        })
      })
    case 'POST /api/tasks':
      return withBody(request, response, readTaskRequest, (task) => json(response, 200, setTaskCeilings(gate, task)))
    case 'POST /api/grants':
      return withBody(
        request,
        response,
        (value) => readGrant(value, gate.nowMs(), gate.config(), gate.calendar),
        (grant) => json(response, 200, giveGrant(gate, grant)),
      )
    case 'POST /api/shutdown':
      return withBody(request, response, readShutdown, ({ handOver, restart }) => {
        // From here to the end of `shutDown` nothing waits, so that no call can slip in.
        if (handOver && gate.inFlight.open > 0) {
          return fail(response, 409, 'busy', 'Calls are in flight. A successor may ask again when they have ended.')
        }
        json(response, 202, { stopping: true })
        actions.shutDown(handOver || restart)
      })
    default:
      if (answerWithdrawal(gate, route, response)) return
      if (await answerTask(gate, route, request, response)) return
      return fail(response, 404, 'not_found', `There is no ${route}. See docs/control.md for the addresses.`)
  }
}

/** `POST /api/grants/<id>/withdraw`; false for any other route. */
function answerWithdrawal(gate: Gate, route: string, response: ServerResponse): boolean {
  const id = /^POST \/api\/grants\/(\d{1,15})\/withdraw$/.exec(route)?.[1]
  if (id === undefined) return false
  const answer = withdrawGrant(gate, Number(id))
  if (answer === null) fail(response, 404, 'not_found', `No grant ${id} to a window is in force.`)
  else json(response, 200, answer)
  return true
}

/** `POST /api/tasks/<id>/halt`, `/resume`, `/pause`, `/charges`; false for any other route. */
async function answerTask(
  gate: Gate,
  route: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const [, task, word] = /^POST \/api\/tasks\/([A-Za-z0-9_-]{1,128})\/([a-z]+)$/.exec(route) ?? []
  const action = taskActions.find((one) => one === word)
  if (task === undefined || action === undefined) return false
  if (action === 'charges') {
    const { toolCharges } = gate.config()
    await withBody(
      request,
      response,
      (value) => readCharge(value, toolCharges),
      (nanoEur) => json(response, 200, chargeTask(gate, task, nanoEur)),
    )
  } else json(response, 200, steerTask(gate, task, action))
  return true
}

/** A control answer that is a fault: what happened and what to do. */
export function fail(response: ServerResponse, status: number, code: string, message: string): void {
  json(response, status, { error: { code, message } })
}

function json(response: ServerResponse, status: number, value: unknown): void {
  const body = JSON.stringify(value)
  response.writeHead(status, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'content-length': String(Buffer.byteLength(body)),
  })
  response.end(body)
}

async function withBody<Value>(
  request: IncomingMessage,
  response: ServerResponse,
  parse: (value: unknown) => Value | string,
  act: (value: Exclude<Value, string>) => void,
): Promise<void> {
  const read = await readBody(request, bodyLimits)
  if (read.kind === 'gone') return
  if (read.kind === 'refused') {
    const { code } = read.refusal
    return fail(
      response,
      refusalCodes[code].status,
      code,
      'A control request has at most 64 KiB and comes within 10 s.',
    )
  }
  let value: unknown
  try {
    value = read.bytes.length === 0 ? {} : JSON.parse(read.bytes.toString('utf8'))
  } catch {
    return fail(response, 400, 'invalid_request', 'The body is not valid JSON.')
  }
  const parsed = parse(value)
  if (typeof parsed === 'string') return fail(response, 400, 'invalid_request', parsed)
  act(parsed as Exclude<Value, string>)
}

/** `since` is milliseconds since the epoch or an ISO time. */
function since(url: URL): number {
  const text = url.searchParams.get('since')
  if (text === null || text === '') return 0
  const ms = /^\d+$/.test(text) ? Number(text) : Date.parse(text)
  return Number.isFinite(ms) ? ms : 0
}

/** `event` names one kind or several, `before` is the id of an event that is known. */
function eventFilter(url: URL): EventFilter {
  const names = url.searchParams.get('event')?.split(',') ?? null
  const before = url.searchParams.get('before') ?? ''
  const beforeId = /^\d+$/.test(before) ? Number(before) : Infinity
  return { sinceMs: since(url), limit: limit(url), names, beforeId }
}

function limit(url: URL): number {
  const asked = Number(url.searchParams.get('limit') ?? 100)
  return Number.isInteger(asked) && asked > 0 ? Math.min(asked, mostRows) : 100
}
