// @module-tag campaign
/** Synonyms: every query finds and scores what the same query finds with its OR written out. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';
import { seededBelow } from '../../../../test/support/random.ts';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const SCHEMA = schemaOf({ id: 'long', title: 'string', body: 'string' });

const WORDS = ['tv', 'television', 'big', 'apple', 'nyc', 'new', 'york', 'laptop', 'notebook', 'x'];
const ROWS = 400;
const SYNONYMS = `synonyms:
  - [tv, television]
  - [big apple, nyc, New York]
  - laptop => notebook, portable computer
`;
const FIELDS = `fields:
  - { name: title, type: TEXT, cached: true }
  - { name: body, type: TEXT, analyzer: english, cached: true, synonyms: false }
`;

let lake: SmallLake;
const definition = (index: string, lines: string) =>
  `version: 1\nindex: ${index}\nsource: ${JSON.stringify(lake.source)}\n${lines}`;

beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(SCHEMA);
  const random = seededBelow(7);
  const text = () =>
    Array.from({ length: 1 + random(6) }, () => WORDS[random(WORDS.length)]).join(' ');
  const rows = Array.from({ length: ROWS }, (_, id) => ({ id, title: text(), body: text() }));
  rows[0] = { id: 0, title: 'portable computer', body: 'TVs' };
  await lake.append(rows);
  const both = 'default_fields: [title^2, body]\n';
  for (const [index, lines] of [
    ['plain', FIELDS],
    ['wide', both + FIELDS],
    ['syn', SYNONYMS + FIELDS],
    ['wide-syn', both + SYNONYMS + FIELDS],
  ]) {
    await lake.backend.createIndex({ definition: definition(index, lines) });
    await lake.backend.reindex({ index });
  }
});
afterAll(() => lake.close());

interface Asked {
  readonly query?: string;
  readonly ast?: object;
  readonly default_operator?: 'and' | 'or';
}

async function found(index: string, asked: Asked) {
  const { total, hits } = await lake.backend.search({ index, limit: ROWS, ...(asked as object) });
  return {
    total,
    hits: hits.map(({ coordinates, score }) => [
      coordinates.identifier[0].value,
      score.toPrecision(10),
    ]),
  };
}

/** The explanations of the last hit and of a row that is none agree with the search. */
async function expectExplained(request: Asked & { index: string }, hits: readonly string[][]) {
  const scores = new Map(hits.map(([id, score]) => [id, score]));
  const other = Array.from({ length: ROWS }, (_, id) => String(id)).find((id) => !scores.has(id));
  for (const id of [hits.at(-1)?.[0], other]) {
    if (id === undefined) continue;
    const coordinates = { identifier: [{ name: 'id', value: id }] };
    const { matched, score } = await lake.backend.explain({ ...(request as object), coordinates });
    expect(matched, `${request.query} on ${id}`).toBe(scores.has(id));
    if (score !== undefined) expect(score).toBeCloseTo(Number(scores.get(id)), 4);
  }
}

/** Written by hand: a token of a query and what it means, for any and for all of the words. */
const TOKENS = [
  { text: 'tv', any: '(tv OR television)' },
  { text: 'TELEVISION', any: '(television OR tv)' },
  { text: 'nyc', any: '(nyc OR "big apple" OR "new york")' },
  {
    text: 'big apple',
    any: 'big apple nyc "new york"',
    all: '((big AND apple) OR nyc OR "new york")',
  },
  {
    text: 'new york',
    any: 'new york "big apple" nyc',
    all: '((new AND york) OR "big apple" OR nyc)',
  },
  { text: 'laptop', any: '(notebook OR "portable computer")' },
  { text: 'big', any: 'big' },
  { text: 'x', any: 'x' },
  { text: '"tv x"', any: '("tv x" OR "television x")' },
  {
    text: '"x nyc tv"',
    any: `(${['nyc', 'big apple', 'new york']
      .flatMap((city) => ['tv', 'television'].map((set) => `"x ${city} ${set}"`))
      .join(' OR ')})`,
  },
  {
    text: '"big apple laptop"~1',
    any: `(${['big apple', 'nyc', 'new york']
      .flatMap((city) => ['notebook', 'portable computer'].map((set) => `"${city} ${set}"~1`))
      .join(' OR ')})`,
  },
  { text: 'tele*', any: 'tele*' },
  { text: 'notebook', any: 'notebook' },
] as const;

const token = fc.constantFrom(...TOKENS);
/** Tokens whose neighbours make no further rule: `big` and `new` are not before their partners. */
const tokens = fc.array(token, { minLength: 1, maxLength: 4 });

