/** Words inside whole values, keys of objects and ends of paths: what a search says of them. */
import { LhsError } from '@lakehouse-search/contract';
import type { Type } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemaOf, structOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const string: Type = { kind: 'string' };
const schema = schemaOf({
  ...{ id: 'long', title: 'string', sold: 'string', genre: 'string', code: 'string' },
  ...{ year: 'long', old: 'boolean', age_rating: 'string', own_rating: 'long', web_rating: 'long' },
  mail: 'string',
  needs: {
    ...{ kind: 'map', keyId: 100, key: string, valueId: 101, value: string, valueRequired: false },
  },
  meta: structOf(102, { status: structOf(103, { Retired: 'string' }) }),
});
const GENRES = ['Comedy', 'Romantic Comedy', 'Black Comedy', 'Romanticism', 'Thriller/Suspense'];
const TITLES = new Map([
  [9, '1991'],
  [10, '1f4'],
  [11, 'PG'],
]);
const ROWS = Array.from({ length: 40 }, (_, id) => ({
  ...{ id, title: id === 3 ? 'a romantic comedy' : `film ${TITLES.get(id) ?? id}` },
  ...{ genre: GENRES[id % 5], code: id % 14 === 5 ? '1990-1991g/1f4' : `x-${id % 7}` },
  ...{ year: 1990 + (id % 3), old: id % 3 === 1 },
  needs: id % 3 === 0 ? { tslib: '^2' } : { react: '>=18', 'core.js': '3' },
  ...{ age_rating: id % 2 === 0 ? 'PG' : 'R', own_rating: id % 6, web_rating: id % 9 },
  meta: { status: { Retired: String(id % 4 === 0) } },
  sold: id % 3 === 0 ? 'No' : 'yes',
  mail: `reader${id}@${id % 3 === 0 ? 'north.example' : 'south.example'}`,
}));
const rows = (test: (row: (typeof ROWS)[number]) => boolean) => ROWS.filter(test).length;
const hasWord = (word: string) => (text: string) => new RegExp(`\\b${word}\\b`, 'i').test(text);

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake({ freshnessMs: 0 });
  await lake.create(schema, { rows: ROWS });
  await lake.build(`key: { identifier: [id] }
default_fields: [title, genre, title_exact, code]
fields:
  - { name: title, type: TEXT }
  - { name: genre, type: KEYWORD, folded: true, fast: true }
  - { name: title_exact, source: title, type: KEYWORD, fast: true }
  - { name: code, type: KEYWORD }
  - { name: year, type: LONG }
  - { name: sold, type: KEYWORD }
  - { name: old, type: BOOL }
  - { name: age_rating, type: KEYWORD, fast: true }
  - { name: own_rating, type: LONG, fast: true }
  - { name: web_rating, type: LONG, fast: true }
  - { name: mail, type: KEYWORD }
variants:
  - { column: needs, flatten: true }
  - { column: meta, flatten: true }`);
});
afterAll(() => lake.close());

const search = (query: string) => lake.backend.search({ query, suggest: true, limit: 1 });

describe('a part of an address', () => {
  it('is looked for in values', async () => {
    const { suggested_query, suggested_total } = await search('@north.example');
    expect(suggested_query).toBe('mail:*@north.example*');
    expect(suggested_total).toBe(rows(({ mail }) => mail.endsWith('@north.example')));
    expect((await search('mail:*@north.example*')).total).toBe(suggested_total);
  });
});

describe('a bare word with hits', () => {
  it('with few hits is looked for as the value of other fields', async () => {
    const found = await search('PG');
    const notes = ['values have PG, too (age_rating:PG has 20): perhaps you mean'];
    expect(found).toMatchObject({ total: 1, suggested_query: '(PG OR age_rating:PG)' });
    expect(found.notes?.map((note) => note.slice(0, notes[0].length))).toEqual(notes);
    const { total } = await search('(PG OR age_rating:PG)');
    expect(total).toBe(found.suggested_total);
    expect(total).toBe(rows(({ age_rating, title }) => age_rating === 'PG' || /PG/.test(title)));
  });

  it.each(['romantic', 'comedy', '"film 7" romantic'])(
    '%s is looked for in values',
    async (query) => {
      const word = query.split(' ').at(-1) ?? '';
      const { total, notes = [], suggested_query = '', suggested_total } = await search(query);
      const isFilm = (title: string) => query !== word && title === 'film 7';
      const isFound = ({ title }: { title: string }) => isFilm(title) || hasWord(word)(title);
      expect(total).toBe(rows((row) => isFound(row) || row.genre.toLowerCase() === word));
      const all = rows((row) => isFound(row) || row.genre.toLowerCase().includes(word));
      expect(suggested_total).toBe(all);
      expect((await search(suggested_query)).total).toBe(all);
      const inside = rows(({ genre }) => genre.toLowerCase().includes(word));
      expect(notes.join()).toContain(`has ${inside}): perhaps you mean ${suggested_query}`);
    },
  );

  it('may be a number of another field', async () => {
    const years = rows(({ id, year }) => id === 9 || year === 1991);
    const meant = { suggested_query: '(1991 OR year:1991)', suggested_total: years };
    expect(await search('1991')).toMatchObject({ total: 1, ...meant });
  });

  it('may begin with a digit', async () => {
    const inside = rows(({ code }) => code.includes('1f4'));
    const meant = { suggested_query: '(1f4 OR code:*1f4*)', suggested_total: inside + 1 };
    expect(await search('1f4')).toMatchObject({ total: 1, ...meant });
  });

  it('is no part of other words, and is no value alone', async () => {
    expect(await search('x-1')).not.toHaveProperty('notes');
    expect(await search('Comed')).not.toHaveProperty('notes');
  });

  it('is left where values have no more', async () => {
    expect(await search('film')).not.toHaveProperty('notes');
    const { suggested_query = '' } = await search('romantic');
    expect(await search(suggested_query)).not.toHaveProperty('notes');
  });

  it('is both in a query without hits', async () => {
    const found = await search('romantic AND code:"x-1"');
    const both = rows(({ genre, code }) => /romantic/i.test(genre) && code === 'x-1');
    expect(found).toMatchObject({ total: 0, suggested_total: both });
    expect((await search(found.suggested_query ?? '')).total).toBe(both);
  });
});

