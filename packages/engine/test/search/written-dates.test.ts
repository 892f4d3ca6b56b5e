/** Dates as logs, forms and people write them: what a search says of them. */
import { LhsError } from '@lakehouse-search/contract';
import type { Schema, Type } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import { writtenDates } from '../../src/query/bind/written-dates.ts';

const field = (id: number, name: string, type: Type = { kind: 'string' }) => {
  return { id, name, type, required: false };
};
const schema: Schema = {
  schemaId: 0,
  identifierFieldIds: [1],
  fields: [
    { ...field(1, 'id', { kind: 'long' }), required: true },
    field(2, 'ts', { kind: 'timestamptz' }),
    field(3, 'action'),
    field(4, 'what'),
    field(5, 'released'),
    field(6, 'line'),
  ],
};
const ACTIONS = ['startup', 'upgrade', 'status'];
const RELEASED = ['Jun 12 1998', 'Jun 20 1998', 'Apr 30 1992', 'Dec 18 2009'];
const ENDS = [' 30', ' https://a.org/b?c=d'];
const secondOf = (id: number) => new Date(Date.UTC(1992, 3, 29 + (id >> 3), 14, 36, 25 + (id % 2)));
const ROWS = Array.from({ length: 40 }, (_, id) => {
  const ts = secondOf(id).toISOString();
  const [action, what] = [
    ACTIONS[id % 3],
    `archives libc6:amd64 2.36-9+deb12u${id % 4}${ENDS[id] ?? ''}`,
  ];
  const line = `${ts.slice(0, 19).replace('T', ' ')} ${action} ${what}`;
  return { id, ts, action, what, released: RELEASED[id % 4], line };
});
const rows = (test: (row: (typeof ROWS)[number]) => boolean) => ROWS.filter(test).length;
const at = (start: string) => rows(({ ts }) => ts.startsWith(start));

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake({ freshnessMs: 0 });
  await lake.create(schema, { rows: ROWS });
  await lake.build(`key: { identifier: [id] }
default_fields: [what, action]
fields:
  - { name: what, type: TEXT, analyzer: folded }
  - { name: action, type: KEYWORD, folded: true, fast: true }
  - { name: ts, type: DATE, fast: true }
  - { name: released, type: TEXT, analyzer: folded }
  - { name: line, type: TEXT, analyzer: folded }`);
});
afterAll(() => lake.close());

/** The suggested query and its total, of an answer or of an error. */
async function meant(query: string, rest: object = {}) {
  try {
    const answer = await lake.backend.search({ query, suggest: true, limit: 1, ...rest });
    return [answer.suggested_query, answer.suggested_total];
  } catch (error) {
    if (!(error instanceof LhsError)) throw error;
    const { hint = '', details } = error;
    return [details.suggested_query, Number(/\((\d+) hits?\)/.exec(hint)?.[1])];
  }
}

