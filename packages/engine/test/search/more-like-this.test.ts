/** `more_like_this`: words, hits and counts are those that plain maps over the rows give. */
import type { QueryTree } from '@lakehouse-search/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asTenant } from '../../../../test/support/as-tenant.ts';
import { seededBelow } from '../../../../test/support/random.ts';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const SCHEMA = schemaOf({
  id: 'long',
  org: 'string',
  title: 'string',
  body: 'string',
  tags: { kind: 'list', elementId: 6, elementRequired: true, element: { kind: 'string' } },
});
const FIELDS = `default_fields: [title, body]
fields:
  - { name: title, type: TEXT, analyzer: simple, cached: true }
  - { name: body, type: TEXT, analyzer: simple }
  - { name: tags, type: KEYWORD }
  - { name: org, type: KEYWORD, fast: true }
`;

interface Row {
  readonly id: number;
  readonly org: string;
  readonly title: string;
  readonly body: string;
  readonly tags: readonly string[];
}
type Name = 'title' | 'body' | 'tags';

const random = seededBelow(11);
const letters = (n: number) => String.fromCharCode(97 + (n % 26), 97 + (Math.floor(n / 26) % 26));
/** Low numbers are common. */
const word = () => letters(Math.floor((random(300) * random(300)) / 400));
const words = (count: number) => Array.from({ length: count }, word).join(' ');
const ROWS: readonly Row[] = Array.from({ length: 240 }, (_, id) => ({
  id,
  org: id % 3 === 0 ? 'b' : 'a',
  title: words(1 + random(5)),
  body: words(5 + random(30)),
  tags: [...new Set([word(), word()])],
}));

const termsOf = (row: Pick<Row, Name>, name: Name): readonly string[] =>
  name === 'tags' ? row.tags : row[name].split(' ');

interface Options {
  readonly min_term_freq?: number;
  readonly min_doc_freq?: number;
  readonly max_query_terms?: number;
}

/** The words by brute force: `field:term`, the weightiest first. */
function likedWords(
  rows: readonly Row[],
  like: readonly Pick<Row, Name>[],
  fields: readonly Name[],
  { min_term_freq = 2, min_doc_freq = 5, max_query_terms = 25 }: Options,
): readonly string[] {
  const weighed = fields.flatMap((name) => {
    const all = like.flatMap((row) => termsOf(row, name));
    return [...new Set(all)].flatMap((term) => {
      const tf = all.filter((one) => one === term).length;
      const df = rows.filter((row) => termsOf(row, name).includes(term)).length;
      if (tf < min_term_freq || df < min_doc_freq) return [];
      return [{ name, term, weight: tf * (1 + Math.log((rows.length + 1) / (df + 1))) }];
    });
  });
  return weighed
    .sort((a, b) => b.weight - a.weight || (a.term < b.term ? -1 : a.term > b.term ? 1 : 0))
    .slice(0, max_query_terms)
    .map(({ name, term }) => `${name}:${term}`);
}

const matching = (rows: readonly Row[], liked: readonly string[], minimum: number) =>
  rows.filter((row) => {
    const found = liked.filter((one) => {
      const [name, term] = one.split(':') as [Name, string];
      return termsOf(row, name).includes(term);
    });
    return liked.length > 0 && found.length >= Math.max(1, minimum);
  });

const keyOf = (id: number) => ({ identifier: [{ name: 'id', value: String(id) }] });
const asTerm = (one: string): QueryTree => {
  const [field, value] = one.split(':');
  return { term: { field, value } };
};

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(SCHEMA);
  for (const half of [ROWS.slice(0, 120), ROWS.slice(120)]) {
    await lake.append(half.map((row) => ({ ...row })));
  }
  for (const [index, more] of [
    ['one', ''],
    ['three', 'sharding: { shards: 3 }\n'],
    ['guarded', 'tenant_field: org\nsharding: { shards: 2 }\n'],
  ]) {
    const head = `version: 1\nindex: ${index}\nsource: ${JSON.stringify(lake.source)}\n`;
    await lake.backend.createIndex({ definition: head + more + FIELDS });
    await lake.backend.reindex({ index });
  }
});
afterAll(() => lake.close());

const search = (index: string, ast: QueryTree, limit = 300) =>
  lake.backend.search({ index, ast, limit });
const idsOf = ({ hits }: Awaited<ReturnType<typeof search>>) =>
  hits.map(({ id }) => Number(id)).sort((a, b) => a - b);

const CASES: readonly (Options & { fields?: readonly Name[]; minimum_should_match?: string })[] = [
  {},
  { min_term_freq: 1 },
  { min_term_freq: 1, max_query_terms: 7, minimum_should_match: '2' },
  { min_term_freq: 1, min_doc_freq: 20, minimum_should_match: '-25%' },
  { min_term_freq: 1, min_doc_freq: 1, fields: ['tags'], minimum_should_match: '1' },
  { min_term_freq: 1, fields: ['title', 'tags'], max_query_terms: 4 },
];

