/**
 * What changes between two runs of the same command although nothing happened. It is taken out before results are compared,
 * so that a loop cannot hide behind a clock.
 *
 * Whatever may be progress stays: percentages, sizes, counts, dates without a time, remaining time, line numbers, UUIDs and
 * other ids that are data. A loop that is missed meets the task's ceilings; a run that is halted wrongly meets a person.
 *
 * Each pattern is bounded in length, so that the cost is linear in the text.
 */
const volatile: readonly (readonly [pattern: RegExp, instead: string])[] = [
  // 2026-12-01T10:15:30.123Z, 2026-12-01 10:15:30,123 +0100
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?(?:Z\b|[+-]\d\d:?\d\d\b))?/g, '<time>'],
  // 10:15:30, 10:15:30.123 and 3:05 PM; not file.ts:10:15, and not the time that is left.
  [
    /(?<![\w:.])(?<!\b(?:eta|left|remaining)\W{1,3})(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d{1,9})?(?: ?[ap]m\b)?|(?: ?[ap]m\b))(?![\w:])/gi,
    '<time>',
  ],
  // Seconds or milliseconds since the epoch, where a name says so.
  [
    /(\b(?:[a-z]{0,16}_?(?:time|timestamp|at)|ts|now|epoch|date)["']?\s?[:=]\s?["']?)1\d{9}(?:\d{3}|\.\d{1,9})?\b/gi,
    '$1<time>',
  ],
  // 12 ms, 0.53s, 1m23.4s, 2h5m, 3 minutes; not the time that is left.
  [
    /(?<![\w.])(?<!\b(?:eta|left|remaining)\W{1,3})(?:\d{1,6}h ?)?(?:\d{1,6}m ?)?\d{1,9}(?:\.\d{1,9})? ?(?:ms|ns|us|µs|s|secs?|seconds?|milliseconds?|mins?|minutes?|hrs?|hours?)\b(?! (?:left|remaining|to go))/gi,
    '<duration>',
  ],
  [/(?<![\w.])\d{1,6}h ?\d{1,6}m\b/gi, '<duration>'],
  // "duration_seconds": 1.25, wall_time=0.4
  [
    /(\b(?:[a-z]{1,16}_)?(?:duration|elapsed|latency|took|wall_time)(?:_?(?:ms|s|seconds|time))?["']?\s?[:=]\s?)\d{1,12}(?:\.\d{1,12})?\b/gi,
    '$1<duration>',
  ],
  // pid 4242, process id: 4242, (node:4242), ==4242==
  [/\b(pid|ppid|process id)(["']?\W{1,3})\d{1,10}\b/gi, '$1$2<pid>'],
  [/\(node:\d{1,10}\)|==\d{1,10}==/g, '<pid>'],
  // Names that a program drew at random below a temporary folder.
  [
    /((?:\/tmp|\/var\/folders\/\w{1,4}\/\w{1,64}\/T|\\Temp)[/\\])(?=[\w.-]{0,80}(?:tmp|[a-z]\d|\d[a-z]|X{3}))[\w.-]{1,255}/gi,
    '$1<temp>',
  ],
  [/\bpytest-of-[\w-]{1,64}\/pytest-\d{1,9}/g, '<temp>'],
  // <Task object at 0x7f3c2a1b0d90>
  [/\b0x[0-9a-f]{8,16}\b/gi, '<address>'],
  // Ports that the system chose.
  [/\b(localhost|127\.0\.0\.1|\[::1\]):[3-6]\d{4}\b/g, '$1:<port>'],
  // Ids of the request itself, not of what it is about.
  [/(\b(?:x-)?(?:request|trace|span|correlation)[-_ ]?id["']?\s?[:=]\s?["']?)[\w-]{6,80}/gi, '$1<id>'],
]

/** Characters at each end of a result that are looked at; between them only the length counts. */
const endChars = 64 * 1024

/** A tool result without what changes by itself. Pure, linear, at most 128 KB of work. */
export function withoutVolatile(result: string): string {
  if (result.length <= 2 * endChars) return replaced(result)
  return `${replaced(result.slice(0, endChars))}\n${result.length}\n${replaced(result.slice(-endChars))}`
}

function replaced(text: string): string {
  let left = text
  for (const [pattern, instead] of volatile) left = left.replace(pattern, instead)
  return left.trimEnd()
}
