// @module-tag campaign
/**
 * Semantic and hybrid searches against brute force over plain arrays, on random tables that grow,
 * lose rows and are rebuilt: own vectors under each similarity, and texts under the model that
 * ships with lhs. LHS_SEED.
 */

import type { Hit, Json, SearchResponse, SemanticRequest } from '@lakehouse-search/contract';
import { deleteRows } from '@lakehouse-search/lake';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asTenant } from '../../../../test/support/as-tenant.ts';
import { byEffort } from '../../../../test/support/effort.ts';
import type { ModelDoc } from '../../../../test/support/oracle/model.ts';
import {
  fusedOf,
  fusedOrder,
  nearestOf,
  type Similarity,
  tooClose,
  type Vector,
} from '../../../../test/support/oracle/vectors.ts';
import { FLOATS, schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import { textsOf } from '../../src/embed/embedder.ts';
import { openEmbedder } from '../../src/embed/open-embedder.ts';

const SEED = Number(process.env.LHS_SEED ?? 20_261_121);
const DIMS = 5;
const SIMILARITIES = ['cosine', 'dot', 'l2'] as const;
const WORDS = [
  'harbour',
  'ship',
  'storm',
  'engine',
  'captain',
  'market',
  'bread',
  'oven',
  'fish',
  'net',
];

const SCHEMA = schemaOf({
  ...{ id: 'string', body: 'string', owner: 'string', size: 'long', v: FLOATS },
});
const vectorField = (name: string) =>
  `  - { name: ${name}, type: VECTOR, source: v, dims: ${DIMS}, similarity: ${name} }`;
const FIELDS = `tenant_field: owner
fields:
  - { name: body, type: TEXT, analyzer: simple, cached: true }
  - { name: owner, type: KEYWORD, fast: true }
  - { name: size, type: LONG }
  - { name: text, type: VECTOR, source: body }
${SIMILARITIES.map((name) => vectorField(name)).join('\n')}`;

interface Row {
  readonly [column: string]: unknown;
  readonly id: string;
  readonly body: string | null;
  readonly owner: string | null;
  readonly size: number | null;
  readonly v: Vector | null;
}

const vector = fc
  .array(fc.integer({ min: -128, max: 128 }), { minLength: DIMS, maxLength: DIMS })
  .map((parts): Vector => parts.map((part) => part / 128))
  .filter((parts) => parts.some((part) => part !== 0));
/** Few vectors and texts, so that many rows are level. */
const POOL = fc.sample(vector, { seed: SEED, numRuns: 25 });
const QUERIES = fc
  .sample(vector, { seed: SEED + 1, numRuns: 60 })
  .filter((query) => SIMILARITIES.every((name) => !tooClose(query, POOL, name)));
const text = fc
  .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 })
  .map((words) => words.join(' '));
const TEXTS = [...new Set(fc.sample(text, { seed: SEED, numRuns: 30 }))];
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 6 });
const contents = fc.record({
  body: maybe(fc.constantFrom(...TEXTS)),
  owner: maybe(fc.constantFrom('ada', 'bob', 'cyd')),
  size: maybe(fc.integer({ min: 0, max: 20 })),
  v: maybe(fc.constantFrom(...POOL)),
});

let lake: SmallLake;
const rows = new Map<string, Row>();
/** What the model makes of each text. */
const embedded = new Map<string, Vector>();
beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(SCHEMA);
  await lake.define(FIELDS);
  const all = fc
    .sample(contents, { seed: SEED, numRuns: 400 })
    .map((row, i): Row => ({ id: `k${(i * 7919) % 10_007}`, ...row }));
  const append = async (from: number, to: number) => {
    const added = all.slice(from, to);
    await lake.append(added);
    for (const row of added) rows.set(row.id, row);
  };
  await append(0, 200);
  await lake.backend.reindex({});
  for (const [from, to] of [
    [200, 290],
    [290, 300],
    [300, 400],
  ] as const) {
    await append(from, to);
    await lake.backend.sync({});
  }
  await deleteRows(lake.source, `id LIKE 'k5%'`);
  for (const id of [...rows.keys()]) if (id.startsWith('k5')) rows.delete(id);
  await lake.backend.sync({});
  const embedder = await openEmbedder('default');
  const asked = [...TEXTS, ...WORDS];
  const values = await embedder.embed(textsOf(asked));
  const { dims } = embedder.identity;
  asked.forEach((one, i) => {
    embedded.set(one, [...values.subarray(i * dims, (i + 1) * dims)]);
  });
  await embedder.close();
}, 600_000);
afterAll(() => lake?.close());

const keyOf = (hit: Hit): string => hit.coordinates.identifier[0]!.value;
const none = { version: 0, texts: {}, words: {}, numbers: {}, addresses: {} };
const docs = (keep: (row: Row) => boolean): ModelDoc[] =>
  [...rows.values()].filter(keep).map(({ id }) => ({ ...none, key: id }));

