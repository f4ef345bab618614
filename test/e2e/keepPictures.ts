import { copyFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Takes the pictures that `pictures.e2e.ts` has made over into the README's folder. A test never writes there by itself. */
const mark = 'readme-'
for (const name of readdirSync('artifacts').filter((file) => file.startsWith(mark) && file.endsWith('.png'))) {
  const kept = join('media', 'readme', name.slice(mark.length))
  copyFileSync(join('artifacts', name), kept)
  console.log(kept)
}
