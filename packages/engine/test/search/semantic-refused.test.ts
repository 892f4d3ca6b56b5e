/**
 * What searches by meaning refuse and in which words, and what they tell when an arm cannot answer.
 */
import { join } from 'node:path';
import {
  type HybridRequest,
  LhsError,
  type SearchRequest,
  type SemanticRequest,
} from '@lakehouse-search/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FLOATS, schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import type { Embedder, OpenEmbedder } from '../../src/embed/embedder.ts';
import { openEmbedder } from '../../src/embed/open-embedder.ts';
import { type LocalEngine, openEngine } from '../../src/local-backend.ts';

const SCHEMA = schemaOf({ id: 'string', body: 'string', size: 'long', v: FLOATS });
const ROWS = [
  { id: 'a', body: 'a harbour in the storm', size: 1, v: [1, 0, 0] },
  { id: 'b', body: 'fresh bread every morning', size: 2, v: [0, 1, 0] },
  { id: 'c', body: null, size: 3, v: null },
  { id: 'd', body: '', size: 4, v: [0, 0, 0] },
];

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(SCHEMA, { rows: ROWS });
  await lake.build(`fields:
  - { name: body, type: TEXT, cached: true }
  - { name: size, type: LONG }
  - { name: text, type: VECTOR, source: body }
  - { name: v, type: VECTOR, dims: 3 }`);
}, 600_000);
afterAll(() => lake?.close());

const refusal = async (asked: Promise<unknown>): Promise<LhsError> => {
  const error = await asked.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error instanceof LhsError) return error;
  throw new Error('it was not refused', { cause: error });
};

const own = { vector_field: 'v', query_vector: [1, 0, 0] };
const near = { vector_field: 'text', query_text: 'ships' };
describe('refused semantic requests', () => {
  it.each<[object, string, string]>([
    [{}, 'invalid_argument', 'neither "query_text" nor "query_vector": what should be near?'],
    [
      { query_text: 'ships' },
      'invalid_argument',
      '"vector_field" is missing: index "t" has 2 VECTOR fields',
    ],
    [{ ...near, vector_field: 'txt' }, 'invalid_argument', 'field "txt" is not in index "t"'],
    [
      { ...near, vector_field: 'body' },
      'invalid_argument',
      '"vector_field" needs a VECTOR field: "body" is TEXT',
    ],
    [
      { vector_field: 'v', query_text: 'ships' },
      'invalid_argument',
      'field "v" has no model: its column holds the vectors',
    ],
    [
      { ...own, query_vector: [1, 0] },
      'invalid_argument',
      '"query_vector" has 2 numbers: field "v" has vectors of 3',
    ],
    [
      { ...own, query_vector: [1, Number.NaN, 0] },
      'invalid_argument',
      '"query_vector[1]" is NaN: expected a number',
    ],
    [
      { ...own, query_vector: [1, 1e300, 0] },
      'invalid_argument',
      '"query_vector[1]" is 1e+300: beyond what 32 bits hold',
    ],
    [
      { ...own, query_vector: [0, 0, 0] },
      'invalid_argument',
      '"query_vector" is all zeros: by cosine nothing is near it',
    ],
    [{ ...own, k: 10_001 }, 'limit_exceeded', '"k" is 10001: at most 10000'],
    [{ ...own, k: 0 }, 'invalid_argument', '"k" is 0: expected a whole number from 1 to 10000'],
    [
      { ...own, exact: true, ef: 5 },
      'invalid_argument',
      '"ef" does not go with "exact": every vector is compared',
    ],
    [{ ...own, query: 'ships' }, 'invalid_argument', 'unknown request field "query"'],
    [{ ...own, rrf_k: 3 }, 'invalid_argument', 'unknown request field "rrf_k"'],
    [
      { ...near, query_text: 'x'.repeat(8193) },
      'limit_exceeded',
      '"query_text" has 8193 bytes: at most 8192',
    ],
  ])('%j', async (request, code, message) => {
    const error = await refusal(lake.backend.semantic(request as SemanticRequest));
    expect([error.code, error.message]).toEqual([code, message]);
  });
});

