// A prompt that is longer than the context of a local model, sent to Ollama's own route.
const words = 'The barrier is lowered, the coin is counted, the barrier is raised. '
const response = await fetch(`${process.env.OLLAMA_API_BASE}/api/chat`, {
  method: 'POST',
  body: JSON.stringify({ model: 'qwen3:4b', stream: false, messages: [{ role: 'user', content: words.repeat(900) }] }),
})
console.log(`${response.status}: ${(await response.text()).length} characters.`)
