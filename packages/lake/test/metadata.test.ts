import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readAvroRows } from '../src/avro/container.ts';
import { parseJson } from '../src/base/json.ts';
import { JsonNode } from '../src/base/json-node.ts';
import { loadPath } from '../src/catalog/bare-path.ts';
import { listTables, loadTable } from '../src/catalog/load-table.ts';
import { settled } from '../src/catalog/settled-options.ts';
import type { TableHandle } from '../src/catalog/table-handle.ts';
import { readManifest } from '../src/metadata/manifest.ts';
import { readManifestList } from '../src/metadata/manifest-list.ts';
import { ancestryOf, schemaById, snapshotOf } from '../src/metadata/table-metadata.ts';
import { diffFileSets } from '../src/plan/diff-file-sets.ts';
import { fileSet } from '../src/plan/file-set.ts';
import { parseSchema, schemaToJson } from '../src/schema/schema-json.ts';
import { valueToJson } from '../src/schema/value-json.ts';

const shared = fileURLToPath(new URL('../../../../shared/iceberg/', import.meta.url));
const present = existsSync(shared);
if (!present) console.warn(`skipped: no tables in ${shared}`);

interface TruthSnapshot {
  readonly snapshot_id: string;
  readonly row_count: number;
  readonly is_current_ancestor: boolean;
  readonly rows?: readonly Record<string, unknown>[];
}
interface Truth {
  readonly format_version: number;
  readonly metadata_file: string;
  readonly table_uuid?: string;
  readonly current_snapshot_id: string | null;
  readonly refs: Record<string, { 'snapshot-id': string; type: string }>;
  readonly snapshots: readonly TruthSnapshot[];
}

const tables = present
  ? readdirSync(shared).filter((name) => existsSync(join(shared, name, 'truth.json')))
  : [];
const truthText = (table: string): string =>
  readFileSync(join(shared, table, 'truth.json'), 'utf8');
const truthOf = (table: string): Truth => JSON.parse(truthText(table)) as Truth;

async function recordCount(table: TableHandle, id: bigint): Promise<number> {
  const { files } = await fileSet(table, id);
  return files.reduce((sum, scan) => sum + scan.data.recordCount, 0);
}

