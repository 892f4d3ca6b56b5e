/** Searches with hits say which rows have the words in another writing, or as a whole value. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const ROWS = [
  ['np.float is deprecated, use\n--force-with-lease', 'Springfield', 'red'],
  ['use np.floats', 'Springfield Gardens', 'red'],
  ['NP.FLOAT, not np.float_', 'springfield', 'blue'],
  ['HTTP/3 support, force with lease', 'Rome', 'blue'],
  ['HTTP3: initial', 'New Rome', 'blue'],
  ['add HTTP3, alias HTTP/3', 'Oslo', 'green'],
  ['a patent', 'Oslo', 'green'],
  ['patents', 'Oslo', 'green'],
  ["the night's end", 'Paris', 'green'],
  ["nights, and a night's sleep", 'Paris', 'green'],
  ['one night', 'Paris', 'blue'],
  ['moon', 'Paris', 'blue'],
  ["moon's", 'Paris', 'red'],
  ['long night', 'Paris', 'green'],
  ['nights', 'Paris', 'red'],
  ['comet', 'Rio', 'green'],
  ...Array.from({ length: 1100 }, () => ['comets', 'Rio', 'green']),
].map(([title, city, color], i) => ({ id: String(i), title, city, color }));

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(schemaOf({ id: 'string', title: 'string', city: 'string', color: 'string' }), {
    rows: ROWS,
  });
  await lake.build(`key: { identifier: [id] }
default_fields: [stems, color]
fields:
  - { name: stems, source: [title], type: TEXT, analyzer: english }
  - { name: title, type: TEXT }
  - { name: city, type: TEXT }
  - { name: city_exact, source: [city], type: KEYWORD, folded: true, fast: true }
  - { name: color, type: KEYWORD, fast: true }`);
});
afterAll(() => lake.close());

const search = (query: string, more: object = {}) =>
  lake.backend.search({ query, suggest: true, ...more });
const rowsWith = (pattern: RegExp, column: 'title' | 'city' = 'title') =>
  ROWS.filter((row) => pattern.test(row[column])).length;

describe('a search with hits', () => {
  it('writes many rows as figures are written', async () => {
    const { notes } = await search('title:comet');
    expect(`${notes}`).toContain('finds 1,100 more rows');
  });

  it.each([
    ['"np.float"', 3, 2],
    ['np.float', 3, 2],
    ['"--force-with-lease"', 2, 1],
    ['stems:"np.float" AND color:red', 2, 1],
  ])('counts the rows with the signs of %s', async (query, total, literal) => {
    const found = await search(query);
    expect(found.total).toBe(total);
    const text = /np.float|--force-with-lease/.exec(query)?.[0];
    const note = `${literal} of the ${total} rows have "${text}" as it is written`;
    expect(found.notes).toContain(note);
    const counted = await lake.backend.aggregate({ query, suggest: true, aggs: {} });
    expect(counted.notes).toContain(note);
    expect((await search(query, { suggest: false })).notes ?? []).not.toContain(note);
  });

  it.each([
    ['"HTTP/3"', 'HTTP3', /HTTP\/?3/],
    ['stems:HTTP3', 'stems:"HTTP 3"', /HTTP\/?3/],
  ])('names the rows with another writing of %s', async (query, other, pattern) => {
    const { total, notes = [] } = await search(query);
    const both = `(${query} OR ${other})`;
    const all = rowsWith(pattern);
    const more = all - total === 1 ? '1 more row' : `${all - total} more rows`;
    expect(notes).toContain(`${other} finds ${more}: ${both} finds both`);
    expect((await search(both)).total).toBe(all);
  });

  it.each([
    ['title:night', "title:nights OR title:night's", /night/],
    ["title:moon's", 'title:moon', /moon/],
    ['title:patent', 'title:patents', /patent/],
    ['title:patents', 'title:patent', /patent/],
  ])('names the rows with the other number or the possessive of %s', async (query, other, word) => {
    const { total, notes } = await search(query);
    const all = rowsWith(word);
    const more = all - total === 1 ? '1 more row' : `${all - total} more rows`;
    const both = `(${query} OR ${other})`;
    const parts = other.includes(' OR ') ? 'all' : 'both';
    expect(notes).toEqual([`${other} finds ${more}: ${both} finds ${parts}`]);
    expect((await search(both)).total).toBe(all);
  });

  it.each([
    ['title:night AND color:green', {}],
    ['title:night color:green', { default_operator: 'and' }],
    ['title:night -color:(red OR blue)', {}],
    ['title:night', { filter: 'color:green' }],
    ['color:green', { filter: 'title:night' }],
  ])('counts the rows with another writing that %s %j finds', async (query, more) => {
    const { total, notes } = await search(query, more);
    const other = "title:nights OR title:night's";
    const all = ROWS.filter(({ title, color }) => /night/.test(title) && color === 'green').length;
    const both = `(title:night OR ${other})`;
    expect(notes).toEqual([`${other} finds ${all - total} more rows: ${both} finds all`]);
  });

  it.each([
    ['city:springfield', 3, 2],
    ['city:"Rome"', 2, 1],
  ])('counts the whole values of %s', async (query, total, whole) => {
    const found = await search(query);
    expect(found.total).toBe(total);
    const exact = /\((city_exact:.*)\)$/.exec(found.notes?.[0] ?? '')?.[1] ?? '';
    expect(found.notes).toEqual([
      `${query} finds words: ${whole} of its ${total} rows have nothing else there (${exact})`,
    ]);
    expect((await search(exact)).total).toBe(whole);
  });

  it.each([
    ...['city:Oslo', 'stems:patent', 'title:deprecated', 'color:red', 'support'],
    ...['"HTTP/3" OR HTTP3', '(stems:HTTP3 AND color:*) OR "HTTP 3" OR "HTTP/3"'],
    ...['color:* AND (title:patent OR title:patents)', 'title:night AND color:blue'],
    '+color:* title:night',
  ])('has no note: %s', async (query) => expect((await search(query)).notes).toBeUndefined());
});

describe('a search without hits', () => {
  it('names the values of a field that has few', async () => {
    expect((await search('color:purple')).notes).toEqual(['values of color: green, blue, red']);
    expect((await search('color:gren')).notes).toBeUndefined();
  });

  it.each(['🎉', 'city:🎉'])('says that %s has no word', async (query) => {
    const way = 'a TEXT field with "analyzer: whitespace" finds it between blanks';
    expect((await search(query)).notes).toEqual([`no word in "🎉": ${way}`]);
    const text = 'what a 🎉 party';
    const { tokens } = await lake.backend.analyze({ analyzer: 'whitespace', text });
    expect(tokens.map(({ token }) => token)).toContain('🎉');
  });

  it('has the number of hits of its suggestion', async () => {
    const { suggested_query, suggested_total } = await search('color:gren AND city:Oslo');
    expect([suggested_query, suggested_total]).toEqual(['color:green AND city:Oslo', 3]);
  });
});
