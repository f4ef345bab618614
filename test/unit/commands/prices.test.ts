import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { readArguments } from '../../../daemon/commands/arguments.ts'
import { CommandFailure } from '../../../daemon/commands/daemonClient.ts'
import type { ListedPrice } from '../../../daemon/commands/prices/listText.ts'
import { runPrices } from '../../../daemon/commands/prices/prices.ts'
import { storedPrices } from '../../../daemon/config/priceFile.ts'
import { recordedTerminal } from './fakeDaemon.ts'

const nowMs = Date.parse('2026-11-30T12:00:00Z')

describe('tollgate prices', () => {
  let dataDir: string
  let file: string

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'tollgate-prices-'))
    file = join(dataDir, 'config.json')
  })
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

  /** The clock of the next command. */
  let clockMs = nowMs
  beforeEach(() => (clockMs = nowMs))

  /** Runs the words behind `tollgate prices`; what it printed, or the sentence that it failed with. */
  async function prices(
    ...words: readonly string[]
  ): Promise<{ readonly out: string; readonly failed: string | null }> {
    const invocation = readArguments(['prices', ...words])
    if (invocation.command !== 'prices') assert.fail(JSON.stringify(invocation))
    const terminal = recordedTerminal()
    try {
      assert.equal(await runPrices(dataDir, invocation.ask, terminal, clockMs), 0)
      return { out: terminal.written(), failed: null }
    } catch (failure) {
      if (!(failure instanceof CommandFailure)) throw failure
      return { out: terminal.written(), failed: failure.message }
    }
  }

  async function listed(...words: readonly string[]): Promise<readonly ListedPrice[]> {
    const { out, failed } = await prices('list', '--json', ...words)
    assert.equal(failed, null)
    return JSON.parse(out) as ListedPrice[]
  }

  async function inputOf(model: string, upstream = 'openai'): Promise<number | undefined> {
    return (await listed('--model', model, '--provider', upstream))[0]?.tiers[0]?.input
  }

  function writeUpdate(value: unknown, name = 'update.json'): string {
    const path = join(dataDir, name)
    writeFileSync(path, typeof value === 'string' || Buffer.isBuffer(value) ? value : JSON.stringify(value))
    return path
  }

  const cheaper = [{ id: 'openai', models: [{ id: 'gpt-5', prices: { input_mtok: 1, output_mtok: 8 } }] }]

  describe('list', () => {
    it('shows what the gate would charge, with tiers, source and date', async () => {
      const { out } = await prices('list', '--model', 'gpt-5.5', '--provider', 'openai')
      assert.match(out, /^gpt-5\.5 +openai +5 +30 +0\.5 .* openai\/gpt-5\.5, table of 2026-09-23$/m)
      assert.match(out, /^ +10 +45 +1 .* 27\d,\d{3}$/m)
    })

    it('looks a name up as the gate does: date, path and label', async () => {
      for (const name of ['gpt-4o-2024-11-20', 'openai/gpt-4o', 'gpt-4o[1m]']) {
        assert.deepEqual(
          (await listed('--model', name, '--provider', 'openai')).map(({ entry, model }) => [entry, model]),
          [['openai/gpt-4o', name]],
        )
      }
    })

    it('shows every name that a pattern matches, and those of the configuration', async () => {
      await prices('set', 'gpt-4o-house', '--input', '1', '--output', '2')
      const names = (await listed('--model', 'gpt-4o-*', '--provider', 'openai')).map(({ model }) => model)
      assert.ok(names.includes('gpt-4o-house') && names.includes('gpt-4o-2024-05-13'), names.join(' '))
      assert.ok(!names.includes('gpt-4o'))
      assert.ok((await listed()).length > 500)
    })

    it('E02: fails for a name without a price, names the near one and the command', async () => {
      const { failed } = await prices('list', '--model', 'claude-opus-4.1', '--provider', 'anthropic')
      assert.match(
        failed ?? '',
        /^No price is known for "claude-opus-4\.1" at anthropic\. .*claude-opus-4-1.* tollgate prices set MODEL/,
      )
      assert.match(
        (await prices('list', '--model', 'nobody-*')).failed ?? '',
        /^No model that matches "nobody-\*" has a price\.$/,
      )
    })

    it('knows no free and no unknown upstream', async () => {
      assert.match(
        (await prices('list', '--provider', 'ollama')).failed ?? '',
        /ollama is free: its calls have no price/,
      )
      assert.match(
        (await prices('list', '--provider', 'acme')).failed ?? '',
        /no upstream "acme"\. Upstreams: openai, /,
      )
    })
  })

  describe('set and unset', () => {
    const own = `{
  // Ours.
  "prices": {
    "overrides": [
      { "match": "*", "prices": { "input_mtok": 5, "output_mtok": 25 } } // whatever else
    ]
  }
}
`

    it('E01: give an unknown model a price in one step', async () => {
      assert.notEqual((await prices('list', '--model', 'my-model')).failed, null)
      const { out } = await prices(
        'set',
        'my-model',
        '--provider',
        'openai',
        '--input',
        '3',
        '--output',
        '15',
        '--cache-read',
        '0.3',
        '--cache-write',
        '3.75',
        '--cache-write-hour',
        '6',
      )
      assert.match(
        out,
        /^my-model costs 3 in and 15 out \(USD per million tokens\) at openai\.\n.*config\.json is changed/,
      )
      const [price] = await listed('--model', 'my-model')
      assert.deepEqual(
        [price?.upstream, price?.source, price?.tiers],
        [
          'openai',
          'override',
          [{ aboveInputTokens: 0, input: 3, output: 15, cacheRead: 0.3, cacheWrite5m: 3.75, cacheWrite1h: 6 }],
        ],
      )
      if (process.platform !== 'win32') assert.equal(statSync(file).mode & 0o777, 0o600)
    })

    it('write in front of the others, because the first that matches holds, and keep the rest of the file', async () => {
      writeFileSync(file, own)
      await prices('set', 'gpt-5', '--input', '1', '--output', '9')
      assert.equal(
        readFileSync(file, 'utf8'),
        own.replace('[\n', '[\n      { "match": "gpt-5", "prices": { "input_mtok": 1, "output_mtok": 9 } },\n'),
      )
      assert.equal(await inputOf('gpt-5'), 1)
      await prices('unset', 'gpt-5')
      assert.equal(readFileSync(file, 'utf8'), own)
    })

    it('replace the price of the same name and upstream, and bring it to the front where another would win', async () => {
      writeFileSync(file, own)
      await prices('set', 'm', '--input', '1', '--output', '5')
      await prices('set', 'm', '--provider', 'groq', '--input', '3', '--output', '5')
      await prices('set', 'm', '--input', '1.5', '--output', '5')
      assert.equal(await inputOf('m'), 1.5)
      assert.equal(await inputOf('m', 'groq'), 1.5, 'the newest is in front')
      const text = readFileSync(file, 'utf8')
      assert.deepEqual(text.match(/"match": "m"/g)?.length, 2)
      assert.match(text, /"provider": "groq", "match": "m", "prices": \{ "input_mtok": 3, "output_mtok": 5 \}/)
    })

    it('E08: refuse a price that moves more than tenfold, say both figures, and take it with --yes', async () => {
      const words = ['set', 'gpt-5', '--provider', 'openai', '--input', '125', '--output', '10'] as const
      const { failed } = await prices(...words)
      assert.match(failed ?? '', /gpt-5 at openai: input from 1\.25 to 125 USD per million tokens/)
      assert.match(failed ?? '', /--yes/)
      assert.equal(storedPrices(dataDir).kind, 'none')
      assert.throws(() => readFileSync(file), 'nothing was written')
      assert.equal((await prices(...words, '--yes')).failed, null)
      assert.equal(await inputOf('gpt-5'), 125)
      // Against the former override, and exactly tenfold is not more.
      assert.equal(
        (await prices('set', 'gpt-5', '--provider', 'openai', '--input', '12.5', '--output', '10')).failed,
        null,
      )
      assert.match(
        (await prices('set', 'gpt-5', '--provider', 'openai', '--input', '1.2', '--output', '10')).failed ?? '',
        /from 12\.5 to 1\.2/,
      )
    })

    it('E08: look at every model that a pattern matches', async () => {
      const { failed } = await prices('set', 'gpt-5*', '--provider', 'openai', '--input', '0', '--output', '10')
      assert.match(failed ?? '', /gpt-5 at openai: input from 1\.25 to 0 USD/)
      assert.match(failed ?? '', /and \d+ more/)
    })

    it('say what is not there', async () => {
      assert.match(
        (await prices('unset', 'm')).failed ?? '',
        /has no price of its own for "m" at any upstream\. It has none\.$/,
      )
      writeFileSync(file, own)
      assert.match(
        (await prices('unset', 'm', '--provider', 'groq')).failed ?? '',
        /"m" at groq\. It has prices for \*\.$/,
      )
    })

    it('change no file that is not valid', async () => {
      writeFileSync(file, '{ "budget": {} }')
      assert.match((await prices('set', 'm', '--input', '1', '--output', '1')).failed ?? '', /is not valid: .*budget/)
      assert.equal(readFileSync(file, 'utf8'), '{ "budget": {} }')
    })
  })

  describe('update and reset', () => {
    it('puts the prices of a file in the place of the table, with their own date, and takes them away', async () => {
      const { out } = await prices('update', writeUpdate(cheaper), '--as-of', '2026-11-28')
      assert.match(out, /^1 price of 2026-11-28 now in force/)
      assert.equal(await inputOf('gpt-5'), 1)
      assert.equal((await listed('--model', 'gpt-5', '--provider', 'openai'))[0]?.asOf, '2026-11-28')
      assert.match(
        (await prices('age')).out,
        /^Prices are of 2026-11-28 \(2 days old\): an update with 1 price, put there 2026-11-30\./,
      )
      assert.match((await prices('reset')).out, /The built-in table of 2026-09-23 holds again/)
      assert.equal(await inputOf('gpt-5'), 1.25)
      assert.deepEqual(readdirSync(dataDir).sort(), ['update.json'])
      assert.match((await prices('reset')).out, /there was no update/)
    })

    it('takes the day on which the file was changed for the date, where nothing says another', async () => {
      const path = writeUpdate(cheaper)
      utimesSync(path, new Date(nowMs), new Date('2026-10-05T10:00:00Z'))
      assert.match((await prices('update', path)).out, /of 2026-10-05/)
      assert.match(
        (await prices('update', writeUpdate({ asOf: '2026-10-07', providers: cheaper }))).out,
        /of 2026-10-07/,
      )
      assert.equal(readdirSync(dataDir).filter((name) => /^prices-/.test(name)).length, 1, 'the older data is gone')
    })

    it('lets prices of the configuration win over those of the file', async () => {
      await prices('update', writeUpdate(cheaper))
      await prices('set', 'gpt-5', '--input', '2', '--output', '8')
      assert.equal(await inputOf('gpt-5'), 2)
    })

    it('E08: keeps the prices that hold when the file is gzip, HTML, missing or too large', async () => {
      await prices('update', writeUpdate(cheaper))
      const garbage: readonly (readonly [string | Buffer, RegExp])[] = [
        [gzipSync('[]'), /cannot be read: it is no JSON\./],
        ['<html>404</html>', /cannot be read: it is no JSON\./],
        ['[]', /holds no prices/],
        [Buffer.alloc(10 * 1024 * 1024 + 1, 0x20), /larger than 10 MB/],
      ]
      for (const [content, says] of garbage) {
        const { failed } = await prices('update', writeUpdate(content, 'bad.json'))
        assert.match(failed ?? '', says)
        assert.match(failed ?? '', /The prices stay as they are\.$/)
      }
      assert.match((await prices('update', join(dataDir, 'nowhere.json'))).failed ?? '', /cannot be read/)
      assert.equal(await inputOf('gpt-5'), 1)
    })

    it('E08: refuses a table with prices times a thousand, and takes it with --yes', async () => {
      const dear = writeUpdate([
        { id: 'openai', models: [{ id: 'gpt-5', prices: { input_mtok: 1250, output_mtok: 10_000 } }] },
      ])
      assert.match((await prices('update', dear)).failed ?? '', /gpt-5 at openai: input from 1\.25 to 1250 USD/)
      assert.equal(await inputOf('gpt-5'), 1.25)
      assert.equal((await prices('update', dear, '--yes')).failed, null)
      assert.equal(await inputOf('gpt-5'), 1250)
    })

    it('E08: does not use data that was changed behind its back, and says so', async () => {
      await prices('update', writeUpdate(cheaper))
      const name = readdirSync(dataDir).find((one) => /^prices-/.test(one))!
      const path = join(dataDir, name)
      writeFileSync(path, readFileSync(path, 'utf8').replace('"input_mtok":1', '"input_mtok":0'))
      assert.equal(storedPrices(dataDir).kind, 'damaged')
      assert.match(
        (await prices('age')).out,
        /The update beside the ledger is not used: prices-[0-9a-f]{16}\.json is not what was put there/,
      )
      assert.equal(await inputOf('gpt-5'), 1.25)
      assert.equal((await prices('update', writeUpdate(cheaper))).failed, null)
      const record = join(dataDir, 'prices.json')
      const elsewhere = readFileSync(record, 'utf8').replace(/prices-/, '../' + basename(dataDir) + '/prices-')
      assert.equal(storedPrices(dataDir).kind, 'found')
      writeFileSync(record, elsewhere)
      assert.equal(storedPrices(dataDir).kind, 'damaged', 'no file of another place is read')
    })
  })

  describe('age', () => {
    it('says that old prices and a stale rate are old, and what to do', async () => {
      writeFileSync(file, '{ "currency": { "usdRate": 0.9, "asOf": "2026-08-01" } }')
      clockMs = nowMs + 60 * 86_400_000
      const { out } = await prices('age')
      assert.match(
        out,
        /^Prices are of 2026-09-23 \(128 days old\): the built-in table\.\nThat is more than 120 days: .*tollgate prices update FILE$/m,
      )
      assert.match(
        out,
        /^A dollar is 0\.9 EUR, rate of 2026-08-01 \(181 days old\)\.\nThat is more than 90 days: reservations hold 2 % more/m,
      )
    })

    it('is given as JSON', async () => {
      const report = JSON.parse((await prices('age', '--json')).out) as Record<string, unknown>
      assert.deepEqual(report, {
        prices: { asOf: '2026-09-23', days: 68, old: false, source: 'table', sha256: null, problem: null },
        rate: { usdRate: 0.92, asOf: '2026-11-01', days: 29, stale: false },
      })
    })
  })

  describe('the words', () => {
    const mistakes: readonly (readonly [readonly string[], RegExp])[] = [
      [['frob'], /^prices takes one of list, age, set, unset, update, reset, not "frob"\.$/],
      [['set'], /^prices set needs a model/],
      [['set', 'm', '--input', '1'], /^prices set needs --input and --output/],
      [
        ['set', 'm', '--input', '5,00', '--output', '1'],
        /^--input must be dollars per million tokens, from 0 to 100000, not "5,00"\.$/,
      ],
      [['set', 'm', '--input', '1e9', '--output', '1'], /^--input must be/],
      [['set', 'm', 'n', '--input', '1', '--output', '1'], /^prices set takes no "n"/],
      [['list', 'gpt-5'], /^prices list takes no "gpt-5"/],
      [['list', '--yes'], /^prices list has no option --yes/],
      [['reset', '--config', 'c'], /^prices reset has no option --config/],
      [['update'], /^prices update needs a file/],
      [['update', 'f', '--as-of', 'today'], /^--as-of must be a date/],
    ]
    for (const [words, says] of mistakes) {
      it(`"${words.join(' ')}" are a mistake that is explained`, () => {
        const invocation = readArguments(['prices', ...words])
        assert.ok(invocation.command === 'mistake')
        assert.match(invocation.problem, says)
      })
    }

    it('without a verb list', () => {
      const invocation = readArguments(['prices', '--model', 'gpt-5'])
      assert.deepEqual(invocation, {
        command: 'prices',
        dataDir: null,
        ask: { verb: 'list', model: 'gpt-5', provider: null, config: null, json: false },
      })
    })
  })
})