describe.skipIf(!present).each(tables)('metadata of table %s', (name) => {
  const truth = present ? truthOf(name) : (undefined as unknown as Truth);
  const load = () => loadPath(join(shared, name, truth.metadata_file), settled({}, {}));

  it('has the version, ids, refs and schema of the truth', async () => {
    const { metadata } = await load();
    expect(metadata.formatVersion).toBe(truth.format_version);
    expect(metadata.uuid).toBe(truth.table_uuid ?? metadata.uuid);
    expect(metadata.currentSnapshotId?.toString() ?? null).toBe(truth.current_snapshot_id);
    expect(metadata.snapshots.map((s) => s.id.toString()).sort()).toEqual(
      truth.snapshots.map((s) => s.snapshot_id).sort(),
    );
    const refs = metadata.refs.map((r) => [r.name, `${r.kind} ${r.snapshotId}`] as const);
    expect(Object.fromEntries(refs)).toEqual(
      Object.fromEntries(
        Object.entries(truth.refs).map(([key, r]) => [key, `${r.type} ${r['snapshot-id']}`]),
      ),
    );
    const exact = new JsonNode(parseJson(truthText(name)), '', name);
    expect(metadata.schema).toEqual(parseSchema(exact.get('schema')));
    const again = new JsonNode(schemaToJson(metadata.schema), '', name);
    expect(parseSchema(again)).toEqual(metadata.schema);
  });

  it('is found by its folder alone', async () => {
    const byFolder = await loadPath(join(shared, name), settled({}, {}));
    expect(byFolder.metadata.file).toBe(join(shared, name, truth.metadata_file));
    expect(await byFolder.refresh()).toBe(byFolder);
  });

  it('has file sets that can hold the rows of every snapshot', async () => {
    const table = await load();
    for (const { snapshot_id, row_count } of truth.snapshots) {
      const { files } = await fileSet(table, BigInt(snapshot_id));
      const records = files.reduce((sum, scan) => sum + scan.data.recordCount, 0);
      const deletes = files.some((scan) => scan.deletes.length > 0);
      expect(records).toBeGreaterThanOrEqual(row_count);
      if (!deletes) expect(records).toBe(row_count);
      for (const { data, deletes: applied } of files) {
        for (const path of [data.path, ...applied.map((d) => d.path)]) {
          expect(existsSync(table.files.resolve(path)), path).toBe(true);
        }
        if (truth.format_version === 1) expect(data.dataSequence).toBe(0n);
      }
    }
  });

  it('has ancestries and a snapshot summary that agrees with its file sets', async () => {
    const table = await load();
    const { metadata } = table;
    const current = metadata.currentSnapshotId;
    const line = current === null ? [] : ancestryOf(metadata, current).map((s) => s.id.toString());
    expect(line.sort()).toEqual(
      truth.snapshots
        .filter((s) => s.is_current_ancestor)
        .map((s) => s.snapshot_id)
        .sort(),
    );
    for (const snapshot of metadata.snapshots) {
      expect(schemaById(metadata, snapshot.schemaId).fields.length).toBeGreaterThan(0);
      const total = snapshot.summary['total-records'];
      if (total !== undefined) expect(await recordCount(table, snapshot.id)).toBe(Number(total));
    }
  });

  it('gives row ids without gaps or overlaps where it has them', async () => {
    const table = await load();
    for (const snapshot of table.metadata.snapshots) {
      if (snapshot.firstRowId === null) continue;
      const { files } = await fileSet(table, snapshot.id);
      const ranges = files.map(({ data }) => [data.firstRowId, data.recordCount] as const);
      expect(ranges.every(([first]) => first !== null)).toBe(true);
      const sorted = ranges.map(([first, n]) => [first!, BigInt(n)] as const);
      sorted.sort((a, b) => (a[0] < b[0] ? -1 : 1));
      for (let i = 1; i < sorted.length; i++) {
        expect(sorted[i]![0] >= sorted[i - 1]![0] + sorted[i - 1]![1]).toBe(true);
      }
    }
  });

  it('keeps every entry of its manifests readable in full', async () => {
    const table = await load();
    const { metadata, files } = table;
    if (metadata.currentSnapshotId === null) return;
    const snapshot = snapshotOf(metadata, metadata.currentSnapshotId);
    for (const manifest of await readManifestList(snapshot, files)) {
      const entries = await readManifest(manifest, metadata, files, { details: true });
      const count = (status: string) => entries.filter((e) => e.status === status).length;
      expect([count('added'), count('existing'), count('deleted')]).toEqual([
        manifest.addedFiles,
        manifest.existingFiles,
        manifest.deletedFiles,
      ]);
    }
  });

  it('differs from snapshot to snapshot as the summaries say', async () => {
    const table = await load();
    const { metadata } = table;
    for (const snapshot of metadata.snapshots) {
      const parent = metadata.snapshots.find((s) => s.id === snapshot.parentId);
      if (parent === undefined) continue;
      const before = await fileSet(table, parent.id);
      const after = await fileSet(table, snapshot.id);
      const { added, removed } = diffFileSets(before, after);
      const { summary } = snapshot;
      expect(added.length).toBe(Number(summary['added-data-files'] ?? '0'));
      expect(removed.length).toBe(Number(summary['deleted-data-files'] ?? '0'));
      expect(diffFileSets(after, after)).toEqual({ added: [], removed: [], changed: [] });
    }
  });
});

