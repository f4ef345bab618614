// An agent of a user: the plain SDK, nothing of Tollgate. Its base URL comes from the terminal's environment.
import OpenAI from 'openai'

const client = new OpenAI()
const prompt = process.argv[2] ?? 'Hello'
try {
  const stream = await client.chat.completions.create({
    model: 'gpt-4o',
    max_tokens: 4000,
    stream: true,
    messages: [{ role: 'user', content: prompt }],
  })
  let pieces = 0
  for await (const chunk of stream) {
    if (chunk.choices[0]?.delta.content) pieces += 1
    if (pieces === 1) console.log('The model answers.')
  }
  console.log(`Done: ${pieces} pieces.`)
} catch (error) {
  console.log(`Stopped: ${error.message}`)
}