interface Case {
  readonly similarity: Similarity;
  readonly query: Vector;
  readonly k: number;
  readonly least: number | undefined;
  readonly most: number | undefined;
  readonly page: number;
  readonly tenant: string | undefined;
}
const cases: fc.Arbitrary<Case> = fc.record({
  similarity: fc.constantFrom(...SIMILARITIES),
  query: fc.constantFrom(...QUERIES),
  k: fc.constantFrom(1, 3, 10, 40, 150, 10_000),
  least: fc.option(fc.double({ min: 0.2, max: 1.2, noNaN: true }), { nil: undefined, freq: 3 }),
  most: fc.option(fc.integer({ min: -1, max: 20 }), { nil: undefined }),
  page: fc.integer({ min: 1, max: 30 }),
  tenant: fc.option(fc.constantFrom('ada', 'bob', 'nobody'), { nil: undefined }),
});

const visible =
  ({ most, tenant }: Case) =>
  (row: Row) =>
    (most === undefined || (row.size !== null && row.size <= most)) &&
    (tenant === undefined || row.owner === tenant);
const filterOf = ({ most }: Case) => (most === undefined ? {} : { filter: `size:[* TO ${most}]` });
const backendOf = ({ tenant }: Case) =>
  tenant === undefined ? lake.backend : asTenant(lake.backend, tenant);

/** All hits, page after page. */
async function scrolled(
  ask: (page: SemanticRequest) => Promise<SearchResponse>,
  limit: number,
): Promise<readonly Hit[]> {
  const hits: Hit[] = [];
  for (let after: readonly Json[] | undefined; ; after = hits.at(-1)!.sort) {
    const more = after === undefined ? {} : { search_after: after };
    const page = await ask({ sort: [{ field: '_score' }], limit, ...more });
    hits.push(...page.hits);
    if (page.hits.length < limit) return hits;
  }
}

function expectList(hits: readonly Hit[], wanted: ReadonlyMap<ModelDoc, number>): void {
  expect(hits.map(keyOf)).toEqual([...wanted.keys()].map(({ key }) => key));
  [...wanted.values()].forEach((score, i) => {
    expect(hits[i]!.score).toBeCloseTo(score, 6);
  });
}

describe(`own vectors (seed ${SEED})`, () => {
  it('returns the nearest under filter, tenant and deletes, never fewer, by page', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (one) => {
        const { similarity, query, k, least, page } = one;
        const vectorOf = (doc: ModelDoc) => rows.get(doc.key)!.v;
        const spec = { query, k, similarity, ...(least === undefined ? {} : { least }) };
        const wanted = nearestOf(docs(visible(one)), vectorOf, spec);
        const request: SemanticRequest = {
          ...{ vector_field: similarity, query_vector: query, k, ...filterOf(one) },
          ...(least === undefined ? {} : { min_score: least }),
        };
        const whole = await backendOf(one).semantic(request);
        expect(whole.total).toBe(wanted.size);
        expectList(whole.hits, wanted);
        const ask = (more: SemanticRequest) => backendOf(one).semantic({ ...request, ...more });
        expect((await scrolled(ask, page)).map(keyOf)).toEqual(whole.hits.map(keyOf));
        const second = await ask({ limit: page, offset: page });
        expect(second.hits.map(keyOf)).toEqual(whole.hits.slice(page, 2 * page).map(keyOf));
      }),
      { seed: SEED, numRuns: byEffort(80, 250) },
    );
  }, 600_000);
});

