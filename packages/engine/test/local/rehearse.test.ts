import type { Batch } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import { sampleOf } from '../../src/alter/sample-table.ts';

const SCHEMA = schemaOf({ id: 'long', title: 'string' });
const ENGLISH = 'fields: [{ name: title, type: TEXT, analyzer: english, cached: true }]\n';
const STANDARD = ENGLISH.replace('english', 'standard');
const FILES = [7, 1, 12, 3];

let lake: SmallLake;

const definition = (fields: string) =>
  `version: 1\nindex: t\nsource: ${JSON.stringify(lake.source)}\n${fields}`;

/** Rehearses another definition of the index `t`. */
const rehearse = (fields: string, parts: object = {}) =>
  lake.backend.rehearseAlter({ index: 't', definition_yaml: definition(fields), ...parts });

async function idsOf(batches: AsyncIterable<Batch>): Promise<number[]> {
  const ids: number[] = [];
  for await (const { columns, rows } of batches) {
    const [column] = columns;
    if (column.kind !== 'int64') throw new Error(column.kind);
    ids.push(...Array.from(column.values.subarray(0, rows), Number));
  }
  return ids;
}

const query = (text: string) => ({ request: { query: text } });

beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(SCHEMA);
  let id = 0;
  for (const count of FILES) {
    const rows = Array.from({ length: count }, () => {
      return { id: id++, title: id % 2 === 0 ? 'two trains' : 'a train' };
    });
    await lake.append(rows);
  }
  await lake.build(ENGLISH);
});
afterAll(() => lake.close());

describe('a sample of a table', () => {
  it.each([1, 2, 3, 5, 22, 23, 40])(
    'of about %i rows is evenly spread over its files',
    async (n) => {
      const table = await lake.table();
      try {
        const { currentSnapshotId: head, schema } = table;
        const { files } = await table.files(head);
        const parts = files.map((scan) => ({ scan, only: null }));
        const all = await idsOf(table.read(parts, { columns: ['id'], schema }));
        const sample = await sampleOf(table, head, n);
        const step = Math.max(1, Math.ceil(all.length / n));
        expect(await idsOf(sample.scan({ columns: ['id'], schema }))).toEqual(
          all.filter((_, i) => i % step === 0),
        );
      } finally {
        await table.close();
      }
    },
  );
});

describe('a rehearsal', () => {
  it('compares the hits of both definitions, and leaves the index as it is', async () => {
    const before = await lake.backend.describeIndex({ index: 't' });
    const found = await rehearse(STANDARD, { queries: [query('trains'), query('a')] });
    expect(found).toMatchObject({ index: 't', rows: 23 });
    // Ten of the documents with "train" share a stem with the query; "trains" alone is in 11.
    expect(found.queries).toMatchObject([
      { mode: 'lexical', query: 'trains' },
      { mode: 'lexical', query: 'a' },
    ]);
    expect(found.queries[0].overlap).toBeLessThan(1);
    expect(found.overlap).toBeCloseTo((found.queries[0].overlap + found.queries[1].overlap) / 2);
    expect(await lake.backend.describeIndex({ index: 't' })).toEqual(before);
  });

  it('finds no difference between equal definitions', async () => {
    const found = await rehearse(ENGLISH, { queries: [query('trains')], sample: 12 });
    expect(found).toMatchObject({ rows: 12, overlap: 1, ndcg: null });
    expect(found.queries).toMatchObject([{ entered: [], left: [], moved: 0 }]);
    expect(found.from.bytes).toBe(found.to.bytes);
  });

  it('reports nDCG where there are judgments', async () => {
    const key = { identifier: [{ name: 'id', value: '0' }] };
    const judged = { ...query('"two trains"'), judgments: [{ key, grade: 1 }] };
    const found = await rehearse(STANDARD, { queries: [judged, query('train')] });
    expect(found.queries[0].ndcg).toEqual({ from: 0, to: 0 });
    expect(found.ndcg).toEqual({ from: 0, to: 0 });
    expect(found.queries[1].ndcg).toBeUndefined();
  });

  it('replays the saved queries of the index by default', async () => {
    const { backend } = lake;
    await backend.createSavedQuery({ name: 'own', request: { index: 't', query: 'trains' } });
    await backend.setAlias({ alias: 'also', index: 't' });
    await backend.createSavedQuery({ name: 'alias', request: { index: 'also', query: 'two' } });
    const { queries } = await rehearse(STANDARD);
    expect(queries.map((one) => one.query).sort()).toEqual(['trains', 'two']);
  });

  it('says which searches fail under the new definition', async () => {
    const renamed = STANDARD.replace('name: title', 'name: head, source: title');
    const found = await rehearse(renamed, { queries: [query('title:trains')] });
    expect(found.queries[0]).toMatchObject({ overlap: 0, error: expect.stringContaining('title') });
  });

  it.each([
    ['a search that fails now', { queries: [query('nothing:here')] }, 'invalid_query'],
    ['a point in time', { queries: [{ request: { pit_id: 'x' } }] }, 'invalid_argument'],
    ['an unknown field', { queries: [{ request: { zz: 1 } }] }, 'invalid_argument'],
    [
      'a negative grade',
      { queries: [{ ...query('a'), judgments: [{ grade: -1 }] }] },
      'invalid_argument',
    ],
    ['too many rows', { sample: 2_000_000 }, 'limit_exceeded'],
  ])('refuses %s', async (_, parts, code) => {
    await expect(rehearse(STANDARD, parts)).rejects.toMatchObject({ code });
  });
});