describe('a query of an index with synonyms', () => {
  it.each(['or', 'and'] as const)('is one whose OR is written by hand: %s', async (operator) => {
    await fc.assert(
      fc.asyncProperty(tokens, async (list) => {
        const written = list.map((one) => (operator === 'and' && 'all' in one ? one.all : one.any));
        const text = list.map((one) => one.text).join(' ');
        const asked = { default_operator: operator };
        const [own, byHand] = [
          await found('syn', { ...asked, query: text }),
          await found('plain', { ...asked, query: written.join(' ') }),
        ];
        expect(own, text).toEqual(byHand);
        await expectExplained({ index: 'syn', query: text, ...asked }, own.hits);
      }),
      { numRuns: byEffort(60, 1000), examples: TOKENS.map((one) => [[one]]) },
    );
  });

  it.each([
    ['tv', '(title:tv^2 OR title:television^2 OR body:tv)'],
    ['big apple', 'title:big^2 body:big title:apple^2 body:apple title:nyc^2 title:"new york"^2'],
    [
      'laptop -nyc',
      '(title:(notebook OR "portable computer")^2 OR body:laptop) ' +
        '-(title:(nyc OR "big apple" OR "new york") OR body:nyc)',
    ],
    [
      '+tv +big apple',
      '+(title:(tv OR television)^2 OR body:tv) ' +
        '+(title:big^2 OR body:big) (title:apple^2 OR body:apple)',
    ],
    ['big AND apple', '(title:big^2 OR body:big) AND (title:apple^2 OR body:apple)'],
    ['title:(big apple) body:tv', 'title:(big apple nyc "new york") body:tv'],
  ])('has those of each of its default fields: %s', async (text, byHand) => {
    const own = await found('wide-syn', { query: text });
    expect(own.total).toBeGreaterThan(0);
    expect(own).toEqual(await found('wide', { query: byHand }));
  });

  const or = (...should: object[]) => ({ bool: { should } });
  const and = (...must: object[]) => ({ bool: { must } });
  const term = (value: string) => ({ term: { field: 'title', value } });
  const phrase = (value: string) => ({ phrase: { field: 'title', value } });
  const match = (value: string, more = {}) => ({ match: { field: 'title', value, ...more } });

  it.each([
    [
      match('x big apple'),
      or(term('x'), term('big'), term('apple'), term('nyc'), phrase('new york')),
    ],
    [
      match('x big apple', { operator: 'and' }),
      and(term('x'), or(and(term('big'), term('apple')), term('nyc'), phrase('new york'))),
    ],
    [match('tv x', { operator: 'and' }), and(or(term('tv'), term('television')), term('x'))],
    [
      match('tv x', { operator: 'and', last_prefix: true }),
      and(or(term('tv'), term('television')), { prefix: { field: 'title', value: 'x' } }),
    ],
    [match('laptop'), or(term('notebook'), phrase('portable computer'))],
    [
      { phrase_prefix: { field: 'title', value: 'new york te' } },
      or(
        { phrase_prefix: { field: 'title', value: 'new york te' } },
        { phrase_prefix: { field: 'title', value: 'big apple te' } },
        { phrase_prefix: { field: 'title', value: 'nyc te' } },
      ),
    ],
    [
      { terms: { field: 'title', values: ['tv'] } },
      { terms: { field: 'title', values: ['tv', 'television'] } },
    ],
  ])('is expanded as a tree, too: %j', async (ast, byHand) => {
    const own = await found('syn', { ast });
    expect(own).toEqual(await found('plain', { ast: byHand }));
  });

  it('has filters with synonyms', async () => {
    const of = async (index: string, filter: string) =>
      (await lake.backend.search({ index, query: '*:*', filter, limit: 0 })).total;
    expect(await of('syn', 'big apple')).toBe(
      await of('plain', '((big AND apple) OR nyc OR "new york")'),
    );
  });

  it('shows its synonyms in explanations and highlights', async () => {
    const { backend } = lake;
    const only = { index: 'plain', query: 'television -tv', limit: 1 };
    const [{ coordinates }] = (await backend.search(only)).hits;
    const { detail, score, analyzed } = await backend.explain({
      ...{ index: 'syn', query: 'tv', coordinates },
    });
    expect(JSON.stringify(detail)).toContain('title:television');
    expect(analyzed).toEqual([{ field: 'title', terms: ['tv', 'television'] }]);
    const highlight = { fields: ['title'] };
    const page = await backend.search({ index: 'syn', query: 'tv', limit: ROWS, highlight });
    const own = page.hits.find((hit) => isEqual(hit.coordinates, coordinates));
    expect(own?.score).toBeCloseTo(score ?? -1, 6);
    expect(JSON.stringify(own?.highlight)).toContain('{"text":"television","marked":true}');
    const first = { identifier: [{ name: 'id', value: '0' }] };
    const phrase = { index: 'syn', query: 'laptop', coordinates: first };
    expect(JSON.stringify(await backend.explain(phrase))).toContain(
      'title:\\"portable computer\\"',
    );
    const missed = await backend.explain({ ...phrase, query: 'nyc AND big apple' });
    expect(missed).toMatchObject({ matched: false });
  });
});

const isEqual = (a: object, b: object) => JSON.stringify(a) === JSON.stringify(b);

describe('an alter of synonyms', () => {
  it('is live, and touches no segment', async () => {
    const { backend } = lake;
    const alter = (lines: string) =>
      backend.alterIndex({
        index: 'syn',
        definition_yaml: definition('syn', lines + FIELDS),
        apply: true,
      });
    const plan = await alter('synonyms: [[x, tv]]\n');
    expect(plan).toMatchObject({ strategy: 'live', applied: true, generation: 1 });
    expect(plan.changes.map(({ setting }) => setting)).toEqual(['synonyms']);
    expect(await found('syn', { query: 'x' })).toEqual(await found('plain', { query: 'x OR tv' }));
    expect(await found('syn', { query: 'nyc' })).toEqual(await found('plain', { query: 'nyc' }));
    const none = await alter('');
    expect(none).toMatchObject({ strategy: 'live', generation: 1 });
    expect(await found('syn', { query: 'tv' })).toEqual(await found('plain', { query: 'tv' }));
  });

  it('that makes a query too large is refused by the query, with its limit', async () => {
    const { backend } = lake;
    const group = Array.from({ length: 60 }, (_, i) => `w${i}`).join(', ');
    const yaml = definition('syn', `synonyms: ['${group}']\n${FIELDS}`);
    await backend.alterIndex({ index: 'syn', definition_yaml: yaml, apply: true });
    expect((await backend.search({ index: 'syn', query: 'w1 w2' })).total).toBe(0);
    const phrase = backend.search({ index: 'syn', query: '"w1 w2 w3"' });
    await expect(phrase).rejects.toMatchObject({ code: 'limit_exceeded' });
  });
});