describe('a date in another notation', () => {
  const DAY = at('1992-04-30');
  const SECOND = at('1992-04-29T14:36:25');
  it.each([
    ['"1992-04-29 14:36:25"', 'ts:1992-04-29T14:36:25', SECOND],
    ['1992-04-29 14:36:25', 'ts:1992-04-29T14:36:25', SECOND],
    ['1992-04-29T14:36:25Z', 'ts:1992-04-29T14:36:25Z', SECOND],
    ['1992-04-29 16:36:25 +0200', 'ts:1992-04-29T16:36:25+02:00', SECOND],
    ['29/Apr/1992:14:36:25 +0000', 'ts:1992-04-29T14:36:25+00:00', SECOND],
    ['Wed, 29 Apr 1992 14:36:25 GMT', 'ts:1992-04-29T14:36:25Z', SECOND],
    ['04/29/1992 2:36:25 PM', 'ts:1992-04-29T14:36:25', SECOND],
    ['1992-04-29 14:36', 'ts:1992-04-29T14:36/m', at('1992-04-29T14:36')],
    ['ts:1992-04-29 14:36:25', 'ts:1992-04-29T14:36:25', SECOND],
    ['ts:30.04.1992', 'ts:1992-04-30/d', DAY],
    ['ts:>"30.04.1992"', 'ts:>1992-04-30', rows(({ ts }) => ts > '1992-04-30')],
    ['30.04.1992', 'ts:1992-04-30/d', DAY],
    ['19920430', 'ts:1992-04-30/d', DAY],
    ['startup 19920430', 'ts:1992-04-30/d AND startup', null],
    ['4/30/92', 'ts:1992-04-30/d', DAY],
    ['4/30/1992', 'ts:1992-04-30/d', DAY],
    ['30/04/1992', 'ts:1992-04-30/d', DAY],
    ['1992/04/30', 'ts:1992-04-30/d', DAY],
    ['Apr 30 1992', 'ts:1992-04-30/d', DAY],
    ['April 30th, 1992', 'ts:1992-04-30/d', DAY],
    ['30 avril 1992', 'ts:1992-04-30/d', DAY],
    ['30. April 1992', 'ts:1992-04-30/d', DAY],
    ['April 1992', 'ts:1992-04', at('1992-04')],
    ['between 1990 and 1992', 'ts:[1990 TO 1992]', at('1992')],
    [
      'from 1992-04-30 to 1992-05',
      'ts:[1992-04-30 TO 1992-05]',
      rows(({ ts }) => ts >= '1992-04-30'),
    ],
    ['"April 1992"', 'ts:1992-04', at('1992-04')],
    ['Apr 29 14:36:25', 'ts:1992-04-29T14:36:25', SECOND],
    ['"Apr 29 14:36:25"', 'ts:1992-04-29T14:36:25', SECOND],
    ['Apr 29 14:36:25 upgrade', 'ts:1992-04-29T14:36:25 AND upgrade', null],
    ['1992-04-30 startup', 'ts:1992-04-30/d AND startup', null],
    [
      '1992-04-30 14:36:25 upgrade archives libc6:amd64',
      'ts:1992-04-30T14:36:25 AND upgrade AND archives AND "libc6:amd64"',
      rows(({ line }) => line.startsWith('1992-04-30 14:36:25 upgrade')),
    ],
    ['action:startup AND 30.04.1992', 'action:startup AND ts:1992-04-30/d', null],
    ['ts > "1992-04-30" AND action:startup', 'ts:>"1992-04-30" AND action:startup', null],
    ['ts > "30.04.1992" AND action:startup', 'ts:>1992-04-30 AND action:startup', null],
    [
      'action = "startup" AND ts >= "1992-04-30"',
      'action:"startup" AND ts:>="1992-04-30"',
      rows(({ action, ts }) => action === 'startup' && ts >= '1992-04-30'),
    ],
    ['ts >= "1992-04-30" AND what LIKE "%chiv%"', 'ts:>="1992-04-30" AND what:*chiv*', null],
  ] as const)('%s: %s', async (query, expected, total) => {
    const [found, counted] = await meant(query);
    expect(found).toBe(expected);
    const again = await lake.backend.search({ query: expected });
    expect(again.total).toBe(counted);
    if (total !== null) expect(counted).toBe(total);
  });

  it('is named beside few rows that have one of its words', async () => {
    const { total, notes } = await lake.backend.search({ query: 'Apr 30 1992', suggest: true });
    expect(total).toBe(1);
    expect(notes).toEqual([
      `"Apr 30 1992" is a date: perhaps you mean ts:1992-04-30/d (${DAY} hits)`,
    ]);
  });

  it('is named once in the error of a comparison with blanks', async () => {
    await expect(
      lake.backend.search({ query: 'ts > 1992-04-30', suggest: true }),
    ).rejects.toMatchObject({
      hint: expect.stringMatching(/^perhaps you mean ts:>\S+ \(\d+ hits\)$/),
    });
  });

  it('is a phrase of a text in the notation of the text', async () => {
    expect(await meant('released:1998-06-12')).toEqual(['released:"Jun 12 1998"', 10]);
    expect(await meant('released:"June 12, 1998"')).toEqual(['released:"Jun 12 1998"', 10]);
    expect(await meant('released:"June 1998"')).toEqual(['released:"Jun 1998"~1', 20]);
  });

  it('says nothing of a date that the query finds', async () => {
    for (const query of [
      'ts:1992-04-30/d',
      'line:"1992-04-30 14:36:25"',
      'released:"Apr 30 1992"',
    ]) {
      const { total, notes } = await lake.backend.search({ query, suggest: true });
      expect(total).toBeGreaterThan(0);
      expect(notes ?? []).not.toContainEqual(expect.stringContaining('is a date'));
    }
  });
});

