// The package's entry also loads fetch, WebSocket, caches and mocks: 4 MB that a daemon at rest would carry for nothing.
import Agent from 'undici/lib/dispatcher/agent.js'

/** undici's pool of connections to all providers. */
export { Agent }