describe('a clause without hits', () => {
  const sold = rows((row) => row.sold === 'yes');
  it.each([
    [
      'comed',
      'comed*',
      rows(({ title, genre }) => /\bcomed/i.test(title) || /^comed/i.test(genre)),
    ],
    ['1990-1991', '1990-1991*', rows(({ code }) => code.startsWith('1990-1991'))],
    ['sold:true', 'sold:yes', sold],
    ['sold:0 AND title:film', 'sold:No AND title:film', null],
    ['genre:true', undefined, undefined],
  ])('%s was meant as %s', async (query, suggested_query, all) => {
    const found = await search(query);
    expect(found).toMatchObject({ total: 0 });
    expect(found.suggested_query).toBe(suggested_query);
    if (all !== null) expect(found.suggested_total).toBe(all);
    const [{ suggestion_total: alone }] = found.clauses ?? [{}];
    expect(alone).toBe(query.startsWith('sold:0') ? 40 - sold : all);
  });
});

describe('the key of an object', () => {
  const tslib = rows(({ needs }) => 'tslib' in needs);
  it.each([
    ['needs:tslib', 'needs.tslib:*', tslib],
    ['needs:TSLib', 'needs.tslib:*', tslib],
    ['tslib', 'needs.tslib:*', tslib],
    ['OLD', 'old:true', 13],
    ['tslib AND genre:Comedy', 'needs.tslib:* AND genre:Comedy', null],
    ['needs:core.js', 'needs.core.js:*', 40 - tslib],
    ['status', 'meta.status:*', 40],
    ['meta:retired', 'meta.status.Retired:*', 40],
    ['meta.retired:true', 'meta.status.Retired:true', 10],
  ])('%s was meant as %s', async (query, meant, total) => {
    const { suggested_query, suggested_total } = await search(query);
    expect(suggested_query).toBe(meant);
    if (total !== null) expect(suggested_total).toBe(total);
    expect((await search(meant)).total).toBe(suggested_total);
  });
});

describe('an unknown field', () => {
  it.each([
    ['retired:true', 'meta.status.Retired:true', 10],
    ['status.retired:true AND nothing', 'meta.status.Retired:true AND nothing', 0],
    ['tslib:"^2"', 'needs.tslib:"^2"', 14],
    ['genr:thriller', 'genre:Thriller*', 8],
    ['titel:film AND code:"x-1"', 'title:film AND code:"x-1"', 6],
    ['yearly:1991', 'year:1991', 13],
    ['gen:Comedy', 'genre:Comedy', 8],
  ])('of %s was meant as %s', async (query, meant, total) => {
    const error = await search(query).catch((fault: unknown) => fault);
    if (!(error instanceof LhsError)) throw error;
    expect(error.details).toMatchObject({ suggested_query: meant });
    expect(error.hint).toContain(`perhaps you mean ${meant} (${total} hits)`);
    expect((await search(meant)).total).toBe(total);
  });

  it.each(['rating > 3', 'rating >3', 'rating:>3', 'Rating  >3'])(
    'of a range of numbers was meant as each of numbers: %s',
    async (query) => {
      const own = rows(({ own_rating }) => own_rating > 3);
      const web = rows(({ web_rating }) => web_rating > 3);
      const error = await search(query).catch((fault: unknown) => fault);
      expect(error).toMatchObject({
        message: expect.stringMatching(/^field "rating" is not in index/i),
        details: { suggested_query: 'own_rating:>3' },
        hint: expect.stringMatching(
          `^perhaps you mean own_rating:>3 \\(${own} hits\\) or web_rating:>3 \\(${web} hits\\)\n`,
        ),
      });
      expect((await search('own_rating:>3')).total).toBe(own);
      expect((await search('web_rating:>3')).total).toBe(web);
    },
  );

  it.each([
    ['genres in ("Comedy", "Black Comedy")', 'genre:("Comedy" OR "Black Comedy")', 16],
    ['rating > 99', 'own_rating:>99', 0],
    ['film and kinds in ("a", "b")', undefined, 0],
    ['nowhere > 3', undefined, 0],
  ])('of the condition %s was meant as %s', async (query, meant, total) => {
    for (const request of [{ query }, { filter: query }]) {
      const error = await lake.backend.search({ ...request, suggest: true }).catch((e) => e);
      expect(error.message).toMatch(/^field "\w+" is not in index "t"$/);
      expect(error.details.suggested_query).toBe(meant);
      if (meant === undefined) continue;
      expect(error.hint).toContain(`perhaps you mean ${meant} (${total} hits)`);
      expect((await search(meant)).total).toBe(total);
    }
  });
});

describe('a claim about all rows', () => {
  it('names the snapshots that the index is behind', async () => {
    const says = async (query: string) => (await search(query)).notes?.join();
    expect(await says('genre:nothing')).toMatch(/^values of genre: Black Comedy/);
    await lake.append([{ ...ROWS[0], id: 99, genre: 'War' }]);
    const behind = '(of the index, 1 snapshot behind the table)';
    expect(await says('genre:nothing')).toContain(`values of genre ${behind}: Black Comedy`);
    expect(await says('needs.other:1')).toContain(`no row has needs.other ${behind}`);
  });
});
