// @module-tag campaign
/**
 * Queries of the imitated engine against query trees of ours over random documents: hits by brute
 * force, scores to 1e-6. Every form has an error case, and hostile bodies end in an error.
 */
import { readFileSync } from 'node:fs';
import type { Json, JsonObject } from '@lakehouse-search/contract';
import { checkSearchRequest } from '@lakehouse-search/contract/internal';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';
import { buildCorpus, corpusPlan, MAPPING } from '../../../../test/support/oracle/corpus.ts';
import { addressOf, Model, TYPES } from '../../../../test/support/oracle/model.ts';
import { searchContext } from '../../../../test/support/search-context.ts';
import { searchIndex } from '../../../engine/src/search/search.ts';
import type { FieldTable } from '../../src/search-adapter/query/field-table.ts';
import { RefusedDsl } from '../../src/search-adapter/query/refusal.ts';
import {
  REFUSED_QUERIES,
  SERVED_QUERIES,
  translateQuery,
  translateRetriever,
} from '../../src/search-adapter/query/translate-query.ts';
import { FORMS } from './query-forms.ts';

const PAGE = new URL('../../../../docs/search-adapter-queries.md', import.meta.url);
const CASES = byEffort(12, 300);
const SEED = 20_261_123;
const TABLE: FieldTable = {
  index: 'oracle',
  fields: new Map(
    Object.entries({ ...TYPES, v1: 'VECTOR' }).map(([name, type]) => {
      return [name, { name, type, indexed: true, fast: true }];
    }),
  ),
  variants: ['meta'],
  key: { partition: [], identifier: ['id'] },
  defaultFields: ['t1'],
  now: Date.UTC(2024, 1, 29, 13, 14, 15, 16),
};
const [plan] = fc.sample(corpusPlan(addressOf), { seed: SEED, numRuns: 1 });
const corpus = buildCorpus(plan!);
const model = new Model(corpus.physical, corpus.live);
const context = searchContext(MAPPING, corpus.snapshot);
afterAll(() => corpus.snapshot.release());

const treeOf = (dsl: Json) => translateQuery(dsl, TABLE).ast;

/** What a refused query says: its status, type and reason in one text. */
function refused(translate: () => unknown): string {
  try {
    translate();
  } catch (error) {
    if (!(error instanceof RefusedDsl)) throw error;
    const { status, type, reason } = error.refusal;
    return `${status} ${type}: ${reason}`;
  }
  return 'served';
}

/** Queries that say documents only of a whole index. */
const WHOLE = ['knn', 'more_like_this'];

describe('queries of the imitated engine', () => {
  it.each(Object.entries(FORMS))('%s has the hits and scores of its tree', async (_, forms) => {
    const check = async ({ dsl, tree }: { dsl: Json; tree: Parameters<Model['search']>[0] }) => {
      const expected = model.search(tree, null);
      const request = checkSearchRequest({ ast: treeOf(dsl), limit: 10_000 });
      const { hits, total } = await searchIndex(context, request);
      expect(total, JSON.stringify(dsl)).toBe(expected.size);
      const scores = new Map([...expected].map(([doc, score]) => [doc.key, score]));
      for (const { coordinates, score } of hits) {
        const wanted = scores.get(coordinates.identifier[0]!.value);
        expect(Math.abs(score - wanted!), JSON.stringify(dsl)).toBeLessThan(1e-6);
      }
    };
    await fc.assert(fc.asyncProperty(forms, check), { seed: SEED, numRuns: CASES });
  });

  it('have a form for every served query but those of whole indexes', () => {
    const named = Object.keys(FORMS).map((name) => name.split(' ')[0]);
    const missing = SERVED_QUERIES.filter((name) => !named.includes(name) && !WHOLE.includes(name));
    expect(missing).toEqual([]);
  });
});