describe('the readings of a date', () => {
  it.each([
    ['11.11.1915', [['1915-11-11']]],
    ['11/10/1915', [['1915-11-10', '1915-10-11']]],
    ['19151311 29331201 119151111', []],
  ])('%s', (text, expected) => {
    expect(writtenDates(text, []).map(({ readings }) => readings)).toEqual(expected);
  });
});

describe('a date without a year', () => {
  const instants = ['2005-06-24T14:36:25.250Z', '2006-06-24T14:36:25Z', '2006-06-24T14:36:26Z'];
  let years: SmallLake;
  beforeAll(async () => {
    years = await openSmallLake({ freshnessMs: 0 });
    const all = instants.map((ts, id) => ({ id, ts }));
    await years.create({ ...schema, fields: schema.fields.slice(0, 2) }, { rows: all });
    await years.build(`key: { identifier: [id] }
fields: [{ name: ts, type: DATE, fast: true }]`);
  });
  afterAll(() => years.close());

  it('is the second in each year of the rows', async () => {
    const query = 'ts:"Jun 24 14:36:25"';
    const seconds = 'ts:2006-06-24T14:36:25/s OR ts:2005-06-24T14:36:25/s';
    const total = instants.filter((ts) => ts.slice(4).startsWith('-06-24T14:36:25')).length;
    await expect(years.backend.search({ query, suggest: true })).rejects.toMatchObject({
      hint: expect.stringContaining(`perhaps you mean (${seconds}) (${total} hits)`),
    });
    expect((await years.backend.search({ query: `(${seconds})` })).total).toBe(total);
  });
});

describe('a pasted text with signs of the query syntax', () => {
  it.each([
    ['archives libc6:amd64 2.36-9+deb12u1', '"archives libc6:amd64 2.36-9+deb12u1"', 10],
    [
      'startup libc6: amd64',
      'startup AND libc6 AND amd64',
      rows((row) => row.action === 'startup'),
    ],
    ['libc6: *', '"libc6: *"', 40],
    ['libc6: amd*', '"libc6: amd"*', 40],
    ['LIBC6: "amd64"', '"LIBC6: amd64"', 40],
    [':amd64:', '":amd64:"', 40],
    ['libc6: [', undefined, Number.NaN],
  ] as const)('%s: %s', async (query, expected, total) => {
    expect(await meant(query)).toEqual([expected, total]);
  });

  it.each([
    ['libc6 (amd64', '"libc6 (amd64"', 40],
    ['[libc6] amd64', '"[libc6] amd64"', 40],
    ['libc6(amd64)', undefined, undefined],
    ['https://a.org/b?c=d', '"https://a.org/b?c=d"', 1],
    ['-9 deb12u1', '"-9 deb12u1"', 10],
  ] as const)('%s may be a value: %s', async (query, expected, total) => {
    expect(await meant(query)).toEqual([expected, total]);
  });

  it('is a way out of the nearest words, too', async () => {
    const { clauses, total } = await lake.backend.search({ query: '"none: x"', suggest: true });
    expect([total, clauses]).toEqual([0, [{ clause: '"none: x"', total: 0 }]]);
  });
});
