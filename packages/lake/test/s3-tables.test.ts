// @module-tag slow
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TableConfig } from '../src/catalog/config.ts';
import { listTables } from '../src/catalog/load-table.ts';
import type { ParquetEngine } from '../src/scan/file-rows.ts';
import { valueAt } from '../src/scan/vectors.ts';
import { valueToJson } from '../src/schema/value-json.ts';
import type { SourceTable } from '../src/source-table.ts';
import { openTable } from '../src/table.ts';
import { S3Server } from './s3-server.ts';
import { ICEBERG } from './truth-form.ts';

/**
 * Tables on S3 against the same tables on a local disk: the rows of every snapshot, and look-ups of
 * rows by locator. The server is our own (s3-server.ts); versitygw.test.ts holds a real one.
 */
const OWN = fileURLToPath(new URL('../../../fixtures/tables/', import.meta.url));
const SHARED = [
  'events_variant_shredded',
  'formats_mixed',
  'inbox_eq_part',
  'journal_dv_12k',
  'paths_custom',
  'rowgroups_small',
  'types_v3',
];

let server: S3Server;
const cache = mkdtempSync(join(tmpdir(), 'lhs-s3-cache-'));
beforeAll(async () => {
  server = await S3Server.start('lake');
});
afterEach(() => {
  server.fault = () => null;
  server.seen.length = 0;
});
afterAll(async () => {
  await server.close();
  rmSync(cache, { recursive: true });
});

const folders = (root: string, names: readonly string[]): readonly string[] =>
  existsSync(root) ? names.map((name) => join(root, name)) : [];

function upload(folder: string, key: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    server.put('lake', `${key}${path.slice(folder.length)}`, readFileSync(path));
  }
}

const env = () => ({ ...server.env, LHS_OBJECT_CACHE_DIR: cache });

const open = (config: TableConfig, engine: ParquetEngine = 'auto', more = {}) =>
  openTable(config, { engine, env: { ...env(), ...more } });

/** The rows of a snapshot as texts, and some of their locators. */
async function shown(table: SourceTable, snapshotId: bigint) {
  const schema = table.schemaOf(snapshotId);
  const rows: string[] = [];
  const locators: { file: string; position: number }[] = [];
  for await (const batch of table.scan({ snapshotId, schema })) {
    for (let i = 0; i < batch.rows; i++) {
      const values = schema.fields.map(({ type }, c) =>
        valueToJson(type, valueAt(batch.columns[c], i)),
      );
      rows.push(JSON.stringify(values));
      if (i % 97 === 0) locators.push({ file: batch.file, position: batch.positions[i] });
    }
  }
  return { rows, locators };
}

async function looked(
  table: SourceTable,
  snapshotId: bigint,
  locators: readonly { file: string; position: number }[],
) {
  const columns = table.schema.fields.map(({ name }) => name);
  const found = await table.lookup(locators, columns, { snapshotId });
  return found.map((row) =>
    JSON.stringify(
      table.schema.fields.map(({ name, type }) => row && valueToJson(type, row[name] ?? null)),
    ),
  );
}

/** What `open` of a table shows of all its snapshots. */
async function everything(table: SourceTable) {
  const all: unknown[] = [];
  for (const { id } of table.snapshots.slice(-2)) {
    const { rows, locators } = await shown(table, id).catch((error: Error) => {
      return { rows: [(error as { reason?: string }).reason ?? error.message], locators: [] };
    });
    all.push(rows, await looked(table, id, locators.slice(0, 30)));
  }
  await table.close();
  return all;
}

const TABLES = [...folders(OWN, readdirSync(OWN)), ...folders(ICEBERG, SHARED)];

describe.each(TABLES)('the table %s on S3', (folder) => {
  it('has the rows and look-ups that it has on a local disk', async () => {
    const key = `wh/${folder.split('/').at(-1)}`;
    upload(folder, key);
    const path = `s3://lake/${key}`;
    const near = await openTable({ path: folder });
    const far = await open({ path });
    expect(far.uuid).toBe(near.uuid);
    const truth = await everything(near);
    expect(await everything(far)).toEqual(truth);
    // copies that the cache cannot take are read by range
    const small = { LHS_OBJECT_CACHE_BYTES: '0' };
    expect(await everything(await open({ path }, 'auto', small))).toEqual(truth);
  });
});

describe('a warehouse on S3', () => {
  const warehouse = 's3a://lake/house';

  it('lists its tables and loads them by name', async () => {
    upload(join(OWN, 'own_vectors'), 'house/ns/vectors');
    upload(join(OWN, 'py_types'), 'house/types');
    const catalog = { type: 'filesystem', warehouse } as const;
    expect((await listTables(catalog, { env: env() })).tables).toEqual(['ns.vectors', 'types']);
    const table = await open({ catalog, table: 'ns.vectors' });
    expect(table.location).toBe((await openTable({ path: join(OWN, 'own_vectors') })).location);
    expect(await table.refresh()).toBe(table);
    await expect(open({ catalog, table: 'ns.none' })).rejects.toMatchObject({
      reason: 'table_not_found',
      message: expect.stringContaining('its tables are types, ns.vectors'),
    });
  });
});

describe('a table on a failing S3 server', () => {
  it('is read all the same when every third request fails', async () => {
    upload(join(OWN, 'own_codecs'), 'flaky');
    const truth = await everything(await openTable({ path: join(OWN, 'own_codecs') }));
    const faults = [
      { kind: 'status', status: 503, code: 'SlowDown' },
      { kind: 'short' },
      { kind: 'reset' },
    ] as const;
    let requests = 0;
    server.fault = () => (++requests % 3 === 0 ? faults[(requests / 3) % 3] : null);
    const more = { LHS_OBJECT_CACHE_DIR: join(cache, 'flaky') };
    expect(await everything(await open({ path: 's3://lake/flaky' }, 'auto', more))).toEqual(truth);
  });

  it('names a data file that is gone', async () => {
    upload(join(OWN, 'own_partitioned'), 'gone');
    const objects = server.buckets.get('lake')!;
    const key = [...objects.keys()].find((name) => /^gone\/data\/.*parquet$/.test(name))!;
    objects.delete(key);
    const table = await open({ path: 's3://lake/gone' });
    await expect(shown(table, table.currentSnapshotId!)).rejects.toMatchObject({
      reason: expect.stringMatching(/^(data|delete)_file_missing$/),
      file: `s3://lake/${key}`,
    });
  });
});