describe('dates of a range', () => {
  const bounds = (body: Json) => {
    const tree = treeOf({ range: { at: body } });
    return 'range' in tree ? tree.range : tree;
  };
  const micros = (text: string, more = 0) => String(Date.parse(text) * 1000 + more);

  it.each<[Json, object]>([
    [{ gte: '2024-01-05' }, { gte: micros('2024-01-05') }],
    [{ gt: '2024-01-05' }, { gt: micros('2024-01-05T23:59:59.999Z', 999) }],
    [{ lte: '2024-01' }, { lte: micros('2024-01-01T23:59:59.999Z', 999) }],
    [{ lt: '2024-01' }, { lt: micros('2024-01-01') }],
    [{ gte: 'now-1d/d' }, { gte: micros('2024-02-28') }],
    [{ lte: 'now/M' }, { lte: micros('2024-02-29T23:59:59.999Z', 999) }],
    [{ lt: 'now+1y' }, { lt: micros('2025-02-28T13:14:15.016Z') }],
    [{ gte: '2025-10-17||/M' }, { gte: micros('2025-10-01') }],
    [{ gte: '2025-01-31||+1M' }, { gte: micros('2025-02-28') }],
    [{ gte: 1_700_000_000_000 }, { gte: micros('2023-11-14T22:13:20Z') }],
    [{ lte: 1_700_000_000_000 }, { lte: micros('2023-11-14T22:13:20Z', 999) }],
    [{ gte: '1700000000', format: 'epoch_second' }, { gte: micros('2023-11-14T22:13:20Z') }],
    [{ gte: '05/01/2024', format: 'dd/MM/yyyy' }, { gte: micros('2024-01-05') }],
    [{ gte: '2024-01-05', time_zone: '+01:00' }, { gte: micros('2024-01-04T23:00:00Z') }],
    [{ gte: '2024-07-05', time_zone: 'America/New_York' }, { gte: micros('2024-07-05T04:00:00Z') }],
    [{ gte: 'now/d', time_zone: 'Asia/Tokyo' }, { gte: micros('2024-02-28T15:00:00Z') }],
    [{ gte: 'now/w' }, { gte: micros('2024-02-26') }],
    [{ gte: null, lt: '2024' }, { lt: micros('2024-01-01') }],
  ])('%j is %j', (body, expected) => {
    expect(bounds(body)).toEqual({ field: 'at', ...expected });
  });
});

