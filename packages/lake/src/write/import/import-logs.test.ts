import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { importFolder } from '../../../test/import-folder.ts';

/** Logs that are written from known values: what is read must be these values. */
const { file, imported } = importFolder('logs');

const HITS = Array.from({ length: 30 }, (_, i) => ({
  client: i % 3 === 0 ? '2001:db8::1' : `10.0.0.${i}`,
  user: i % 4 === 0 ? 'frank' : null,
  second: String(i).padStart(2, '0'),
  path: `/p/${i}?q="x`.replaceAll('"', ''),
  status: 200 + i,
  bytes: i === 7 ? null : i * 1000,
  agent: `Mozilla/5.0 (X11; "v" ${i})`.replaceAll('"', '\\"'),
}));
const accessLine = (hit: (typeof HITS)[number]) =>
  `${hit.client} - ${hit.user ?? '-'} [28/Nov/2026:08:11:${hit.second} +0100] ` +
  `"GET ${hit.path} HTTP/1.1" ${hit.status} ${hit.bytes ?? '-'}`;
const combinedLine = (hit: (typeof HITS)[number]) => `${accessLine(hit)} "-" "${hit.agent}"`;

describe('an access log', () => {
  it.each([
    ['common', accessLine, 'COMMONAPACHELOG'],
    ['combined', combinedLine, 'COMBINEDAPACHELOG'],
  ])('is seen for what it is: %s', async (_, line, as) => {
    const { rows, types, read } = await imported(file('access.log', HITS.map(line).join('\n')));
    expect(read?.lines).toEqual({ as, unmatched: 0 });
    expect(types).toMatchObject({ timestamp: 'timestamptz', status: 'long', bytes: 'long' });
    const names = Object.keys(types);
    const cells = rows.map((row) => Object.fromEntries(row.map((value, i) => [names[i], value])));
    expect(cells).toMatchObject(
      HITS.map(({ client, user, second, path, status, bytes, agent }) => ({
        client,
        user,
        timestamp: `2026-11-28T07:11:${second}.000000Z`,
        method: 'GET',
        path,
        status,
        bytes,
        ...(as === 'COMBINEDAPACHELOG' ? { agent, referrer: null } : {}),
      })),
    );
  });

  it('is seen in a stream and in compressed text, and keeps lines that do not fit', async () => {
    const text = [...HITS.map(combinedLine), 'kernel: out of "memory"', ''].join('\r\n');
    const stream = Readable.from([Buffer.from(text)]);
    const streamed = await imported([], {}, { stream });
    expect(streamed.read?.lines).toEqual({ as: 'COMBINEDAPACHELOG', unmatched: 1 });
    expect(streamed.types.unmatched).toBe('string');
    expect(streamed.rows.map((row) => row.at(-1)).filter((text) => text !== null)).toEqual([
      'kernel: out of "memory"',
    ]);
    const packed = await imported(file('access.log.gz', gzipSync(text)));
    expect(packed.rows).toEqual(streamed.rows);
  });
});