describe.skipIf(!present)('avro data files', () => {
  it('decode to the rows of the truth', async () => {
    const truth = truthOf('formats_avro');
    const table = await loadPath(join(shared, 'formats_avro'), settled({}, {}));
    for (const snapshot of truth.snapshots) {
      const id = BigInt(snapshot.snapshot_id);
      const schema = schemaById(table.metadata, snapshotOf(table.metadata, id).schemaId);
      const struct = { kind: 'struct' as const, fields: schema.fields };
      const { files } = await fileSet(table, id);
      const rows = files.flatMap(({ data, deletes }) => {
        expect(deletes).toEqual([]);
        const bytes = readFileSync(table.files.resolve(data.path));
        const decoded = readAvroRows(bytes, data.path, struct, { code: 'data_file_invalid' });
        return [...decoded].map((row) => valueToJson(struct, row));
      });
      const sorted = (list: readonly unknown[]) => list.map((r) => JSON.stringify(r)).sort();
      const columns = schema.fields.map((f) => f.name);
      const expected = snapshot.rows!.map((r) => Object.fromEntries(columns.map((c) => [c, r[c]])));
      expect(sorted(rows)).toEqual(sorted(expected));
    }
  });
});

describe.skipIf(!present)('catalogs of others', () => {
  it.each(['pyiceberg-dev', 'spark-jdbc-dev'])(
    '%s lists and loads its moved tables',
    async (file) => {
      const uri = `sqlite:///${join(shared, 'catalogs', `${file}.db`)}`;
      for (const warehouse of [undefined, shared]) {
        const catalog = { type: 'sql' as const, uri, ...(warehouse ? { warehouse } : {}) };
        const { tables: names } = await listTables(catalog);
        expect(names.length).toBeGreaterThan(3);
        for (const table of names) {
          const truth = truthOf(table.split('.')[1]!);
          const { metadata } = await loadTable({ catalog, table });
          expect(metadata.uuid).toBe(truth.table_uuid);
          expect(metadata.file.endsWith(truth.metadata_file)).toBe(true);
        }
      }
    },
  );

  it('reads the folder as a warehouse too', async () => {
    const catalog = { type: 'filesystem' as const, warehouse: shared };
    const { tables: names } = await listTables(catalog);
    expect(names).toEqual(expect.arrayContaining(['git.commits', 'seedling']));
    const table = await loadTable({ catalog, table: 'git.commits' });
    expect(table.metadata.location).toBe('file:///lake/warehouse/git/commits');
  });
});

describe.skipIf(!present)('malformed tables', () => {
  const faults: Record<string, readonly [code: string, words: RegExp]> = {
    metadata_truncated: ['metadata_invalid', /v5\.metadata\.json" is not whole JSON/],
    metadata_missing: ['metadata_invalid', /names version 5.*no metadata file/],
    format_version_9: ['unsupported', /format version 9/],
    current_schema_missing: ['metadata_invalid', /current-schema-id 77 names no schema/],
    current_snapshot_missing: ['metadata_invalid', /current-snapshot-id \d+ names no snapshot/],
    manifest_list_missing: ['manifest_invalid', /snap-.*\.avro" is not there/],
    manifest_list_bad_magic: ['manifest_invalid', /magic/],
    manifest_missing: ['manifest_invalid', /-m0\.avro" is not there/],
    manifest_truncated: ['manifest_invalid', /-m0\.avro": a length points past the end/],
    manifest_bad_sync: ['manifest_invalid', /sync marker/],
    path_escape: ['path_refused', /"\.\."/],
    path_elsewhere: ['path_refused', /file:\/etc\/passwd/],
    path_http: ['path_refused', /http:\/\/127/],
    snapshot_cycle: ['metadata_invalid', /its own ancestor/],
    not_an_object: ['metadata_invalid', /an array, expected an object/],
  };

  it.each(Object.entries(faults))('%s is refused by name', async (name, [code, words]) => {
    const attempt = async () => {
      const table = await loadPath(join(shared, 'malformed', name), settled({}, {}));
      return fileSet(table, table.metadata.currentSnapshotId);
    };
    await expect(attempt()).rejects.toMatchObject({
      reason: code,
      message: expect.stringMatching(words),
    });
    await expect(attempt()).rejects.toHaveProperty('file', expect.stringMatching(/./));
  });
});
