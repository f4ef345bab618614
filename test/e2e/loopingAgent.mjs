// An agent that never comes to an end: it does whatever the model asks for next. The plain SDK, nothing of Tollgate. Its base
// URL comes from the terminal's environment.
import OpenAI from 'openai'

const client = new OpenAI()
const messages = [{ role: 'user', content: process.argv[2] ?? 'Hello' }]
try {
  for (let turn = 1; ; turn += 1) {
    const { choices } = await client.chat.completions.create({ model: 'gpt-4o', max_tokens: 400, messages })
    const { message } = choices[0]
    messages.push(message)
    if (!message.tool_calls?.length) break
    for (const call of message.tool_calls) {
      console.log(`Turn ${turn}: ${call.function.name} ${call.function.arguments}`)
      messages.push({ role: 'tool', tool_call_id: call.id, content: `${call.function.arguments} has nothing new.` })
    }
  }
} catch (error) {
  console.log(`Stopped: ${error.message}`)
}