describe.each(['one', 'three'])('more_like_this in index %s', (index) => {
  it.each(CASES)('finds and scores the words of rows: %j', async (options) => {
    const { fields = ['title', 'body'], minimum_should_match = '30%', ...limits } = options;
    for (const ids of [[3], [8], [41, 42], [200, 7, 99]]) {
      const liked = likedWords(
        ROWS,
        ids.map((id) => ROWS[id]),
        fields,
        limits,
      );
      const found = await search(index, {
        more_like_this: { keys: ids.map(keyOf), ...options },
      });
      const minimum = Math.max(1, minimumOf(minimum_should_match, liked.length));
      const should = liked.map(asTerm);
      const must_not: readonly QueryTree[] = [{ ids: { keys: ids.map(keyOf) } }];
      const written = await search(index, {
        bool: { should, must_not, minimum_should_match: minimum },
      });
      const expected = matching(ROWS, liked, minimum).filter(({ id }) => !ids.includes(id));
      expect(idsOf(found)).toEqual(expected.map(({ id }) => id));
      const scores = ({ hits }: typeof found) => hits.map(({ id, score }) => [id, score]);
      if (liked.length > 0) expect(scores(found)).toEqual(scores(written));
    }
  });

  it('finds the words of a text, also beside rows', async () => {
    const text = `${ROWS[5].body} ${ROWS[5].body}`;
    const like = { title: text, body: text, tags: [] };
    const liked = likedWords(ROWS, [like], ['title', 'body'], {});
    const found = await search(index, { more_like_this: { text } });
    expect(idsOf(found)).toEqual(
      matching(ROWS, liked, minimumOf('30%', liked.length)).map(({ id }) => id),
    );
    const both = likedWords(ROWS, [like, ROWS[9]], ['body'], { max_query_terms: 9 });
    const beside = await search(index, {
      more_like_this: { text, keys: [keyOf(9)], fields: ['body'], max_query_terms: 9 },
    });
    const expected = matching(ROWS, both, minimumOf('30%', both.length));
    expect(idsOf(beside)).toEqual(expected.map(({ id }) => id).filter((id) => id !== 9));
  });

  it('counts the same as a filter, in aggregations, and explains hits', async () => {
    const like: QueryTree = { more_like_this: { keys: [keyOf(3)], min_term_freq: 1 } };
    const { total, hits } = await search(index, like);
    expect(total).toBeGreaterThan(0);
    const filtered = await lake.backend.search({ index, filter: like, limit: 1 });
    expect(filtered.total).toBe(total);
    const aggs = { alike: { filter: like } };
    const { results } = await lake.backend.aggregate({ index, aggs });
    expect(results.alike).toMatchObject({ doc_count: total });
    const [best] = hits;
    const explained = await lake.backend.explain({
      index,
      ast: like,
      coordinates: best.coordinates,
    });
    expect(explained.score).toBeCloseTo(best.score, 9);
    const self = await lake.backend.explain({ index, ast: like, coordinates: keyOf(3) });
    expect(self.why_not?.message).toMatch(/^more_like_this needs \d+ of its \d+ words/);
  });
});

const minimumOf = (text: string, count: number): number => {
  if (!text.endsWith('%')) return Number(text);
  const share = Number(text.slice(0, -1));
  const parts = Math.trunc((count * share) / 100);
  return share < 0 ? count + parts : parts;
};

describe('more_like_this', () => {
  it('takes words and counts of the rows of a tenant alone', async () => {
    const own = ROWS.filter(({ org }) => org === 'a');
    const liked = likedWords(own, [ROWS[4]], ['body'], { min_term_freq: 1 });
    const reads = asTenant(lake.backend, 'a');
    const ast = { more_like_this: { keys: [keyOf(4)], fields: ['body'], min_term_freq: 1 } };
    const found = await reads.search({ index: 'guarded', ast, limit: 300 });
    const expected = matching(own, liked, minimumOf('30%', liked.length));
    expect(idsOf(found)).toEqual(expected.map(({ id }) => id).filter((id) => id !== 4));
    const foreign = { more_like_this: { keys: [keyOf(3)] } };
    const refused = reads.search({ index: 'guarded', ast: foreign });
    await expect(refused).rejects.toMatchObject({ code: 'not_found' });
  });

  it('refuses keys that no row has, other fields, and nothing to compare', async () => {
    const refused = (like: object, problem: object) =>
      expect(search('one', { more_like_this: like })).rejects.toMatchObject(problem);
    await refused({ keys: [keyOf(999)] }, { code: 'not_found' });
    await refused({ text: 'a', fields: ['nope'] }, { code: 'invalid_query' });
    await refused({ text: 'a', fields: ['id'] }, { code: 'invalid_query' });
    await refused({}, { code: 'invalid_query' });
    await refused({ text: 'a', min_doc_freq: 0 }, { code: 'invalid_query' });
  });

  it('says why no row is like another', async () => {
    const why = async (like: object) => {
      const ast: QueryTree = { more_like_this: { keys: [keyOf(4)], fields: ['body'], ...like } };
      const { total, notes } = await lake.backend.search({ index: 'one', ast, suggest: true });
      return [total, notes];
    };
    const never = { min_term_freq: 9, min_doc_freq: 7 };
    expect(await why(never)).toEqual([
      0,
      [expect.stringMatching(/^no word of body .* 7 or more .* 9 /)],
    ]);
    const limits = { min_term_freq: 1, minimum_should_match: '100%' };
    const { length } = likedWords(ROWS, [ROWS[4]], ['body'], { min_term_freq: 1 });
    const all = `no other row has ${length} of the ${length} words of body (minimum_should_match)`;
    expect(await why(limits)).toEqual([0, [all]]);
  });
});
