/** Words that are near to others by chance, and words that some of the first rows lack. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const schema = schemaOf({
  ...{ id: 'long', surname: 'string', given_name: 'string', city: 'string', mail: 'string' },
  goods: 'string',
});
const GOODS = new Map([
  [0, 'chairs texas'],
  [4, 'texas texas'],
  [2, 'chitose film'],
]);
const ROWS = Array.from({ length: 40 }, (_, id) => ({
  ...{ id, surname: ['smith', 'son', 'green'][id % 3], given_name: ['ann', 'tom'][id % 2] },
  city: id % 4 === 0 ? 'texas texas' : 'salem',
  mail: `reader${id}@in.example`,
  goods:
    GOODS.get(id) ?? (id % 5 === 3 ? 'chairs' : id % 7 === 0 ? 'green tables' : 'tables in salem'),
}));

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(schema, { rows: ROWS });
  await lake.build(`key: { identifier: [id] }
default_fields: [surname, given_name, city, mail, goods]
fields:
  - { name: surname, type: TEXT }
  - { name: given_name, type: TEXT }
  - { name: city, type: TEXT }
  - { name: goods, type: TEXT }
  - { name: mail, type: KEYWORD }`);
});
afterAll(() => lake.close());

type Row = (typeof ROWS)[number];
const search = (query: string) => lake.backend.search({ query, suggest: true });
const rows = (test: (row: Row) => boolean) => ROWS.filter(test).length;

describe('a word of a query', () => {
  it.each([
    ['jon smyth', 'smith', ({ surname }: Row) => surname === 'smith'],
    ['sno', 'son', ({ surname }: Row) => surname === 'son'],
  ])('of few letters is no other one, but for a swap: %s', async (query, meant, isHit) => {
    const { suggested_query, suggested_total } = await search(query);
    expect([suggested_query, suggested_total]).toEqual([meant, rows(isHit)]);
  });

  it.each([['last name green', 'surname:green', ({ surname }: Row) => surname === 'green']])(
    'has the field that people name otherwise: %s',
    async (query, meant, isHit) => {
      expect(await search(query)).toMatchObject({
        ...{ suggested_query: meant, suggested_total: rows(isHit) },
      });
    },
  );

  it.each(['chinese', 'chinese film'])('is no other one two edits away: %s', async (query) => {
    const found = await search(query);
    expect(`${found.notes} ${found.suggested_query}`).not.toContain('chitose');
    expect((await search('chitoes')).suggested_query).toBe('chitose');
  });

  it('that stops nothing is looked for in no values', async () => {
    const { notes = [] } = await search('salem in texas');
    expect(notes.join()).not.toContain('mail:');
  });

  it('that rows among the first lack is required', async () => {
    const { notes, suggested_query, hits } = await search('chairs texas');
    const { key } = hits[0];
    expect(key).toBe('id=0');
    const total = rows(({ goods, city }) => /chairs/.test(goods) && /texas/.test(city));
    expect(notes).toEqual([
      `rows before others lack a word: perhaps you mean chairs AND texas (${total} hits)`,
    ]);
    expect(suggested_query).toBe('chairs AND texas');
    expect((await search('chairs AND texas')).notes).toBeUndefined();
    expect((await search('chairs in texas')).suggested_query).toBe('chairs AND texas');
  });

  it('beside another that no row has with it is no suggestion', async () => {
    const { notes, suggested_query } = await search('ann and tom');
    expect(notes).toEqual(['"and" is searched as a word; no row has ann AND tom']);
    expect(suggested_query).toBeUndefined();
  });
});

describe('an operator between words without hits together', () => {
  it.each([
    ['son AND chairz', {}],
    ['ann AND tom', {}],
    ['ann AND tom AND chairs', {}],
    ['ann NOT ann', {}],
    ['ann AND NOT ann', {}],
    ['ann and tom', { syntax: 'kql' }],
    ['smith and not smith', { syntax: 'kql' }],
    ['(ann AND tom)', {}],
    ['ann && tom', {}],
    ['+ann +tom', {}],
    ['ann tom', { default_operator: 'and' }],
  ] as const)('is joined to no word: %s %j', async (query, more) => {
    const found = await lake.backend.search({ query, suggest: true, ...more });
    expect(found.total).toBe(0);
    expect(`${found.notes} ${found.suggested_query}`).not.toMatch(
      /\S(?:and|not)\b|\b(?:and|not)\S/i,
    );
    for (const { clause, total } of found.clauses ?? [])
      expect(total).toBe((await lake.backend.search({ query: clause })).total);
    const words = query.match(/\b(?!and|not)[a-z]+/gi) ?? [];
    const positive = query.includes('not') || query.includes('NOT') ? words.slice(0, 1) : words;
    expect(found.clauses?.map(({ clause }) => clause)).toEqual(positive);
  });
});