describe('the page on queries', () => {
  const page = readFileSync(PAGE, 'utf8');

  it('has a row for every served query, and names every refused one', () => {
    const rows = [...page.matchAll(/^\| (`[^|]*`) \|/gm)].flatMap(([, names]) =>
      [...names!.matchAll(/`([a-z_]+)`/g)].map(([, name]) => name),
    );
    expect(rows.toSorted()).toEqual([...SERVED_QUERIES].sort());
    expect(REFUSED_QUERIES.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  it('has examples that are served or refused as it says', () => {
    const examples = [...page.matchAll(/^(\{.*\}) +=> (served|400|501)$/gm)];
    expect(examples.length).toBeGreaterThan(15);
    for (const [, dsl, expected] of examples) {
      const found = refused(() => treeOf(JSON.parse(dsl!) as Json));
      expect(found.split(' ')[0], dsl).toBe(expected);
    }
  });
});

describe('refused queries', () => {
  it.each<[Json, string]>([
    [{ match: { t1: { query: 'a', foo: 1 } } }, '400 parsing_exception: [match] query does not s'],
    [{ match: { t1: { query: 'a', analyzer: 'x' } } }, '501 unsupported_operation_exception: [mat'],
    [{ match: { t1: { query: 'a', fuzziness: 3 } } }, '400 illegal_argument_exception'],
    [{ match: { t1: { query: 'a', operator: 'xor' } } }, '400 illegal_argument_exception'],
    [{ match: { t1: { query: 'a', minimum_should_match: 'x' } } }, '400 number_format_exception'],
    [{ match: { t1: 'a', t2: 'b' } }, "400 parsing_exception: [match] query doesn't support mult"],
    [{ match: 'a' }, '400 parsing_exception: [match] query malformed, no start_object'],
    [{ match_phrase: { t1: { query: 'a', slop: -1 } } }, '400 illegal_argument_exception'],
    [{ match_phrase_prefix: { k1: 'a' } }, '400 illegal_argument_exception: Can only use phrase p'],
    [{ match_phrase_prefix: { t1: { query: 'a b', slop: 1 } } }, '501'],
    [{ match_bool_prefix: { t1: {} } }, '400 parsing_exception'],
    [{ multi_match: { query: 'a', type: 'cross_fields' } }, '501'],
    [{ multi_match: { query: 'a', type: 'most' } }, '400 parsing_exception'],
    [{ multi_match: { query: 'a', fields: [1] } }, '400 parsing_exception'],
    [{ term: { k1: ['a'] } }, '400 parsing_exception: [term] query does not support array'],
    [{ term: { 't1.keyword': 'a' } }, '400 query_shard_exception: [term] query on [t1.keyword]'],
    [{ terms: { k1: 'a' } }, '400 parsing_exception'],
    [{ terms: { k1: { index: 'a', id: '1', path: 'b' } } }, '501'],
    [{ range: { n1: { from: 1, to: 2 } } }, '501'],
    [{ range: { at: { gte: 'yesterday' } } }, '400 parse_exception: failed to parse date field'],
    [{ range: { at: { gte: '2024-02-30' } } }, '400 parse_exception'],
    [{ range: { at: { gte: 'now-1x' } } }, '400 parse_exception'],
    [{ range: { at: { gte: '2024', time_zone: 'Mars' } } }, '400 illegal_argument_exception'],
    [{ prefix: { n1: '1' } }, '400 illegal_argument_exception: Can only use prefix queries'],
    [{ wildcard: { k1: {} } }, '400 parsing_exception'],
    [{ regexp: { k1: '<1-5>' } }, '501'],
    [{ regexp: { k1: { value: 'a\\bc' } } }, '501'],
    [{ fuzzy: { k1: { value: 'a', fuzziness: 'AUTO:1,2' } } }, '501'],
    [{ exists: {} }, '400 parsing_exception'],
    [{ ids: { values: [{}] } }, '400 parsing_exception'],
    [{ bool: { foo: [] } }, '400 parsing_exception: [bool] query does not support [foo]'],
    [{ bool: { must: [{}] } }, '400 illegal_argument_exception: query malformed, empty clause'],
    [{ constant_score: {} }, "400 parsing_exception: [constant_score] requires 'filter'"],
    [{ boosting: { positive: { match_all: {} } } }, '400 parsing_exception'],
    [{ dis_max: { queries: [] } }, '400 parsing_exception'],
    [{ match_all: { a: 1 } }, '400 parsing_exception'],
    [{ match_none: [] }, '400 parsing_exception'],
    [{ query_string: { query: '(a' } }, '400 query_shard_exception: Failed to parse query [(a]'],
    [{ query_string: { query: 'a OR b AND c' } }, '501'],
    [{ query_string: { query: 'a', escape: true } }, '501'],
    [{ simple_query_string: { query: 'a', flags: 'OR|AND' } }, '501'],
    [{ knn: { field: 't1', query_vector: [1], k: 1 } }, '400 query_shard_exception'],
    [{ knn: { field: 'v1', k: 1 } }, '400 parsing_exception'],
    [{ knn: { field: 'v1', query_vector: [1], similarity: 0.5 } }, '501'],
    [{ match_all: {}, term: { k1: 'a' } }, '400 parsing_exception: [match_all] malformed query'],
    [[], '400 parsing_exception: [_na] query malformed'],
  ])('%j: %s', (dsl, expected) => {
    const found = refused(() => treeOf(dsl));
    expect(found.slice(0, expected.length)).toBe(expected);
  });

  it.each(REFUSED_QUERIES)('%s is refused by its name', (name) => {
    expect(refused(() => treeOf({ [name]: {} }))).toBe(
      `501 unsupported_operation_exception: [${name}] query is not served by this adapter`,
    );
  });
});

describe('more_like_this', () => {
  it('compares documents and texts', () => {
    const like: Json = [{ _index: 'any', _id: '7' }, 'quick fox', 'dog'];
    const more = { min_term_freq: 1, minimum_should_match: '2' };
    const key = TABLE.key.identifier[0];
    expect(treeOf({ more_like_this: { fields: ['t1', 'absent'], like, ...more } })).toEqual({
      more_like_this: {
        ...{ fields: ['t1'], text: 'quick fox\ndog', ...more },
        keys: [{ identifier: [{ name: key, value: '7' }] }],
      },
    });
    expect(refused(() => treeOf({ more_like_this: {} }))).toMatch(/^400/);
    const others: readonly JsonObject[] = [
      { unlike: 'a' },
      { include: true },
      { like: { doc: {} } },
    ];
    for (const more of others) {
      expect(refused(() => treeOf({ more_like_this: { like: 'a', ...more } }))).toMatch(/^501/);
    }
  });
});

describe('vectors', () => {
  const vector = [0.5, -1];

  it('are a knn clause in both forms', () => {
    const knn = { field: 'v1', query_vector: vector, k: 3, filter: { term: { k1: 'a' } } };
    const { filter, ...nested } = { vector, k: 3, filter: knn.filter };
    expect(treeOf({ knn })).toEqual({
      knn: { ...knn, filter: { term: { field: 'k1', value: 'a' } } },
    });
    expect(treeOf({ knn: { v1: { ...nested, filter } } })).toEqual(treeOf({ knn }));
  });

  it('are fused with words by an rrf retriever', () => {
    const retrievers: Json[] = [
      { standard: { query: { match: { t1: 'fix bug' } } } },
      { knn: { field: 'v1', query_vector: vector, k: 3, num_candidates: 9 } },
    ];
    const rrf = { retrievers, rank_constant: 20, rank_window_size: 50 };
    expect(translateRetriever({ rrf }, TABLE).nearest).toEqual({
      ...{ query_text: 'fix bug', lexical_fields: ['t1'], vector_field: 'v1' },
      ...{ query_vector: vector, ef: 9, k: 50, fusion: 'rrf', rrf_k: 20 },
    });
  });

  it('are refused in fusions that a hybrid search cannot do', () => {
    const standard = { standard: { query: { term: { k1: 'a' } } } };
    const knn = { knn: { field: 'v1', query_vector: vector } };
    for (const retrievers of [[standard, knn], [knn, knn], [standard], []]) {
      expect(refused(() => translateRetriever({ rrf: { retrievers } }, TABLE))).toMatch(/^501/);
    }
  });
});

describe('hostile bodies', () => {
  it('nested 10,000 deep are refused', () => {
    const deep = (open: string, close: string) =>
      JSON.parse(`${open.repeat(10_000)}{"match_all":{}}${close.repeat(10_000)}`) as Json;
    const bodies = [
      deep('{"bool":{"must":[', ']}}'),
      deep('{"bool":{"must_not":', '}}'),
      deep('{"constant_score":{"filter":', '}}'),
      deep('{"match":{"t1":', '}}'),
      deep('{"range":{"n1":{"gte":', '}}}'),
      deep('[', ']'),
    ];
    for (const dsl of bodies) expect(refused(() => treeOf(dsl))).toMatch(/^400/);
    const brackets = { query: `${'('.repeat(4000)}a${')'.repeat(4000)}` };
    expect(refused(() => treeOf({ query_string: brackets }))).toMatch(/^400/);
    expect(refused(() => treeOf({ simple_query_string: brackets }))).toMatch(/^400/);
  });

  it('with too many queries are refused', () => {
    const should = Array.from({ length: 2000 }, () => ({ match_all: {} }));
    expect(refused(() => treeOf({ bool: { should } }))).toMatch(/^400/);
  });

  it('end in a tree or an error, whatever they are', () => {
    const names = [...SERVED_QUERIES, ...REFUSED_QUERIES, '__proto__', 'constructor'];
    const keys = fc.constantFrom(
      ...names,
      ...['query', 'fields', 'value', 'values', 'filter', 'must', 'boost', 'field', 't1', 'at'],
    );
    const values = fc.constantFrom<Json>('now', '2024', -1, 1e300, null, true, [], {}, 'a^b', '((');
    const { body } = fc.letrec<{ body: Json }>((tie) => ({
      body: fc.oneof(
        { maxDepth: 5 },
        values,
        fc.dictionary(keys, tie('body'), { maxKeys: 3 }),
        fc.array(tie('body'), { maxLength: 2 }),
      ),
    }));
    const queries = fc.tuple(fc.constantFrom(...names), body).map(([name, json]) => {
      return Object.fromEntries([[name, json]]) as Json;
    });
    fc.assert(
      fc.property(queries, (dsl) => {
        expect(refused(() => treeOf(dsl))).not.toBe('');
      }),
      { seed: SEED, numRuns: byEffort(3000, 50_000) },
    );
  });

  it('of strings are parsed or refused', () => {
    const piece = fc.constantFrom(
      ...['a', 'b*', 'AND', 'OR', 'NOT', '(', ')', '"', '~', '~2', '^2', '+', '-', ' ', ' ', '\\'],
      ...['t1:', 'at:', '*', '[1 TO 2]', '{', '/x/', '&&', '||', ':', '>=', '|', 'k1:'],
    );
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(text, (query) => {
        refused(() => treeOf({ query_string: { query } }));
        expect(refused(() => treeOf({ simple_query_string: { query } }))).toBe('served');
      }),
      { seed: SEED, numRuns: byEffort(3000, 50_000) },
    );
  });
});
