import { daysFrom, mostDays } from '../../tasks/calibration.ts'

/** What `tollgate calibrate` is asked to do. */
export interface CalibrateAsk {
  /** Days of history; null: the daemon's own default. */
  readonly days: number | null
  /** The only plan that is looked at; null: all. */
  readonly plan: string | null
  /** Write the configuration instead of only showing what would change. */
  readonly apply: boolean
  /** File of the configuration as it was typed; null: the one in the data directory. */
  readonly config: string | null
  readonly json: boolean
}

/** Reads the options of `calibrate`; a string is what is wrong with them, in one sentence. */
export function readCalibrate(
  option: (name: string) => string | null,
  isSet: (name: string) => boolean,
): CalibrateAsk | string {
  const asked = option('days')
  const days = asked === null ? null : daysFrom(asked)
  if (asked !== null && days === null) return `--days must be a whole number from 1 to ${mostDays}, not "${asked}".`
  return { days, plan: option('plan'), apply: isSet('apply'), config: option('config'), json: isSet('json') }
}
