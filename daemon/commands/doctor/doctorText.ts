import { printable } from '../terminal.ts'
import type { Section } from './check.ts'

/** The checks as a person reads them: a line each, and below it the details and what to do. */
export function doctorText(sections: readonly Section[]): string {
  return sections
    .map(({ title, checks }) => {
      const lines = checks.flatMap(({ verdict, says, details = [], next }) => [
        `  ${verdict.padEnd(6)}${printable(says)}`,
        ...details.map((detail) => `          ${printable(detail)}`),
        ...(next === null ? [] : [`        > ${printable(next)}`]),
      ])
      return `${title}\n${lines.map((line) => `${line}\n`).join('')}`
    })
    .join('\n')
}