describe('semantic search over texts', () => {
  const textOf = (doc: ModelDoc): Vector | null =>
    embedded.get(rows.get(doc.key)!.body ?? '') ?? null;

  it('are as near as the model has them', async () => {
    for (const word of WORDS) {
      const spec = { query: embedded.get(word)!, k: 10_000, similarity: 'cosine' } as const;
      const wanted = nearestOf(
        docs(() => true),
        textOf,
        spec,
      );
      const { hits, total } = await lake.backend.semantic({
        ...{ vector_field: 'text', query_text: word, k: 10_000 },
      });
      expect(total).toBe(wanted.size);
      const scores = new Map([...wanted].map(([{ key }, score]) => [key, score]));
      hits.forEach((hit, i) => {
        expect(hit.score).toBeCloseTo(scores.get(keyOf(hit))!, 5);
        const before = hits[i - 1];
        if (before === undefined) return;
        const level = before.score === hit.score && keyOf(before) < keyOf(hit);
        expect(before.score > hit.score || level).toBe(true);
      });
    }
  });

  it('fuse with their words, both arms under filter and tenant, page by page', async () => {
    const settings = fc.record({
      one: cases,
      query_text: text,
      rrf_k: fc.constantFrom(0, 1, 60),
      lexical: fc.constantFrom(1, 0.25, 3),
    });
    await fc.assert(
      fc.asyncProperty(settings, async ({ one, query_text, rrf_k, lexical }) => {
        const { k, page } = one;
        const backend = backendOf(one);
        const shared = { vector_field: 'text', query_text, k, ...filterOf(one) };
        const near = await backend.semantic(shared);
        const words = await backend.search({
          ...{ ast: { match: { field: 'body', value: query_text } }, ...filterOf(one), limit: k },
        });
        const list = ({ hits }: SearchResponse) =>
          hits.map((hit) => ({ key: keyOf(hit), score: hit.score }));
        const fused = fusedOf(
          [
            { list: list(words), weight: lexical },
            { list: list(near), weight: 1 },
          ],
          rrf_k,
        );
        const request = { ...shared, rrf_k, weights: { lexical } };
        const whole = await backend.hybrid({ ...request, limit: 1000 });
        expect(whole.hits.map(keyOf)).toEqual(fusedOrder(fused));
        expect(whole.total).toBe(fused.size);
        for (const hit of whole.hits) {
          const { over, under } = fused.get(keyOf(hit))!;
          expect(hit.score).toBeCloseTo(Number(over) / Number(under), 12);
          expect(hit.arms?.semantic?.score).toBe(
            list(near).find((h) => h.key === keyOf(hit))?.score,
          );
          expect(hit.arms?.lexical?.score).toBe(
            list(words).find((h) => h.key === keyOf(hit))?.score,
          );
        }
        const ask = (more: SemanticRequest) => backend.hybrid({ ...request, ...more });
        expect((await scrolled(ask, page)).map(keyOf)).toEqual(whole.hits.map(keyOf));
      }),
      { seed: SEED, numRuns: byEffort(40, 120) },
    );
  }, 600_000);

  it('are explained: sums are scores, what is not found says why', async () => {
    const keys = [...rows.keys()];
    const reasons = new Set<string | undefined>();
    const asked = fc.record({
      mode: fc.constantFrom('semantic', 'hybrid'),
      query_text: text,
      k: fc.constantFrom(1, 5, 40),
      most: fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined }),
      key: fc.oneof({ weight: 15, arbitrary: fc.constantFrom(...keys) }, fc.constant('nobody')),
    });
    await fc.assert(
      fc.asyncProperty(asked, async ({ mode, query_text, k, most, key }) => {
        const shared = {
          ...{ vector_field: 'text', query_text, k, limit: 1000 },
          ...(most === undefined ? {} : { filter: `size:[* TO ${most}]` }),
        };
        const { hits, total } = await lake.backend[mode](shared);
        const at = hits.findIndex((hit) => keyOf(hit) === key);
        const answer = await lake.backend.explain({
          ...{ ...shared, mode, coordinates: { identifier: [{ name: 'id', value: key }] } },
        });
        expect(answer.found).toBe(key !== 'nobody');
        expect(answer.matched).toBe(at >= 0);
        reasons.add(answer.why_not?.reason);
        if (at < 0) {
          expect(answer.why_not?.message).not.toBe('');
          return;
        }
        expect(answer.total).toBe(total);
        expect(answer.rank).toBe(at + 1);
        expect(answer.score).toBeCloseTo(hits[at]!.score, 12);
        const { details } = answer.detail!;
        const sum = details.reduce((all, part) => all + part.score, 0);
        if (details.length > 0) expect(sum).toBeCloseTo(hits[at]!.score, 12);
        if (mode === 'hybrid') {
          expect(answer.arms?.lexical?.rank).toBe(hits[at]!.arms?.lexical?.rank);
          expect(answer.arms?.semantic?.rank).toBe(hits[at]!.arms?.semantic?.rank);
        }
      }),
      { seed: SEED, numRuns: byEffort(80, 250) },
    );
    expect([...reasons].sort()).toEqual(['absent', 'filter', 'not_near', undefined].sort());
  }, 600_000);

  it('take whatever a person types', async () => {
    for (const query_text of ['ship AND (', 'NOT "storm', 'body:ship~9^x /a[/', '-ship *:*']) {
      const request = { vector_field: 'text', query_text, k: 1000, limit: 1000 };
      const { hits, partial } = await lake.backend.hybrid(request);
      expect(partial).toBeUndefined();
      const word = query_text.includes('storm') ? 'storm' : 'ship';
      const wanted = [...rows.values()].filter(({ body }) => body?.split(' ').includes(word));
      const found = hits.filter(({ arms }) => arms?.lexical !== undefined).map(keyOf);
      expect(wanted.map(({ id }) => id).filter((id) => !found.includes(id))).toEqual([]);
    }
  });
});