describe('other logs', () => {
  it('of syslog have its parts', async () => {
    const old = [
      'Nov 28 08:11:12 host-1 sshd[4711]: Failed password for root',
      '<34>Nov  1 00:00:01 host-2 cron: done',
    ];
    const first = await imported(file('syslog.log', old.join('\n')));
    expect(first.read?.lines?.as).toBe('SYSLOGLINE');
    expect(first.rows).toEqual([
      [null, 'Nov 28 08:11:12', 'host-1', 'sshd', 4711, 'Failed password for root'],
      [34, 'Nov  1 00:00:01', 'host-2', 'cron', null, 'done'],
    ]);
    const line =
      '<165>1 2026-10-11T22:14:15.003Z host app 12 ID47 [a@1 k="v\\]"][b c="d"] An event';
    const second = await imported(file('rfc5424.log', `${line}\n`));
    expect(second.read?.lines?.as).toBe('SYSLOG5424LINE');
    expect(second.rows).toEqual([
      [
        165,
        1,
        '2026-10-11T22:14:15.003000Z',
        'host',
        'app',
        12,
        'ID47',
        '[a@1 k="v\\]"][b c="d"]',
        'An event',
      ],
    ]);
  });

  it('of JSON have its keys, with the text in front and the lines that are none', async () => {
    const lines = Array.from({ length: 20 }, (_, i) => `web-1 | {"n": ${i}, "m": "x{${i}}"}`);
    const { types, rows, read } = await imported(
      file('docker.log', [...lines, 'starting', ''].join('\n')),
    );
    expect(read?.lines?.as).toBe('json');
    expect(types).toEqual({ prefix: 'string', n: 'long', m: 'string', unmatched: 'string' });
    expect(rows).toEqual([
      ...lines.map((_, i) => ['web-1 |', i, `x{${i}}`, null]),
      [null, null, null, 'starting'],
    ]);
  });

  it('of journald have its fields, also those with line ends', async () => {
    const text = Buffer.from('two\nlines=\u00e9');
    const size = Buffer.alloc(8);
    size.writeBigUInt64LE(BigInt(text.length));
    const entry = (micros: bigint, message: Buffer) =>
      Buffer.concat([Buffer.from(`__REALTIME_TIMESTAMP=${micros}\n_PID=7\n`), message]);
    const bytes = Buffer.concat([
      entry(1_700_000_000_123_456n, Buffer.from('MESSAGE=plain=text\n\n')),
      entry(1_700_000_001_000_000n, Buffer.from('MESSAGE\n')),
      size,
      text,
      Buffer.from('\n\n'),
    ]);
    const { rows, read } = await imported(file('journal.log', bytes));
    expect(read?.lines?.as).toBe('journal');
    expect(rows).toEqual([
      ['2023-11-14T22:13:20.123000Z', '1700000000123456', '7', 'plain=text'],
      ['2023-11-14T22:13:21.000000Z', '1700000001000000', '7', 'two\nlines=é'],
    ]);
    const cut = imported(file('cut.log', bytes.subarray(0, -5)));
    await expect(cut).rejects.toThrow(/cut off in its last field/);
  });

  it('are lines with their numbers', async () => {
    const path = file('notes.txt', 'first "line"\n\n  third, line\n');
    const { types, rows } = await imported(path);
    expect(types).toEqual({ n: 'long', line: 'string' });
    expect(rows).toEqual([
      [1, 'first "line"'],
      [3, '  third, line'],
    ]);
    const csv = await imported(file('lines.csv', 'a,b\n1,2\n'), { lines: true });
    expect(csv.rows).toEqual([
      [1, 'a,b'],
      [2, '1,2'],
    ]);
  });
});

describe('a pattern', () => {
  const TEXT = ['12:30:01 WARN took 12.5 ms', 'noise', '12:30:02 INFO took 7 ms', ''].join('\n');
  const ROWS = [
    ['12:30:01.000000', 'WARN', 12.5, null],
    [null, null, null, 'noise'],
    ['12:30:02.000000', 'INFO', 7, null],
  ];

  it.each([
    ['of named groups', { pattern: String.raw`^(?<at>\S+) (?<level>\w+) took (?<ms>\S+) ms$` }],
    ['of grok', { grok: '%{NOTSPACE:at} %{LOGLEVEL:level} took %{NUMBER:ms:float} ms' }],
  ])('%s makes columns', async (_, options) => {
    const { types, rows, read } = await imported(file('app.txt', TEXT), options);
    expect(types).toEqual({ at: 'time', level: 'string', ms: 'double', unmatched: 'string' });
    expect(rows).toEqual(ROWS);
    expect(read?.lines?.unmatched).toBe(1);
  });

  it('takes names, types and NULLs of the caller', async () => {
    const { types, rows } = await imported(file('app2.txt', 'a=1 b=-\na=2 b=x\n'), {
      pattern: 'a=(?<a>.*) b=(?<b>.*)',
      rename: { a: 'id' },
      types: { id: 'string' },
    });
    expect([types, rows]).toEqual([
      { id: 'string', b: 'string' },
      [
        ['1', null],
        ['2', 'x'],
      ],
    ]);
  });

  it.each([
    ['without names', { pattern: '(.*)' }, /names no column/],
    ['that is none', { pattern: '(?<a>' }, /cannot read the pattern/],
    ['with an unknown part', { grok: '%{NOPE:x}' }, /no pattern "NOPE" \(WORD, /],
  ])('%s is refused', async (_, options, message) => {
    await expect(imported(file('app3.txt', TEXT), options)).rejects.toThrow(message);
  });
});
