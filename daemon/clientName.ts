/** The first product of a user agent, as ledger and status name a client: `OpenAI/JS`, `claude-cli/2.1`. */
export function clientName(userAgent: string): string {
  return (userAgent.split(' ')[0] ?? '').replace(/[^\x21-\x7e]/g, '').slice(0, 60)
}
