/** A commit between the two reads of a search of several indexes: hits, and then their rows. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BackendApi } from '@lakehouse-search/contract/internal';
import { type LocalEngine, openEngine } from '@lakehouse-search/engine/local/internal';
import { appendRows, createTable, deleteRows } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import type { Reads } from '../../src/search-adapter/base/reads.ts';
import type { AdapterCall } from '../../src/search-adapter/routes/adapter-call.ts';
import { searchIndexes } from '../../src/search-adapter/routes/search-once.ts';
import { readBody } from '../../src/search-adapter/search/search-body.ts';
import type { Body } from './adapter-calls.ts';

const NAMES = ['left', 'right'];
const SCHEMA = schemaOf({ id: 'string', title: 'string' });

describe('a search of several indexes, one of which changes before its rows are read', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lhs-between-'));
  const catalog = { type: 'filesystem', warehouse: join(folder, 'lake') } as const;
  let backend: LocalEngine;

  beforeAll(async () => {
    backend = await openEngine(join(folder, 'data'), { create: true, threads: 0 });
    for (const index of NAMES) {
      const source = { catalog, table: `ops.${index}` };
      await createTable(catalog, source.table, { schema: SCHEMA });
      const rows = Array.from({ length: 6 }, (_, n) => ({
        id: `${index}${n}`,
        title: `word ${n}`,
      }));
      await appendRows(source, { kind: 'rows', rows });
      const at = JSON.stringify({ catalog, table: source.table });
      const fields = '[{ name: title, type: TEXT }]';
      const definition = `version: 1\nindex: ${index}\nsource: ${at}\nfields: ${fields}\n`;
      await backend.createIndex({ definition });
      await backend.reindex({ index });
    }
  });

  afterAll(async () => {
    await backend.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The reads of a backend; `between` runs before the first search that reads rows. */
  function readsWith(between: () => Promise<void>): Reads {
    let changed: Promise<void> | undefined;
    return new Proxy(backend as unknown as Reads, {
      get: (target, name) => {
        const method = (target as unknown as Record<PropertyKey, BackendApi['search']>)[name];
        if (name !== 'search') return method.bind(target);
        return async (request: Parameters<BackendApi['search']>[0]) => {
          if (request.hydrate === true) await (changed ??= between());
          return backend.search(request);
        };
      },
    });
  }

  it('shows the row of each hit', async () => {
    const reads = readsWith(async () => {
      await deleteRows({ catalog, table: 'ops.left' }, "id < 'left3'");
      await backend.sync({ index: 'left' });
    });
    const call = { begin: async () => () => {}, noteIndex: () => {} } as unknown as AdapterCall;
    const body = readBody({ query: { match: { title: 'word' } }, size: 12 }, {});
    const found = (await searchIndexes(call, reads, NAMES, body, {})) as Body;
    const shown = found.hits.hits.map(({ _id, _source }: Body) => [_id, _source?.id]);
    expect(shown).toHaveLength(found.hits.total.value);
    for (const [id, ofRow] of shown) expect(ofRow).toBe(id);
    expect(found.hits.total.value).toBe(9);
  });

  it('leaves no point in time behind', async () => {
    const { points_in_time } = await backend.dropIndex({ index: 'left' });
    expect(points_in_time).toBe(0);
  });
});
