/** A reindex that is interrupted (Ctrl-C) while it builds the graph of a segment. */
import type { LhsError } from '@lakehouse-search/contract';
import type { Schema } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededBelow } from '../../../../test/support/random.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import type { OpenDirectory } from '../../src/open/open-index.ts';
import { openLocalDirectory } from '../../src/storage/local-directory.ts';

/** A graph is built from 10,000 vectors on. */
const ROWS = 10_100;
const DIMS = 8;
const schema: Schema = {
  schemaId: 0,
  identifierFieldIds: [1],
  fields: [
    { id: 1, name: 'id', required: true, type: { kind: 'long' } },
    {
      ...{ id: 2, name: 'own', required: false },
      type: { kind: 'list', elementId: 3, elementRequired: false, element: { kind: 'double' } },
    },
  ],
};

/** Called when the graph of a segment begins: its vectors are opened. */
let beforeGraph = () => {};
const created: string[] = [];
const openDirectory: OpenDirectory = (path, fence) => {
  const inner = openLocalDirectory(path, fence);
  return new Proxy(inner, {
    get(target, name) {
      if (name === 'open') {
        return (file: string) => {
          if (file.endsWith('.vector')) beforeGraph();
          return target.open(file);
        };
      }
      if (name === 'create') {
        return (file: string) => {
          created.push(file);
          return target.create(file);
        };
      }
      const value = Reflect.get(target, name) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
};

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake({ openDirectory });
  const below = seededBelow(7);
  const vector = () => Array.from({ length: DIMS }, () => below(2001) / 1000 - 1);
  const rows = Array.from({ length: ROWS }, (_, id) => ({ id: BigInt(id), own: vector() }));
  await lake.create(schema, { rows });
  await lake.define(`fields:\n  - { name: own, type: VECTOR, dims: ${DIMS}, index: hnsw }`);
});
afterAll(() => lake.close());

const graphs = () => created.filter((file) => file.endsWith('.graph'));

describe('a reindex that is interrupted while it builds a graph', () => {
  it('ends before the graph is written, and leaves nothing live', async () => {
    const stop = new AbortController();
    beforeGraph = () => stop.abort();
    const stopped = lake.backend.reindex({ index: 't' }, { signal: stop.signal });
    const error = await stopped.catch((cause: unknown) => cause);
    expect(stop.signal.aborted).toBe(true);
    expect((error as LhsError).code).toBe('interrupted');
    expect(graphs()).toEqual([]);
    expect(await lake.backend.describeIndex({ index: 't' })).toMatchObject({ status: 'created' });
    expect((await lake.backend.listJobs({ index: 't' }))[0]).toMatchObject({ state: 'canceled' });
  });

  it('builds it when it runs again', async () => {
    beforeGraph = () => {};
    await lake.backend.reindex({ index: 't' });
    expect(graphs().length).toBeGreaterThan(0);
  });
});
