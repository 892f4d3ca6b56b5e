/** Explanations and knn clauses for callers of one tenant: rows of others are as good as absent. */

import type { ExplainRequest, SearchRequest } from '@lakehouse-search/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asTenant } from '../../../../test/support/as-tenant.ts';
import { FLOATS, schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const schema = schemaOf({ id: 'string', org: 'string', title: 'string', v: FLOATS });
let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  const rows = [
    { id: 'a1', org: 'acme', title: 'disk full', v: [1, 0] },
    { id: 'a2', org: 'acme', title: 'disk quiet', v: [0.5, 0.5] },
    { id: 'r1', org: 'rival', title: 'disk kanarek', v: [0.9, 0.1] },
  ];
  await lake.create(schema, { rows });
  await lake.build(`tenant_field: org
key: { identifier: [id] }
fields:
  - { name: org, type: KEYWORD, fast: true }
  - { name: title, type: TEXT, cached: true }
  - { name: v, type: VECTOR, dims: 2 }`);
});
afterAll(() => lake.close());

const ask = (query: string, id: string) =>
  asTenant(lake.backend, 'acme').explain({
    query,
    coordinates: { identifier: [{ name: 'id', value: id }] },
  });

describe('explain for a tenant', () => {
  test('explains own rows among own hits', async () => {
    expect(await ask('disk', 'a1')).toMatchObject({ found: true, matched: true, total: 2 });
    expect((await ask('quiet', 'a1')).total).toBe(1);
  });

  test('answers rows of another tenant as absent keys', async () => {
    const [foreign, nobody] = [await ask('disk', 'r1'), await ask('disk', 'zz')];
    const plain = ({ timings: _, ...answer }: Awaited<ReturnType<typeof ask>>) =>
      JSON.stringify(answer).replaceAll(/\br1\b/g, 'zz');
    expect(plain(foreign)).toBe(plain(nobody));
    expect(foreign).toMatchObject({ found: false, matched: false, why_not: { reason: 'absent' } });
  });

  test('reveals nothing that other tenants wrote in missing terms', async () => {
    const known = await ask('kanarek', 'a1');
    const unknown = await ask('kanarec', 'a1');
    expect(known.why_not?.message).toContain('title does not have it');
    expect(known.why_not?.message.replaceAll('kanarek', 'kanarec')).toBe(unknown.why_not?.message);
    expect(unknown.why_not).not.toHaveProperty('nearest_term');
  });

  const near = { mode: 'semantic', query_vector: [1, 0], k: 1 } as const;
  const askNear = (id: string, more: Partial<ExplainRequest> = near) =>
    asTenant(lake.backend, 'acme').explain({
      ...more,
      coordinates: { identifier: [{ name: 'id', value: id }] },
    });
  const knn = { field: 'v', query_vector: [1, 0], k: 1 };

  test('names near terms of own rows only', async () => {
    expect(await askNear('a1')).toMatchObject({ matched: true, rank: 1, total: 1 });
    const far = await askNear('a2');
    expect(far.total).toBe(1);
    expect(far.why_not?.message).toContain('not among the nearest 1: rank 2, cosine 0.7071');
    expect(far.why_not?.message).toMatch(
      /; number 1 has cosine (?:1|0\.9999\d*); flat search \(the segment has no graph\)$/,
    );
  });

  test.each<[string, Partial<ExplainRequest>]>([
    ['semantic', near],
    ['hybrid', { ...near, mode: 'hybrid', query_text: 'kanarek disk' }],
    ['knn', { ast: { knn } }],
    ['knn as a filter', { query: 'disk', filter: { knn } }],
    ['knn in the filter of another', { ast: { knn: { ...knn, filter: { knn } } } }],
    ['no knn', { ast: { bool: { must_not: [{ knn }] } } }],
  ])('%s: answers rows of another tenant as absent keys', async (_, request) => {
    const [foreign, nobody] = [await askNear('r1', request), await askNear('zz', request)];
    const plain = ({ timings: __, ...answer }: typeof foreign) =>
      JSON.stringify(answer).replaceAll(/\br1\b/g, 'zz');
    expect(plain(foreign)).toBe(plain(nobody));
    expect(foreign).toMatchObject({ found: false, matched: false, why_not: { reason: 'absent' } });
  });

  test('limits a knn clause to own rows at any position', async () => {
    const acme = asTenant(lake.backend, 'acme');
    const keys = async (request: SearchRequest) =>
      (await acme.search(request)).hits.map((hit) => hit.coordinates.identifier[0]!.value).sort();
    const two = { knn: { ...knn, k: 2 } };
    expect(await keys({ ast: two })).toEqual(['a1', 'a2']);
    expect(await keys({ query: 'disk', filter: two })).toEqual(['a1', 'a2']);
    expect(await keys({ ast: { knn: { ...knn, k: 2, filter: two } } })).toEqual(['a1', 'a2']);
    expect(await keys({ ast: { bool: { must_not: [{ knn }] } } })).toEqual(['a2']);
    const aggs = { orgs: { terms: { field: 'org' } } };
    expect((await acme.aggregate({ ast: two, aggs })).total).toBe(2);
    expect(await acme.clauseCounts({ ast: two })).toMatchObject([{ total: 2 }]);
  });
});
