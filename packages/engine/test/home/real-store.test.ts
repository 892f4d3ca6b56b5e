// @module-tag program
/** Two data folders that write one index, and a branch of it, in a real server. */
import { join } from 'node:path';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { appendRows } from '@lakehouse-search/lake';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake } from '../../../../test/support/small-lake.ts';
import {
  findVersitygw,
  startVersitygw,
  type Versitygw,
} from '../../../../test/support/versitygw.ts';

const BINARY = findVersitygw();
const FIELDS = 'storage: s3://home/at\nfields: [{ name: title, type: TEXT, cached: true }]\n';
const rows = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({ id: `k${from + i}`, title: `night train ${i % 97}` }));

let gateway: Versitygw | undefined;
afterAll(() => {
  gateway?.close();
  vi.unstubAllEnvs();
});

describe.skipIf(BINARY === null)('an index at home in versitygw', () => {
  it('has one history of two writers, and a branch', async () => {
    gateway = await startVersitygw(BINARY!, 'home');
    for (const [name, value] of Object.entries(gateway.env)) vi.stubEnv(name, value);
    const lake = await openSmallLake();
    vi.stubEnv('LHS_COLD_CACHE_DIR', join(lake.folder, 'cache'));
    await lake.create(schemaOf({ id: 'string', title: 'string' }));
    await appendRows(lake.source, { kind: 'rows', rows: rows(0, 2000) });
    await lake.define(FIELDS);
    await lake.backend.reindex({ index: 't' });
    const other = await openEngine(join(lake.folder, 'other'), { create: true, threads: 0 });
    const catalog = JSON.stringify(lake.source.catalog);
    const source = `source: { catalog: ${catalog}, table: a.t }`;
    const definition = `version: 1\nindex: t\n${source}\n${FIELDS}`;
    await other.createIndex({ definition, base_dir: lake.folder });
    for (let n = 0; n < 4; n++) {
      await appendRows(lake.source, { kind: 'rows', rows: rows(2000 + 10 * n, 10) });
      await Promise.all([lake.backend.sync({ index: 't' }), other.sync({ index: 't' })]);
    }
    await other.cloneIndex({ index: 't', name: 'b' });
    const branch = await openEngine('s3://home/at/b', { threads: 0 });
    expect(await branch.search({ index: 'b', query: 'night' })).toMatchObject({ total: 2040 });
    for (const engine of [lake.backend, other]) {
      expect(await engine.verify({ index: 't' })).toMatchObject({ equal: true });
    }
    await branch.close();
    await other.close();
    await lake.close();
  });
});