describe('refused hybrid requests', () => {
  it.each<[object, string]>([
    [{ ...own }, '"query_text" is missing: its words are one arm'],
    [
      { ...near, weights: { lexical: 0, semantic: 0 } },
      '"weights" are both 0: no arm would search',
    ],
    [
      { ...near, weights: { lexical: -1 } },
      '"weights.lexical" is -1: expected a number from 0 to 1000 with three decimals or fewer',
    ],
    [
      { ...near, weights: { lexical: 0.0001 } },
      '"weights.lexical" is 0.0001: expected a number from 0 to 1000 with three decimals or fewer',
    ],
    [{ ...near, weights: { words: 1 } }, 'unknown field of "weights" "words"'],
    [{ ...near, rrf_k: -1 }, '"rrf_k" is -1: expected a whole number from 0 to 1000000'],
    [
      { ...near, lexical_fields: ['size'] },
      '"lexical_fields" names "size", which is no indexed TEXT field',
    ],
    [
      { ...near, lexical_fields: ['bdy'] },
      '"lexical_fields" names "bdy", which is not in index "t"',
    ],
  ])('%j', async (request, message) => {
    const error = await refusal(lake.backend.hybrid(request as HybridRequest));
    expect([error.code, error.message]).toEqual(['invalid_argument', message]);
  });
});

describe('refused knn clauses', () => {
  it.each<[SearchRequest, string, string]>([
    [
      { ast: { knn: { field: 'body', query_text: 'x' } } },
      'invalid_query',
      'a knn clause needs a VECTOR field: "body" is TEXT',
    ],
    [
      { ast: { knn: { field: 'v', query_text: 'x' } } },
      'invalid_argument',
      'field "v" has no model: its column holds the vectors',
    ],
    [
      { query: 'text:ships' },
      'invalid_query',
      'field "text" is VECTOR: it holds what texts mean, no words and values',
    ],
  ])('%j', async (request, code, message) => {
    const error = await refusal(lake.backend.search(request));
    expect([error.code, error.message]).toEqual([code, message]);
  });

  it('is counted alone, and named by its text', async () => {
    const knn = { knn: { field: 'text', query_text: 'ships', k: 1 } };
    const ast = { bool: { must: [knn, { term: { field: 'size', value: 99 } }] } };
    expect(await lake.backend.clauseCounts({ ast })).toEqual([
      { clause: 'text~"ships"', total: 1 },
      { clause: 'size:99', total: 0 },
    ]);
  });

  it('narrows as a filter, beside a filter and inside another', async () => {
    const knn = (more: object) => ({ knn: { field: 'v', query_vector: [1, 0.1, 0], ...more } });
    const keys = async (request: SearchRequest) =>
      (await lake.backend.search(request)).hits.map((hit) => hit.coordinates.identifier[0]!.value);
    expect(await keys({ query: '*:*', filter: knn({ k: 1 }) })).toEqual(['a']);
    expect(await keys({ ast: knn({ k: 1 }), filter: 'size:2' })).toEqual(['b']);
    expect(
      await keys({ ast: knn({ k: 1, filter: { term: { field: 'size', value: 2 } } }) }),
    ).toEqual(['b']);
    expect(await keys({ ast: knn({ k: 5, filter: knn({ k: 1 }) }) })).toEqual(['a']);
    expect(await keys({ ast: { bool: { must_not: [knn({ k: 1 })] } } })).toEqual(['b', 'c', 'd']);
  });
});

describe('no vector', () => {
  it('of null, empty text and zeros: they are never near, and the rest are', async () => {
    const request = { k: 100, min_score: 0 };
    for (const one of [own, near]) {
      const { hits, total } = await lake.backend.semantic({ ...one, ...request });
      expect(hits.map((hit) => hit.coordinates.identifier[0]!.value).sort()).toEqual(['a', 'b']);
      expect(total).toBe(2);
    }
  });

  it('and those are not among all that have one', async () => {
    const { total } = await lake.backend.search({ query: 'text:*' });
    const without = await lake.backend.search({ query: '-v:*' });
    expect([total, without.total]).toEqual([2, 2]);
  });

  it('of a text that the model does not know: said, not silent', async () => {
    const asked = { vector_field: 'text', query_text: ' \u0000 ' };
    const { total, notes } = await lake.backend.semantic(asked);
    expect(total).toBe(0);
    expect(notes).toEqual([expect.stringContaining('the model knows no word of')]);
    expect((await lake.backend.hybrid(asked)).notes).toEqual([
      expect.stringContaining('no row has a word of'),
      ...(notes ?? []),
    ]);
  });

  it('under a filter that nothing matches', async () => {
    const { total, hits } = await lake.backend.semantic({ ...own, filter: 'size:99' });
    expect([total, hits]).toEqual([0, []]);
  });
});

