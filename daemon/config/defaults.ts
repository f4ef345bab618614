import type { Config, Plan, Upstream } from '../../shared/config.ts'
import type { FilePlan } from './schema.ts'

/** The plan that every other plan inherits from: agents under development, each ceiling several times the healthy p99. */
const agent: Plan = {
  maxBodyBytes: 33_554_432,
  maxMessageChars: null,
  maxConversationTokens: null,
  defaultOutputTokens: 4096,
  maxOutputTokens: 32_000,
  maxN: 1,
  allowLogprobs: false,
  models: null,
  expectedUserAgents: [],
  timeouts: { connectMs: 10_000, firstByteMs: 120_000, idleMs: 120_000, totalMs: 600_000 },
  rate: { callsPerMinute: null, tokensPerMinute: null, eurPerMinute: null, concurrent: 32 },
  task: {
    maxIterations: 25,
    maxInputTokens: 2_000_000,
    maxWallSeconds: 300,
    maxEur: 5,
    warnAt: 0.7,
    constrainAt: 0.85,
    haltGraceSeconds: 30,
    sessionTimes: 20,
    onConstrained: { cheaperModel: true, disablePaidTools: true, compact: true, maxOutputTokens: 1024 },
  },
  estimator: 'tokenizer',
  loop: { maxRepeats: 2, maxCycle: 6, action: 'halt' },
  truncation: { before: 'warn', after: 'warn', maxNumCtx: 32_768 },
  storm: { starts: 20, windowSeconds: 600 },
  degrade: { cache: false, fallback: null },
}

/**
 * A coding assistant reads a whole repository and runs for an hour on one human message: hundreds of calls, each with a
 * transcript of some 100,000 tokens that are mostly cached. The ceilings of `agent` would stop healthy work, and a changed
 * model or a compacted transcript would break the assistant's own, so a constrained task only loses its longest answers.
 */
const coding: FilePlan = {
  maxOutputTokens: 64_000,
  expectedUserAgents: [
    'claude-cli/',
    'claude-code',
    'codex',
    'gemini-cli',
    'geminicli',
    'opencode',
    'aider',
    'cline',
    'roo-code',
    'roocode',
    'roo code',
    'kilo-code',
    'kilo code',
    'continue/',
    'continuedev',
  ],
  timeouts: { totalMs: 1_800_000 },
  task: {
    maxIterations: 400,
    maxInputTokens: 60_000_000,
    maxWallSeconds: 7200,
    maxEur: 20,
    onConstrained: { cheaperModel: false, disablePaidTools: false, compact: false, maxOutputTokens: 16_000 },
  },
  loop: { maxRepeats: 5 },
  storm: { starts: 60 },
}

/** A chat window for people: short messages, short answers, a reply within half a minute. */
const chat: FilePlan = {
  maxBodyBytes: 32_768,
  maxMessageChars: 8000,
  maxConversationTokens: 6000,
  maxOutputTokens: 400,
  timeouts: { totalMs: 30_000 },
}

/** The complete plan that the others build on. */
export const basePlan: Plan = agent

/** Built-in plans besides `agent`, as differences from it. */
export const builtInPlans: Readonly<Record<string, FilePlan>> = { agent: {}, coding, chat }

const upstreams: Readonly<Record<string, Upstream>> = {
  openai: { baseUrl: 'https://api.openai.com/v1', dialect: 'openai', free: false },
  anthropic: { baseUrl: 'https://api.anthropic.com', dialect: 'anthropic', free: false },
  gemini: { baseUrl: 'https://generativelanguage.googleapis.com', dialect: 'gemini', free: false },
  ollama: { baseUrl: 'http://127.0.0.1:11434', dialect: 'ollama', free: true },
  openrouter: { baseUrl: 'https://openrouter.ai/api/v1', dialect: 'openai', free: false },
  groq: { baseUrl: 'https://api.groq.com/openai/v1', dialect: 'openai', free: false },
  mistral: { baseUrl: 'https://api.mistral.ai/v1', dialect: 'openai', free: false },
  deepseek: { baseUrl: 'https://api.deepseek.com/v1', dialect: 'openai', free: false },
  xai: { baseUrl: 'https://api.x.ai/v1', dialect: 'openai', free: false },
  lmstudio: { baseUrl: 'http://127.0.0.1:1234/v1', dialect: 'openai', free: true },
  vllm: { baseUrl: 'http://127.0.0.1:8000/v1', dialect: 'openai', free: true },
  llamacpp: { baseUrl: 'http://127.0.0.1:8080/v1', dialect: 'openai', free: true },
}

/** Everything but the plans, which inherit, and the zone, which is the system's. */
export const defaults: Omit<Config, 'plans' | 'timezone'> = {
  requireKey: true,
  tenant: 'personal',
  user: 'me',
  currency: { code: 'EUR', usdRate: 0.92, asOf: '2026-11-01' },
  budgets: {
    userDaily: { eur: 10, tokens: null },
    tenantDaily: { eur: null, tokens: null },
    tenantMonthly: { eur: 150, tokens: null },
    projects: {},
    models: {},
    alertAt: 0.8,
    heldWaitMs: 5000,
    minOutputTokens: 256,
  },
  plan: 'agent',
  keys: [],
  tiers: {},
  toolCharges: {},
  prices: { overrides: [], corrections: [], multipliers: {}, toolFees: {}, unpriced: 'refuse' },
  subscriptions: { countEuros: false },
  upstreams,
  refusals: 'auto',
  ledger: 'sqlite',
  retention: { callsDays: 400, eventsDays: 90 },
  drainSeconds: 5,
  idleExitMinutes: 0,
}
