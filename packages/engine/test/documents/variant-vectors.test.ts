/**
 * VECTOR fields of shapes against VECTOR fields of plain columns with the same contents: vectors,
 * counts and searches must be equal. Variants have values that no vector can be made of where the
 * columns have NULL. LHS_SEED sets the seed.
 */
import type { SearchRequest } from '@lakehouse-search/contract';
import { deleteRows, upsertRows } from '@lakehouse-search/lake';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { vectorsByKey } from '../../../../test/support/expect-vectors.ts';
import { generationOf } from '../../../../test/support/generation-of.ts';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import { tinyModels } from '../../../../test/support/tiny-model.ts';
import { openSnapshot } from '../../src/index/index-snapshot.ts';
import { openLocalDirectory } from '../../src/storage/local-directory.ts';

const SEED = Number(process.env.LHS_SEED ?? 20_261_123);
const DIMS = 3;
const SCHEMA = schemaOf({
  id: 'long',
  meta: 'variant',
  text: 'string',
  own: { kind: 'list', elementId: 5, elementRequired: false, element: { kind: 'double' } },
});
const PLAIN = `  - { name: words, type: TEXT, source: text }
  - { name: text, type: VECTOR, model: ./m/tiny, dims: 8 }
  - { name: own, type: VECTOR, dims: ${DIMS}, similarity: l2 }`;
const SHAPES = `variants:
  - column: meta
    discriminator: kind
    shapes:
      - name: note
        when: [note, memo]
        fields:
          - { path: body.text, type: VECTOR, model: ./m/tiny, dims: 8 }
          - { path: own, type: VECTOR, dims: ${DIMS}, similarity: l2 }`;

const FIELDS = `fields:\n${PLAIN}\n${SHAPES}`;

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
interface Row {
  readonly id: number;
  readonly meta: Json;
  readonly text: string | null;
  readonly own: number[] | null;
}

const numbers = fc.array(fc.integer({ min: -9, max: 9 }), { minLength: DIMS, maxLength: DIMS });
const word = fc.constantFrom('harbour', 'ship', 'storm', 'engine', '777', 'Zoë');
/** A value of the variant, and what the plain column has for it. */
const texts = fc.oneof(
  word.map((text): [Json, string | null] => [text, text]),
  fc
    .array(word, { minLength: 1, maxLength: 3 })
    .map((all): [Json, string] => [[...all, 7, null], all.join('\n')]),
  fc.constantFrom<[Json, null]>([7, null], [null, null], [[], null], [{ deep: 'x' }, null]),
);
const vectors = fc.oneof(
  { weight: 3, arbitrary: numbers.map((own): [Json, number[] | null] => [own, own]) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<[Json, null]>(
      ...([[1, 2], [1, 2, 'x'], [1, 2, [3]], [], null, 'none', [1, 2, null], [1, 2, 1e39]].map(
        (own) => [own, null],
      ) as [Json, null][]),
    ),
  },
);
const content = fc
  .record({ kind: fc.constantFrom('note', 'memo', 'other', null), text: texts, own: vectors })
  .map(({ kind, text, own }) => {
    const shaped = kind === 'note' || kind === 'memo';
    return {
      meta: { kind, body: { text: text[0] }, own: own[0] },
      text: shaped ? text[1] : null,
      own: shaped ? own[1] : null,
    };
  });

const first: Row[] = fc
  .sample(content, { seed: SEED, numRuns: 120 })
  .map((row, id) => ({ id, ...row }));
const later: Row[] = fc
  .sample(content, { seed: SEED + 1, numRuns: 60 })
  .map((row, i) => ({ id: i + 90, ...row }));

let lake: SmallLake;
const models = tinyModels();
beforeAll(async () => {
  lake = await openSmallLake({ openEmbedder: models.open });
  await lake.create(SCHEMA, { formatVersion: 3, rows: first as never });
  await lake.define(FIELDS);
});
afterAll(() => lake.close());

function expectSameVectors(docs: number): void {
  const snapshot = openSnapshot(openLocalDirectory(generationOf(lake.folder)));
  try {
    for (const [shape, plain] of [
      ['meta.body.text', 'text'],
      ['meta.own', 'own'],
    ] as const) {
      const found = vectorsByKey(snapshot, shape);
      expect(found).toEqual(vectorsByKey(snapshot, plain));
      expect(found.size).toBe(docs);
      expect([...found.values()].filter((own) => own !== null).length).toBeGreaterThan(20);
    }
  } finally {
    snapshot.release();
  }
}