describe('a model', () => {
  const asked = { vector_field: 'text', query_text: 'harbour storm' };

  /** The same index with other models. */
  async function withModels(
    open: OpenEmbedder,
    work: (backend: LocalEngine) => Promise<void>,
  ): Promise<void> {
    const backend = await openEngine(join(lake.folder, 'data'), {
      create: true,
      threads: 0,
      openEmbedder: open,
    });
    try {
      await work(backend);
    } finally {
      await backend.close();
    }
  }
  const openEmbedderFrom: OpenEmbedder = (model, from) => openEmbedder(model, { from });
  const another: OpenEmbedder = async (model) => {
    const embedder: Embedder = await openEmbedder(model);
    const identity = { ...embedder.identity, checksum: 'f'.repeat(64) };
    return { identity, embed: (texts) => embedder.embed(texts), close: () => embedder.close() };
  };
  const missing: OpenEmbedder = async () => {
    throw new LhsError('model_unavailable', 'the model file "m/vocab.txt" is missing');
  };

  it('of another checksum is refused, with the way out; an arm of it is flagged', () =>
    withModels(another, async (backend) => {
      const error = await refusal(backend.semantic(asked));
      expect(error.code).toBe('model_mismatch');
      expect(error.message).toMatch(/^field "text" was built with model "default" of checksum/);
      expect(error.next).toEqual([{ step: 'reindex', index: 't' }]);
      const { hits, partial, failed_arms } = await backend.hybrid(asked);
      expect(hits.map((hit) => hit.arms)).toEqual([
        { lexical: { rank: 1, score: expect.any(Number) } },
      ]);
      expect([partial, failed_arms?.[0]?.arm, failed_arms?.[0]?.code]).toEqual([
        true,
        'semantic',
        'model_mismatch',
      ]);
      expect((await backend.semantic(own)).total).toBe(2);
      expect(
        (await refusal(backend.search({ ast: { knn: { field: 'text', query_text: 'x' } } }))).code,
      ).toBe('model_mismatch');
    }));

  it('that was changed while a search holds it: a reindex is enough', async () => {
    let open: OpenEmbedder = openEmbedderFrom;
    await withModels(
      (model, from) => open(model, from),
      async (backend) => {
        const { hits } = await backend.semantic(asked);
        open = another;
        expect((await backend.semantic(asked)).hits).toEqual(hits);
        await backend.reindex({});
        expect((await backend.semantic(asked)).hits).toEqual(hits);
        open = openEmbedderFrom;
        await backend.reindex({});
        expect((await backend.hybrid(asked)).failed_arms).toBeUndefined();
      },
    );
  });

  it('that is not there: the words still answer, and it is tried again', async () => {
    let there = false;
    const open: OpenEmbedder = (model, from) =>
      there ? openEmbedder(model, { from }) : missing(model, from);
    await withModels(open, async (backend) => {
      expect((await refusal(backend.semantic(asked))).code).toBe('model_unavailable');
      const { failed_arms } = await backend.hybrid(asked);
      expect(failed_arms).toEqual([
        {
          arm: 'semantic',
          code: 'model_unavailable',
          message: 'the model file "m/vocab.txt" is missing',
        },
      ]);
      const coordinates = { identifier: [{ name: 'id', value: 'b' }] };
      const explained = await backend.explain({ ...asked, mode: 'hybrid', coordinates });
      expect(explained.arms).toEqual({
        lexical: { why_not: 'none of the words is in the row' },
        semantic: { why_not: 'it failed: the model file "m/vocab.txt" is missing' },
      });
      there = true;
      expect((await backend.hybrid(asked)).failed_arms).toBeUndefined();
    });
  });

  it('more words than a query may have: the meaning still answers', async () => {
    const query_text = Array.from({ length: 1100 }, (_, i) => `w${i}`).join(' ');
    const { failed_arms, hits } = await lake.backend.hybrid({ ...asked, query_text });
    expect(failed_arms?.map(({ arm, code }) => [arm, code])).toEqual([
      ['lexical', 'limit_exceeded'],
    ]);
    expect(hits.length).toBeGreaterThan(0);
    await withModels(missing, async (backend) => {
      const error = await refusal(backend.hybrid({ ...asked, query_text }));
      expect(error.code).toBe('model_unavailable');
    });
  });
});
