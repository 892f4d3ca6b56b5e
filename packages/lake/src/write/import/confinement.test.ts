import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expireSnapshots } from '../../../../../test/support/maintenance/index.ts';
import { schemaOf } from '../../../../../test/support/schema.ts';
import { formatJson, type JsonObject, parseJson } from '../../base/json.ts';
import { loadTable } from '../../catalog/load-table.ts';
import type { LoadOptions } from '../../catalog/table-handle.ts';
import { valueAt } from '../../scan/vectors.ts';
import type { TableConfig } from '../../source-table.ts';
import { openTable } from '../../table.ts';
import { appendToTable, deleteFromTable, upsertIntoTable, writeTable } from '../table-writer.ts';

/** Tables whose metadata claims folders that are not theirs. */
const schema = schemaOf({ id: 'int' });

let top: string;
/** The warehouse of the hostile table, and that of a table which it must not touch. */
let outer: string;
let secret: string;
beforeEach(async () => {
  top = mkdtempSync(join(tmpdir(), 'lhs-confined-'));
  outer = join(top, 'outer/evil');
  secret = join(top, 'secret');
  await make(secret, 's.data');
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const inWarehouse = (warehouse: string, table: string) => ({
  catalog: { type: 'filesystem' as const, warehouse },
  table,
});
const ids = (...values: number[]) => ({
  kind: 'rows' as const,
  rows: values.map((id) => ({ id })),
});

async function make(warehouse: string, table: string): Promise<TableConfig> {
  const config = inWarehouse(warehouse, table);
  await writeTable(config.catalog, table, { schema, formatVersion: 2 });
  await appendToTable(config, ids(1, 2, 3));
  return config;
}

async function rowsOf(config: TableConfig, options?: LoadOptions): Promise<number[]> {
  const table = await openTable(config, options);
  const found: number[] = [];
  try {
    for await (const batch of table.scan()) {
      for (let i = 0; i < batch.rows; i++) found.push(valueAt(batch.columns[0]!, i) as number);
    }
  } finally {
    await table.close();
  }
  return found.sort((a, b) => a - b);
}

/** Rewrites the newest metadata file of a table folder by replacing values and texts. */
function edit(folder: string, over: JsonObject, replace: (json: string) => string = (t) => t) {
  const metadata = join(folder, 'metadata');
  const versions = readdirSync(metadata).filter((name) => name.endsWith('.metadata.json'));
  const path = join(metadata, versions.sort().at(-1)!);
  const json = parseJson(replace(readFileSync(path, 'utf8'))) as JsonObject;
  writeFileSync(path, formatJson({ ...json, ...over }));
}

/**
 * Copies the newest metadata of the secret table, so that it lies in `folder`, a table of its own.
 */
function steal(folder: string, recordedRoot: string): void {
  const metadata = join(folder, 'metadata');
  mkdirSync(metadata, { recursive: true });
  const from = join(secret, 's/data/metadata');
  const newest = readdirSync(from).filter((name) => /^v\d+\.metadata\.json$/.test(name));
  const text = readFileSync(join(from, newest.sort().at(-1)!), 'utf8');
  writeFileSync(join(metadata, 'v1.metadata.json'), text.replaceAll(secret, recordedRoot));
}

const claim = (folder: string, root: string): JsonObject => ({
  location: '/loc',
  properties: { 'write.metadata.path': `/loc/${relative(root, join(folder, 'metadata'))}` },
});

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

describe('a table whose write.metadata.path is above its folder', () => {
  const evil = () => join(outer, 'e/t');
  const everything: readonly (readonly [string, () => string])[] = [
    ['the root of the file system', () => '/'],
    ['a folder that holds its neighbours', () => top],
    ['the folder above its warehouse', () => dirname(outer)],
  ];

  it.each(everything)('is refused by name when it claims %s', async (_what, claimed) => {
    const root = claimed();
    steal(evil(), root === '/' ? `/loc${secret}` : `/loc/${relative(root, secret)}`);
    edit(evil(), claim(evil(), root));
    const refused = expect.objectContaining({
      reason: 'path_refused',
      message: expect.stringContaining('write.metadata.path'),
    });
    const path = join(evil(), 'metadata/v1.metadata.json');
    await expect(rowsOf(inWarehouse(outer, 'e.t'))).rejects.toEqual(refused);
    await expect(rowsOf({ path: evil() })).rejects.toEqual(refused);
    await expect(rowsOf({ path })).rejects.toEqual(refused);
    const catalog = { type: 'sql' as const, uri: `sqlite:///${top}/c.db`, warehouse: outer };
    new Database(join(top, 'c.db'))
      .exec(
        `CREATE TABLE iceberg_tables (catalog_name, table_namespace, table_name, metadata_location);
         INSERT INTO iceberg_tables VALUES ('c', 'e', 't', '${path}')`,
      )
      .close();
    await expect(rowsOf({ catalog, table: 'e.t' })).rejects.toEqual(refused);
  });

  it('reads there once the caller names that folder, and writes nothing there', async () => {
    steal(evil(), `/loc/${relative(top, secret)}`);
    edit(evil(), claim(evil(), top));
    const trusted = { allowedRoots: [top] };
    expect(await rowsOf({ path: evil() }, trusted)).toEqual([1, 2, 3]);
    const { files } = await loadTable({ path: evil() }, trusted);
    expect(() => files.record('data/x')).toThrow(
      expect.objectContaining({ reason: 'path_refused' }),
    );
  });

  it('may claim a folder in its warehouse, but writes and removes only in its own', async () => {
    const neighbour = await make(outer, 'e.other');
    const own = inWarehouse(outer, 'e.deep.t');
    await make(outer, 'e.deep.t');
    const folder = join(outer, 'e/deep/t');
    edit(folder, claim(folder, join(outer, 'e')));
    const before = filesBelow(outer);
    for (const write of [
      () => appendToTable(own, ids(4)),
      () => upsertIntoTable(own, ids(4)),
      () => deleteFromTable(own, 'id = 1'),
    ]) {
      await expect(write()).rejects.toHaveProperty('reason', 'path_refused');
    }
    expect(filesBelow(outer)).toEqual(before);
    expect(await rowsOf(neighbour)).toEqual([1, 2, 3]);
  });
});

describe('a table that names files of another table', () => {
  it('cannot have them removed by an expiry', async () => {
    const neighbour = await make(outer, 'n.t');
    const own = await make(outer, 'e.t');
    await appendToTable(own, ids(4));
    const { metadata } = await loadTable(neighbour);
    const list = metadata.snapshots[0]!.manifestList!;
    edit(join(outer, 'e/t'), {}, (text) => {
      const mine = parseJson(text) as { snapshots: JsonObject[] };
      return text.replace(mine.snapshots[0]!['manifest-list'] as string, list);
    });
    const before = filesBelow(join(outer, 'n'));
    const mine = filesBelow(join(outer, 'e'));
    const expired = await expireSnapshots(own, Date.now() + 1000, { deleteFiles: true });
    expect(expired).toHaveLength(1);
    expect(filesBelow(join(outer, 'n'))).toEqual(before);
    expect(filesBelow(join(outer, 'e'))).toEqual(expect.arrayContaining(mine));
    expect(await rowsOf(neighbour)).toEqual([1, 2, 3]);
  });

  it('cannot have them removed through a linked folder', async () => {
    const own = await make(outer, 'e.t');
    await deleteFromTable(own, 'true');
    const data = join(outer, 'e/t/data');
    renameSync(data, join(top, 'moved'));
    symlinkSync(join(top, 'moved'), data);
    const before = filesBelow(join(top, 'moved'));
    expect(before.length).toBeGreaterThan(0);
    await expireSnapshots(own, Date.now() + 1000, { deleteFiles: true });
    expect(filesBelow(join(top, 'moved'))).toEqual(before);
  });
});

describe('properties that name folders for new files', () => {
  it('do not lead the writer out of the folder of the table', async () => {
    const own = await make(outer, 'e.t');
    const elsewhere = join(top, 'elsewhere');
    mkdirSync(elsewhere);
    edit(join(outer, 'e/t'), {
      properties: {
        'write.data.path': elsewhere,
        'write.folder-storage.path': elsewhere,
        'write.object-storage.enabled': 'true',
        'write.object-storage.path': elsewhere,
        'write.location-provider.impl': 'org.example.Elsewhere',
        'write.metadata.path': elsewhere,
      },
    });
    await appendToTable(own, ids(4));
    await deleteFromTable(own, 'id = 2');
    await upsertIntoTable(own, ids(3, 9));
    expect(await rowsOf(own)).toEqual([1, 3, 4, 9]);
    expect(existsSync(elsewhere) && readdirSync(elsewhere)).toEqual([]);
    expect(filesBelow(top).every((path) => path.startsWith(secret) || path.startsWith(outer))).toBe(
      true,
    );
  });

  it('do not add statistics files to what an expiry removes', async () => {
    const own = await make(outer, 'e.t');
    const victim = join(outer, 'e/t/data/keep.puffin');
    const id = (await loadTable(own)).metadata.currentSnapshotId!;
    writeFileSync(victim, 'x');
    edit(join(outer, 'e/t'), {
      statistics: [{ 'snapshot-id': id, 'statistics-path': join(secret, 's/data/metadata') }],
    });
    await appendToTable(own, ids(4));
    const before = filesBelow(secret);
    await expireSnapshots(own, Date.now() + 1000, { deleteFiles: true });
    expect(filesBelow(secret)).toEqual(before);
    expect(existsSync(victim)).toBe(true);
  });
});