/** Hits of one request on a field of the shape and on the column of the same contents. */
async function both(request: (field: string) => Promise<unknown>, ...fields: [string, string]) {
  const [shape, plain] = await Promise.all(fields.map(request));
  expect(shape).toEqual(plain);
  return shape as { length: number };
}

async function expectSameSearches(): Promise<void> {
  const { backend } = lake;
  for (const vector of fc.sample(numbers, { seed: SEED, numRuns: 20 })) {
    const hits = await both(
      async (field) => {
        const ast = {
          knn: { field, query_vector: vector, k: 7 },
        } as unknown as SearchRequest['ast'];
        return (await backend.search({ ast, limit: 20 })).hits;
      },
      'meta.own',
      'own',
    );
    expect(hits.length).toBe(7);
  }
  for (const text of ['harbour', 'storm engine', 'Zoë\nship']) {
    await both(
      async (vector_field) =>
        (await backend.semantic({ query_text: text, vector_field, limit: 10 })).hits,
      'meta.body.text',
      'text',
    );
    await both(
      async (vector_field) =>
        (await backend.hybrid({ query_text: text, vector_field, limit: 10 })).hits,
      'meta.body.text',
      'text',
    );
  }
}

describe('a VECTOR field of a shape', () => {
  test(`is built like one of a plain column (seed ${SEED})`, async () => {
    const built = await lake.backend.reindex({});
    const { without_vector: without } = built;
    expect(without?.['meta.own']).toBe(without?.own);
    expect(without?.['meta.body.text']).toBe(without?.text);
    expect(Object.keys(built.untyped_values ?? {}).sort()).toEqual(['meta.body.text', 'meta.own']);
    expectSameVectors(first.length);
    await expectSameSearches();
  });

  test('follows its table', async () => {
    await upsertRows(lake.source, { kind: 'rows', rows: later as never });
    await deleteRows(lake.source, 'id IN (3, 8, 95)');
    await lake.backend.sync({});
    expectSameVectors(147);
    await expectSameSearches();
    expect(await lake.backend.verify({ deep: true })).toMatchObject({ equal: true });
  });

  test('explains a hit of its own', async () => {
    const search = { vector_field: 'meta.own', query_vector: [1, 2, 3], limit: 3 } as const;
    const { hits } = await lake.backend.semantic(search);
    const { coordinates } = hits[2];
    const explained = await lake.backend.explain({ ...search, mode: 'semantic', coordinates });
    expect(explained).toMatchObject({ matched: true, rank: 3 });
  });

  test('is found by its path like undeclared leaves', async () => {
    const all = new Map([...first, ...later].map((row) => [row.id, row]));
    const wanted = [...all.values()].filter(
      ({ id, meta }) => ![3, 8, 95].includes(id) && (meta as { own?: Json }).own === 'none',
    );
    const { total } = await lake.backend.search({ query: 'meta.own:none' });
    expect(total).toBe(wanted.length);
    const ast = { exists: { field: 'meta.own' } } as const;
    expect((await lake.backend.search({ ast })).total).toBeGreaterThan(100);
    await expect(lake.backend.search({ query: 'meta.own:[1 TO 2]' })).rejects.toMatchObject({
      code: 'invalid_query',
    });
  });

  test('is added and dropped by an alter of that field alone', async () => {
    const whole = `version: 1\nindex: t\nsource: ${JSON.stringify(lake.source)}\n${FIELDS}`;
    const without = whole.replace(/\n +- \{ path: own.*/, '');
    for (const definition_yaml of [without, whole]) {
      const plan = await lake.backend.alterIndex({ definition_yaml, base_dir: lake.folder });
      expect(plan).toMatchObject({ strategy: 'field', requires_reindex: false });
      await lake.backend.alterIndex({ definition_yaml, base_dir: lake.folder, apply: true });
    }
    expectSameVectors(147);
    await expectSameSearches();
    expect(await lake.backend.verify({ deep: true })).toMatchObject({ equal: true });
  });
});
