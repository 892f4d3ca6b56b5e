import type { Hit } from '@lakehouse-search/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { curlCommand, pythonCode, searchCommand, shellWord, typescriptCode } from './commands.ts';
import { age, bytes, count, dateTime, duration, plural, snapshotName } from './figures.ts';
import { type Filter, filtersOf, filterText, replaced, toggled } from './filter.ts';
import { markedParts, markedWords } from './marks.ts';
import { csvOf, ndjsonOf } from './rows.ts';
import { coordinatesOf, instantText, keyParts, keyText, shortValue } from './values.ts';
import { visible } from './visible.ts';
import { setZone } from './zone.ts';

describe('figures', () => {
  it('are worded as on the command line', () => {
    expect([count(446015), plural(1, 'hit'), plural(0, 'hit')]).toEqual([
      '446,015',
      '1 hit',
      '0 hits',
    ]);
    expect([12, 1200, 78_400_000, 2e9].map(bytes)).toEqual([
      '12 B',
      '1.2 kB',
      '78.4 MB',
      '2.00 GB',
    ]);
    expect([2.14, 412, 5100, 200_000].map(duration)).toEqual([
      ...['2.1 ms', '412 ms', '5.1 s', '3 min 20 s'],
    ]);
    expect([40_000, 180_000, 432_000_000].map(age)).toEqual(['40 s', '3 minutes', '5 days']);
    expect(snapshotName('8412345678903325')).toBe('8412…3325');
    expect(dateTime('no time')).toBe('no time');
  });
});

describe('values', () => {
  it('show instants to the second, whatever their zone', () => {
    expect(instantText('2025-11-03T14:22:10.000000Z')).toBe('2025-11-03 14:22:10');
    expect(instantText('2025-11-03T14:22:10.120000')).toBe('2025-11-03 14:22:10.12');
    expect(instantText('T1')).toBe('T1');
  });

  it('are short in a hit', () => {
    const field = { indexed: true, fast: true, cached: true, source: [] };
    expect(shortValue({ ...field, name: 'severity', type: 'LONG' }, 2)).toBe('severity 2');
    expect(shortValue({ ...field, name: 'x', type: 'DOUBLE' }, -0)).toBe('x -0');
    expect(shortValue({ ...field, name: 'tags', type: 'KEYWORD' }, ['a', 'b'])).toBe('tags a, b');
  });

  it('of keys are split into partition and identifier', () => {
    const coordinates = {
      partition: [{ name: 'day', value: '2026-01-01' }],
      identifier: [{ name: 'id', value: 'a=1,b' }],
    };
    expect(coordinatesOf(keyParts(coordinates), ['day'])).toEqual(coordinates);
    expect(keyText(keyParts(coordinates))).toBe('day=2026-01-01,id=a\\=1\\,b');
  });
});

describe('filters', () => {
  const is = (field: string, value: string) => ({ kind: 'is', field, value }) as const;
  const filters = [
    ...[is('service', 'billing'), is('service', 'a "b" \\'), is('resolved', 'true')],
    { kind: 'not', field: 'team', value: 'OR' },
    { kind: 'missing', field: 'closed_at' },
    { kind: 'range', field: 'opened_at', from: '2024-01-01T00:00:00Z', to: 'now' },
    { kind: 'range', field: 'price', to: '-1.5' },
  ] satisfies readonly Filter[];

  it('join values of a field with OR and all others with AND', () => {
    expect(filterText(filters)).toBe(
      'service:(billing OR "a \\"b\\" \\\\") AND resolved:true AND NOT team:"OR" AND ' +
        'NOT closed_at:* AND opened_at:["2024-01-01T00:00:00Z" TO now} AND price:[* TO -1.5}',
    );
    expect(filterText([])).toBe('');
  });

  it('come back from their query string, and from no other one', () => {
    expect(filtersOf(filterText(filters))).toEqual(filters);
    expect(filtersOf('service:billing OR team:a')).toBeUndefined();
  });

  it('gain and lose one', () => {
    expect(toggled(filters, filters[1])).toEqual(filters.filter((_, at) => at !== 1));
    expect(toggled([], filters[0])).toEqual([filters[0]]);
    const range = { kind: 'range', field: 'price', from: '2' } as const;
    expect(replaced(filters, range)).toEqual([...filters.slice(0, -1), range]);
  });
});

