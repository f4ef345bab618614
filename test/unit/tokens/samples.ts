import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Bytes that look random and are the same in every run. */
function noise(bytes: number): Buffer {
  const blocks: Buffer[] = []
  for (let block = 0; block * 32 < bytes; block++) blocks.push(createHash('sha256').update(`block ${block}`).digest())
  return Buffer.concat(blocks).subarray(0, bytes)
}

const code = readFileSync(join(import.meta.dirname, '../../../daemon/tokens/media.ts'), 'utf8')

/** A few kilobytes of each kind of text that estimators get wrong. */
export const samples: Readonly<Record<string, string>> = {
  'English prose':
    'The reservation is taken before the call is made, and replaced once by what was really used. '.repeat(40),
  TypeScript: code,
  JSON: JSON.stringify(
    Array.from({ length: 60 }, (_, id) => ({ id, name: `user ${id}`, tags: ['a', 'b'], at: 1_700_000_000 + id })),
    null,
    2,
  ),
  'minified code': 'var e=t=>t?n(t,[r]):o;for(let i=0;i<a.length;i++)s[i]=e(a[i].b.c);'.repeat(50),
  Chinese: '人工智能正在改变世界的方方面面，我们需要仔细计算每一次调用的成本，以避免意外的账单。'.repeat(40),
  Japanese: 'この関数は、呼び出しの前に最悪の場合の費用を見積もり、上限を超える呼び出しを拒否します。'.repeat(40),
  Russian: 'Съешь же ещё этих мягких французских булок, да выпей чаю, пока счёт не пришёл. '.repeat(40),
  Arabic: 'يحسب النظام تكلفة كل طلب قبل إرساله ويرفض ما يتجاوز الحد المسموح به. '.repeat(40),
  Hindi: 'यह प्रणाली हर अनुरोध की लागत पहले से जाँचती है और सीमा से अधिक को रोकती है। '.repeat(40),
  Thai: 'ระบบจะคำนวณค่าใช้จ่ายก่อนการเรียกใช้ทุกครั้งและปฏิเสธสิ่งที่เกินขีดจำกัด '.repeat(40),
  base64: noise(3000).toString('base64'),
  hex: noise(2000).toString('hex'),
  numbers: Array.from({ length: 500 }, (_, index) => String((index * 7919) % 100_003)).join(' '),
  emoji: '👩‍👩‍👧‍👦🎉🏳️‍🌈👍🏽'.repeat(60),
  indentation: '\n                    x\n\t\t\t\t\ty'.repeat(150),
}
