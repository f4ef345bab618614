import type { Rig, RigOptions } from './rig.ts'

/** One line of the report. */
export interface Row {
  readonly what: string
  readonly value: number
  readonly unit: string
  /** The comparison that makes the value mean something on another machine: `0.61 x the peer's 0.45 ms`. */
  readonly compared?: string
  /** What is to be reached, in words; absent for a value that only gives context. */
  readonly goal?: string
  readonly ok?: boolean
}

/** What a figure may use. */
export interface Bench {
  readonly rig: Rig
  readonly options: RigOptions
  /** Fewer rounds: good for a look, not for a number to quote. */
  readonly quick: boolean
}

/** One measurement. */
export type Figure = (bench: Bench) => Promise<readonly Row[]>

/** A ratio as it is printed. */
export function times(value: number): string {
  return `${value.toFixed(2)} x`
}
