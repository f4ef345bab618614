import assert from 'node:assert/strict'
import { RecentMap } from '../../../daemon/tasks/recentMap.ts'

describe('RecentMap', () => {
  it('forgets what was used longest ago', () => {
    const map = new RecentMap<string>(2)
    for (const key of ['a', 'b', 'a', 'c']) map.use(key, () => key)
    assert.deepEqual(map.recent(), ['c', 'a'])
  })

  it('keeps what may not leave, as long as something else can', () => {
    const map = new RecentMap<string>(2, (value) => value !== 'a')
    for (const key of ['a', 'b', 'c', 'd']) map.use(key, () => key)
    assert.deepEqual(map.recent(), ['d', 'a'])
  })

  it('holds its bound even where nothing may leave', () => {
    const map = new RecentMap<number>(100, () => false)
    for (let at = 0; at < 1000; at += 1) map.use(String(at), () => at)
    assert.equal(map.size, 100)
    assert.equal(map.peek('0'), undefined)
  })
})
