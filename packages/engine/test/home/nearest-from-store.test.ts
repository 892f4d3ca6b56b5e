// @module-tag campaign
/**
 * The nearest rows of an index opened by its location: the same answers as in the data folder with
 * an empty cache, a full one and a small one, in few rounds of requests.
 */
import { join } from 'node:path';
import type { SearchResponse, SemanticRequest } from '@lakehouse-search/contract';
import { type LocalEngine, openEngine } from '@lakehouse-search/engine/local/internal';
import { appendRows, deleteRows, type Type } from '@lakehouse-search/lake';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';
import { seededBelow, seededNumbers } from '../../../../test/support/random.ts';
import { FLOATS, schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import { coldFigures } from '../../src/storage/cold-file.ts';
import { emptyCache } from './empty-cache.ts';

const ROWS = 11_500;
const DIMS = 384;
const SHORT = 144;
const SHORTS: Type = {
  ...{ kind: 'list', elementId: 101, elementRequired: true, element: { kind: 'float' } },
};
const options = { threads: 0 };
const random = seededNumbers(5);
const below = seededBelow(6);

let lake: SmallLake;
let reader: LocalEngine;

const vector = (dims = DIMS) => {
  return Array.from({ length: dims }, (_, c) => (random() - 0.5) * (c < dims / 2 ? 1 : 0.3));
};
const same = vector();
/** Some vectors are alike, others are missing. */
const rows = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => ({
    id: `${below(2 ** 30).toString(36)}-${from + i}`,
    day: from + i,
    title: `word${below(20)} word${below(20)}`,
    own: below(40) === 0 ? same : below(40) === 0 ? null : vector(),
    short: below(40) === 0 ? same.slice(0, SHORT) : vector(SHORT),
    meta: { kind: 'note', few: Array.from({ length: 3 }, () => below(9)) },
  }));

beforeAll(async () => {
  lake = await openSmallLake(options);
  vi.stubEnv('LHS_COLD_CACHE_DIR', join(lake.folder, 'cache'));
  await lake.create(
    schemaOf({
      ...{ id: 'string', day: 'long', title: 'string', meta: 'variant' },
      ...{ own: FLOATS, short: SHORTS },
    }),
    { formatVersion: 3 },
  );
  await lake.define(`storage: ${lake.folder}/home
fields:
  - { name: day, type: LONG, fast: true, cached: true }
  - { name: title, type: TEXT, cached: true }
  - { name: own, type: VECTOR, dims: ${DIMS}, index: flat }
  - { name: linked, type: VECTOR, source: short, dims: ${SHORT}, similarity: l2, index: hnsw }
variants:
  - column: meta
    discriminator: kind
    shapes:
      - name: note
        when: [note]
        fields:
          - { path: few, type: VECTOR, dims: 3, similarity: dot }`);
  await appendRows(lake.source, { kind: 'rows', rows: rows(0, ROWS) });
  await lake.backend.reindex({ index: 't' });
  await appendRows(lake.source, { kind: 'rows', rows: rows(ROWS, ROWS + 300) });
  await deleteRows(lake.source, 'day < 40');
  await lake.backend.sync({ index: 't' });
  reader = await openEngine(`${lake.folder}/home/t`, options);
});
afterEach(() => vi.stubEnv('LHS_COLD_CACHE_BYTES', undefined));
afterAll(async () => {
  await reader.close();
  await lake.close();
  vi.unstubAllEnvs();
});

const plain = ({ took_ms: _, lag_snapshots: __, lag_checked_ms: ___, ...answer }: SearchResponse) =>
  JSON.stringify(answer, (_, value) => (typeof value === 'bigint' ? String(value) : value));

const FILTERS = [undefined, 'day:[3000 TO *]', 'day:[700 TO 760]', 'title:word3', 'day:7000'];

const DIMENSIONS: Record<string, number> = { own: DIMS, linked: SHORT, 'meta.few': 3 };

/** A search of a field, near a row or anywhere. */
function someRequest(field: string): SemanticRequest {
  const filter = FILTERS[below(FILTERS.length)];
  const near = below(4) === 0 ? same : vector();
  const query_vector = field === 'meta.few' ? [1, -2, below(9)] : near.slice(0, DIMENSIONS[field]);
  return {
    ...{ index: 't', vector_field: field, query_vector },
    ...{ k: [1, 1, 3, 100][below(4)]!, limit: 10 },
    ...(filter !== undefined && { filter }),
  };
}

describe.each(Object.keys(DIMENSIONS))('the nearest rows of "%s" in a store', (field) => {
  it('are those of the data folder, whatever the cache has', async () => {
    for (let n = 0; n < byEffort(24, 300); n++) {
      if (n % 3 === 0) emptyCache();
      vi.stubEnv('LHS_COLD_CACHE_BYTES', n % 4 === 3 ? `${2 ** 20}` : undefined);
      const request = someRequest(field);
      const rounds = coldFigures.rounds;
      const answer = plain(await reader.semantic(request));
      const text = JSON.stringify({ ...request, query_vector: 0 });
      expect(answer, text).toBe(plain(await lake.backend.semantic(request)));
      // a filter has rounds of its own
      expect(coldFigures.rounds - rounds, text).toBeLessThan(request.filter ? 9 : 7);
    }
  });
});