describe('files of hits', () => {
  it('are CSV without formulas, or a JSON object per line', () => {
    const rows = [
      [
        ['_key', 'id=1'],
        ['a,b', '=1+1'],
        ['n', -2],
        ['list', ['x', null]],
      ],
      [
        ['_key', 'id=2'],
        ['a,b', null],
        ['n', 1.5],
        ['list', 'y\nz'],
      ],
    ] as const;
    expect(csvOf(rows)).toBe(
      `_key,"a,b",n,list\r\nid=1,'=1+1,-2,"[""x"",null]"\r\nid=2,,1.5,"y\nz"\r\n`,
    );
    const [, second] = ndjsonOf(rows).split('\n');
    expect(second).toBe('{"_key":"id=2","a,b":null,"n":1.5,"list":"y\\nz"}');
  });
});

describe('foreign texts', () => {
  it('have no controls and no turned direction', () => {
    expect(visible('a\u202egnp.exe\u0007\tb\n')).toBe('a\ufffdgnp.exe\ufffd\tb\n');
    expect(visible('صلّ 🏳️‍🌈')).toBe('صلّ 🏳️‍🌈');
  });
});

describe('instants', () => {
  it('are in the zone that a person prefers', () => {
    const hours = String(new Date('2026-01-02T03:04:05Z').getHours()).padStart(2, '0');
    expect(instantText('2026-01-02T03:04:05.120000Z')).toBe('2026-01-02 03:04:05.12');
    setZone('local');
    expect(instantText('2026-01-02T03:04:05Z').slice(11, 13)).toBe(hours);
    expect(instantText('2026-01-02T03:04:05')).toBe('2026-01-02 03:04:05');
    setZone('UTC');
  });
});

describe('marks of a row', () => {
  it('are the words that the hit marks, in every text', () => {
    const segment = (text: string, marked: boolean) => ({ text, marked });
    const hit = { highlight: { title: [[segment('Pool', true), segment(' of pools', false)]] } };
    const words = markedWords(hit as unknown as Hit);
    expect(markedParts('a pool, POOL!', words)).toEqual([
      ...[segment('a ', false), segment('pool', true), segment(', ', false)],
      ...[segment('POOL', true), segment('!', false)],
    ]);
    expect(markedParts('pools', words)).toEqual([segment('pools', false)]);
    expect(markedParts('pool', markedWords(undefined))).toEqual([segment('pool', false)]);
  });
});

describe('commands', () => {
  const wanted = {
    mode: 'hybrid',
    request: { index: 'demo', query_text: "it's late", filter: 'a:b', limit: 20, offset: 20 },
  } as const;

  it('are the same search', () => {
    const url = 'h:1';
    expect(searchCommand(wanted, { url, needsToken: false })).toBe(
      `lhs search demo 'it'\\''s late' --mode hybrid --filter a:b ` +
        `--limit 20 --offset 20 --url ${url}`,
    );
    const curl = curlCommand(wanted, { url, needsToken: true });
    expect(curl).toContain('/v1/search:hybrid');
    expect(curl).toContain('authorization: Bearer $LHS_TOKEN');
  });

  it('are code of Python and TypeScript that sends the same request', () => {
    const at = { url: 'http://h', needsToken: true };
    const [, body] = pythonCode(wanted, at).split('\n');
    const literal = body.slice('body = '.length);
    expect(JSON.parse(JSON.parse(literal))).toEqual(wanted.request);
    expect(typescriptCode(wanted, at)).toContain('client.hybrid({');
  });

  it('quote every text for a shell', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const word = shellWord(text);
        expect(/^[\w./:@%+=-]+$/.test(word) ? word : unquoted(word)).toBe(text);
      }),
    );
  });
});

const unquoted = (word: string): string => word.slice(1, -1).replaceAll(`'\\''`, "'");
