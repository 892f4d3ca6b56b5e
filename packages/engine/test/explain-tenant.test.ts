/** Explanations for callers of one tenant: rows of others are as good as absent. */
import { appendRows, type Schema } from '@lakehouse-search/lake';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSmallLake, type SmallLake } from './small-lake.ts';

const string = { kind: 'string' } as const;
const schema: Schema = {
  schemaId: 0,
  identifierFieldIds: [1],
  fields: [
    { id: 1, name: 'id', type: string, required: true },
    { id: 2, name: 'org', type: string, required: false },
    { id: 3, name: 'title', type: string, required: false },
  ],
};
let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(schema);
  await lake.define(`tenant_field: org
key: { identifier: [id] }
fields:
  - { name: org, type: KEYWORD }
  - { name: title, type: TEXT, cached: true }`);
  const rows = [
    { id: 'a1', org: 'acme', title: 'disk full' },
    { id: 'a2', org: 'acme', title: 'disk quiet' },
    { id: 'r1', org: 'rival', title: 'disk kanarek' },
  ];
  await appendRows(lake.source, { kind: 'rows', rows });
  await lake.backend.reindex({});
});
afterAll(() => lake.close());

const ask = (query: string, id: string) =>
  lake.backend
    .forTenant('acme')
    .explain({ query, coordinates: { identifier: [{ name: 'id', value: id }] } });

test('own rows are explained among own hits', async () => {
  expect(await ask('disk', 'a1')).toMatchObject({ found: true, matched: true, total: 2 });
  expect((await ask('quiet', 'a1')).total).toBe(1);
});

test('rows of another tenant answer as keys that nobody has', async () => {
  const [foreign, nobody] = [await ask('disk', 'r1'), await ask('disk', 'zz')];
  const plain = ({ timings: _, ...answer }: Awaited<ReturnType<typeof ask>>) =>
    JSON.stringify(answer).replaceAll(/\br1\b/g, 'zz');
  expect(plain(foreign)).toBe(plain(nobody));
  expect(foreign).toMatchObject({ found: false, matched: false, why_not: { reason: 'absent' } });
});

test('what other tenants write is not told by what is missing', async () => {
  const known = await ask('kanarek', 'a1');
  const unknown = await ask('kanarec', 'a1');
  expect(known.why_not?.message).toContain('title does not have it');
  expect(known.why_not?.message.replaceAll('kanarek', 'kanarec')).toBe(unknown.why_not?.message);
  expect(unknown.why_not).not.toHaveProperty('nearest_term');
});
