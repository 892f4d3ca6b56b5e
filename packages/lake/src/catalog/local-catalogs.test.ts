import {
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { metadataJson } from '../../test/metadata-json.ts';
import { LakeError } from '../base/errors.ts';
import { type FileStore, localFiles } from '../base/files/file-store.ts';
import { formatJson, type JsonObject } from '../base/json.ts';
import { createInCatalog, type FileCatalogConfig, newTableLocation } from './create-table.ts';
import { loadFilesystemTable } from './filesystem.ts';
import { listTables, loadTable } from './load-table.ts';
import { loadSqlTable } from './sql.ts';
import { numberedPlaceholders, sqliteFile } from './sql-database.ts';
import { isOutcomeUnknown, type TableHandle } from './table-handle.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'lake-catalog-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const textOf = (location: string, over: JsonObject = {}): string =>
  formatJson(metadataJson({ location, properties: {}, 'odd-key': 9007199254740993n, ...over }));

const marked = (table: TableHandle, mark: string) =>
  formatJson({ ...table.metadata.raw, properties: { mark } });
const commit = (table: TableHandle, mark: string) =>
  table.commit!.commitMetadata(marked(table, mark));

const AWAY = {
  code: 'unsupported',
  message: expect.stringMatching(/lies on a store that cannot be read: .* on s3:/),
};

const catalogs: readonly (readonly [string, () => FileCatalogConfig])[] = [
  ['filesystem', () => ({ type: 'filesystem', warehouse: join(root, 'wh') })],
  ['sql', () => ({ type: 'sql', uri: `sqlite:///${root}/c.db`, warehouse: join(root, 'wh') })],
];

describe.each(catalogs)('%s catalog', (_kind, config) => {
  const create = async (name: string) => {
    const location = await newTableLocation(config(), name);
    return createInCatalog(config(), name, textOf(location));
  };

  it('creates, lists and loads tables, unknown metadata keys kept', async () => {
    await create('b.two');
    const table = await create('a.x.one');
    expect((await listTables(config())).tables).toEqual(['a.x.one', 'b.two']);
    expect(table.metadata.location).toBe(join(root, 'wh/a/x/one'));
    expect(table.files.root).toBe(join(root, 'wh/a/x/one'));
    expect(table.metadata.raw['odd-key']).toBe(9007199254740993n);
    await expect(create('b.two')).rejects.toHaveProperty('reason', 'table_exists');
    await expect(loadTable({ catalog: config(), table: 'b.three' })).rejects.toMatchObject({
      reason: 'table_not_found',
      message: expect.stringContaining('b.two'),
    });
  });

  it('commits, and lets only one of two rivals win', async () => {
    const first = await create('n.t');
    const rival = await loadTable({ catalog: config(), table: 'n.t' });
    const second = await commit(first, 'one');
    expect(second.metadata.properties.mark).toBe('one');
    await expect(commit(rival, 'two')).rejects.toHaveProperty('reason', 'commit_conflict');
    const refreshed = await rival.refresh();
    expect(refreshed.metadata.file).toBe(second.metadata.file);
    expect(await refreshed.refresh()).toBe(refreshed);
    expect((await commit(refreshed, 'two')).metadata.properties.mark).toBe('two');
  });

  it('lets exactly one of many at once win, and leaves no stray file', async () => {
    const table = await create('n.t');
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, (_, i) => commit(table, String(i))),
    );
    const lost = results.filter((r) => r.status === 'rejected').map((r) => r.reason.reason);
    expect(lost).toEqual(Array(7).fill('commit_conflict'));
    const names = await readdir(dirname(table.metadata.file));
    expect(names.filter((name) => name.endsWith('.metadata.json')).length).toBe(2);
    expect(names.filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('says that a commit may have come about if what follows it fails', async () => {
    await create('n.t');
    const read: FileStore['read'] = (path, ...request) => {
      if (isBroken && path.endsWith('.metadata.json')) throw new LakeError('internal', 'x');
      return localFiles.read(path, ...request);
    };
    let isBroken = false;
    const options = { allowedRoots: [], store: { ...localFiles, read } };
    const catalog = config();
    const table =
      catalog.type === 'sql'
        ? await loadSqlTable(catalog, 'n.t', options)
        : await loadFilesystemTable(catalog, 'n.t', options);
    isBroken = true;
    await expect(commit(table, 'one')).rejects.toSatisfy(isOutcomeUnknown);
    const now = await loadTable({ catalog, table: 'n.t' });
    expect(now.metadata.properties.mark).toBe('one');
  });

  it.each(['../x.y', 'a..b', 'a.b/c', '', 'a.\0'])('refuses the name %j', async (table) => {
    await expect(loadTable({ catalog: config(), table })).rejects.toHaveProperty(
      'code',
      'invalid_argument',
    );
  });
});

describe('the filesystem catalog', () => {
  const folder = () => join(root, 'ns/t/metadata');
  const write = async (name: string, json: string | Buffer) => {
    await mkdir(folder(), { recursive: true });
    await writeFile(join(folder(), name), json);
  };
  const load = () => loadTable({ catalog: { type: 'filesystem', warehouse: root }, table: 'ns.t' });
  const json = (mark: string) => textOf('/elsewhere/ns/t', { properties: { mark } });
  const markOf = async () => (await load()).metadata.properties.mark;

  it('looks past a stale hint, but not past a gap', async () => {
    for (const n of [1, 2, 3, 9]) await write(`v${n}.metadata.json`, json(String(n)));
    await write('version-hint.text', '2\n');
    expect(await markOf()).toBe('3');
    await unlink(join(folder(), 'version-hint.text'));
    expect(await markOf()).toBe('9');
    await write('version-hint.text', '77');
    expect(await markOf()).toBe('9');
  });

  it('reads both spellings of gzipped metadata, and gzip under a plain name', async () => {
    await write('v1.gz.metadata.json', gzipSync(json('one')));
    expect(await markOf()).toBe('one');
    await write('v2.metadata.json.gz', gzipSync(json('two')));
    expect(await markOf()).toBe('two');
    await write('v3.metadata.json', gzipSync(json('three')));
    expect(await markOf()).toBe('three');
    await write('v4.gz.metadata.json', gzipSync(json('four')).subarray(0, 40));
    await expect(load()).rejects.toThrow(/v4\.gz\.metadata\.json" cannot be unzipped/);
  });

  it('reads the highest number of files named by number and uuid, without commits', async () => {
    await write('00009-aaaa.metadata.json', json('9'));
    await write('00010-0000.metadata.json', json('10'));
    await write('00000-ffff.metadata.json', json('0'));
    const table = await load();
    expect(table.metadata.properties.mark).toBe('10');
    expect(table.commit).toBeNull();
    for (const path of [join(root, 'ns/t'), folder()]) {
      expect((await loadTable({ path })).metadata.properties.mark).toBe('10');
    }
  });

  it('takes the greatest sequence number among files of one number', async () => {
    const rival = (mark: string, sequence: number, updated: number) =>
      textOf('/elsewhere/ns/t', {
        properties: { mark },
        'last-sequence-number': sequence,
        'last-updated-ms': updated,
      });
    await write('00003-cccc.metadata.json', rival('3', 9, 9));
    await write('00004-aaaa.metadata.json', rival('newest', 4, 5));
    await write('00004-bbbb.metadata.json', rival('older', 4, 4));
    await write('00004-cccc.metadata.json', rival('lower', 3, 9));
    await write('00004-dddd.metadata.json', '{"cut');
    expect(await markOf()).toBe('newest');
  });

  it('survives a writer that died before the hint, and one that holds the next name', async () => {
    await write('v1.metadata.json', json('1'));
    await write('version-hint.text', '1');
    const table = await load();
    await write('half', json('rival'));
    await link(join(folder(), 'half'), join(folder(), 'v2.metadata.json'));
    await expect(commit(table, 'x')).rejects.toHaveProperty('reason', 'commit_conflict');
    expect((await commit(await table.refresh(), 'mine')).metadata.file).toMatch(
      /v3\.metadata\.json$/,
    );
    expect(await readFile(join(folder(), 'version-hint.text'), 'utf8')).toBe('3');
  });

  it('finds a table by folder, by metadata folder and by metadata file', async () => {
    await write('v1.metadata.json', json('1'));
    await write('v2.metadata.json', json('2'));
    const mark = async (path: string) => (await loadTable({ path })).metadata.properties.mark;
    expect(await mark(join(root, 'ns/t'))).toBe('2');
    expect(await mark(folder())).toBe('2');
    expect(await mark(join(folder(), 'v1.metadata.json'))).toBe('1');
    await expect(mark(join(root, 'ns'))).rejects.toHaveProperty('reason', 'table_not_found');
    await expect(mark(join(root, 'nothing'))).rejects.toHaveProperty('reason', 'table_not_found');
  });

  it('says that the folder of a warehouse is missing', async () => {
    const catalog = { type: 'filesystem', warehouse: join(root, 'nolake') } as const;
    await expect(loadTable({ catalog, table: 'ns.t' })).rejects.toMatchObject({
      reason: 'table_not_found',
      message: expect.stringMatching(/nolake"; there is no such folder$/),
    });
  });

  it('maps the recorded location, and the warehouse around it, to where they lie', async () => {
    await write('v1.metadata.json', json('1'));
    const { files } = await load();
    expect(files.resolve('file:/elsewhere/ns/t/data/x')).toBe(join(root, 'ns/t/data/x'));
    expect(files.resolve('/elsewhere/blobs/x')).toBe(join(root, 'blobs/x'));
    expect(() => files.resolve('/else/x')).toThrow(/path "\/else\/x" is refused/);
    const bare = await loadTable({ path: join(root, 'ns/t') });
    expect(() => bare.files.resolve('/elsewhere/blobs/x')).toThrow(/refused/);
    const allowed = await loadTable(
      { path: join(root, 'ns/t') },
      { allowedRoots: ['/elsewhere/blobs'] },
    );
    expect(allowed.files.resolve('/elsewhere/blobs/x')).toBe('/elsewhere/blobs/x');
    expect(() => bare.files.resolve('/elsewhere/blobs/x')).toThrow(
      /"allowed_roots" of the catalog/,
    );
    const listing = {
      type: 'filesystem' as const,
      warehouse: root,
      allowed_roots: ['/imported'],
    };
    const imported = await loadTable({ catalog: listing, table: 'ns.t' });
    expect(imported.files.resolve('/imported/x')).toBe('/imported/x');
    expect(() => files.resolve('/imported/x')).toThrow(/refused/);
    const env = { LHS_ALLOWED_ROOTS: '/one:/elsewhere/blobs' };
    const named = await loadTable({ path: join(root, 'ns/t') }, { env });
    expect(named.files.resolve('/elsewhere/blobs/x')).toBe('/elsewhere/blobs/x');
  });

  it('follows write.metadata.path, in the table and beside it', async () => {
    const inside = { properties: { 'write.metadata.path': 'file:/elsewhere/ns/t/meta/deep' } };
    await mkdir(join(root, 'moved/meta/deep'), { recursive: true });
    const path = join(root, 'moved/meta/deep/v1.metadata.json');
    await writeFile(path, textOf('/elsewhere/ns/t', inside));
    await expect(loadTable({ path })).rejects.toHaveProperty('reason', 'path_refused');
    const { files } = await loadTable({ path }, { allowedRoots: [join(root, 'moved')] });
    expect(files.root).toBe(join(root, 'moved'));
    const direct = join(root, 'moved/meta/v1.metadata.json');
    const one = { properties: { 'write.metadata.path': 'file:/elsewhere/ns/t/meta' } };
    await writeFile(direct, textOf('/elsewhere/ns/t', one));
    expect((await loadTable({ path: direct })).files.root).toBe(join(root, 'moved'));
    const beside = { properties: { 'write.metadata.path': '/meta-store/t' } };
    await writeFile(path, textOf('/elsewhere/ns/t', beside));
    const other = await loadTable({ path });
    expect(other.files.resolve('/meta-store/t/s.avro')).toBe(join(dirname(path), 's.avro'));
  });
});

describe('the SQL catalog', () => {
  it('finds moved warehouses, tells catalogs of one database apart, skips views', async () => {
    const warehouse = join(root, 'old');
    const uri = `sqlite:///${root}/c.db`;
    const catalog = { type: 'sql' as const, uri, warehouse, name: 'one' };
    const location = await newTableLocation(catalog, 'n.t');
    await createInCatalog(catalog, 'n.t', textOf(location));
    await rename(warehouse, join(root, 'new'));
    const moved = { ...catalog, warehouse: join(root, 'new') };
    const table = await loadTable({ catalog: moved, table: 'n.t' });
    expect(table.files.root).toBe(join(root, 'new/n/t'));
    const next = await commit(table, 'after the move');
    expect(next.metadata.properties.mark).toBe('after the move');
    expect(next.metadata.file.startsWith(join(root, 'new/n/t/metadata/00001-'))).toBe(true);

    const db = new Database(join(root, 'c.db'));
    const copy = (name: string, table_: string, type: string) =>
      db
        .prepare(
          'INSERT INTO iceberg_tables SELECT ?, table_namespace, ?, metadata_location, ' +
            'NULL, ? FROM iceberg_tables LIMIT 1',
        )
        .run(name, table_, type);
    copy('two', 't', 'TABLE');
    copy('one', 'v', 'VIEW');
    db.close();
    expect((await listTables(moved)).tables).toEqual(['n.t']);
    const { name: _, ...unnamed } = moved;
    await expect(loadTable({ catalog: unnamed, table: 'n.t' })).rejects.toThrow(/"one", "two"/);
  });

  it('names a missing database and missing metadata', async () => {
    const catalog = { type: 'sql' as const, uri: `sqlite:///${root}/none.db` };
    await expect(listTables(catalog)).rejects.toHaveProperty('reason', 'catalog_unreachable');
    const db = new Database(join(root, 'x.db'));
    db.exec(
      'CREATE TABLE iceberg_tables (catalog_name, table_namespace, table_name, metadata_location)',
    );
    const add = db.prepare('INSERT INTO iceberg_tables VALUES (?, ?, ?, ?)');
    add.run('c', 'n', 'gone', 'file:/lake/n/gone/metadata/00000-x.metadata.json');
    add.run('c', 'n', 'web', 'http://127.0.0.1/x/metadata/00000-x.metadata.json');
    add.run('c', 'n', 'oss', 'oss://b/wh/n/oss/metadata/00000-x.metadata.json');
    add.run('c', 'n', 'up', 'file:/lake/../../etc/passwd');
    db.close();
    const uri = `sqlite:///${root}/x.db`;
    const load = (table: string) => loadTable({ catalog: { type: 'sql', uri }, table });
    await expect(load('n.gone')).rejects.toMatchObject({ reason: 'metadata_invalid' });
    await expect(load('n.web')).rejects.toMatchObject({ reason: 'path_refused' });
    await expect(load('n.oss')).rejects.toMatchObject(AWAY);
    await expect(load('n.up')).rejects.toMatchObject({ reason: 'path_refused' });
  });

  it('refuses stores that are not read wherever a table or a warehouse is named', async () => {
    const filesystem = { type: 'filesystem' as const, warehouse: 'oss://bucket/lake' };
    const sql = { type: 'sql' as const, uri: `sqlite:///${root}/x.db`, warehouse: 'obs://b/lake' };
    for (const refused of [
      () => listTables(filesystem),
      () => loadTable({ catalog: filesystem, table: 'n.t' }),
      () => loadTable({ path: 'hdfs://c/lake/n/t' }),
      () => newTableLocation(filesystem, 'n.t'),
      () => newTableLocation(sql, 'n.t'),
    ]) {
      await expect(refused()).rejects.toMatchObject(AWAY);
    }
  });

  it('speaks the dialects of its databases', () => {
    expect(sqliteFile('sqlite:////a/b.db')).toBe('/a/b.db');
    expect(sqliteFile('sqlite:///rel.db')).toBe('rel.db');
    expect(sqliteFile('jdbc:sqlite:/a/b.db')).toBe('/a/b.db');
    expect(sqliteFile('postgres://h/db')).toBeNull();
    expect(numberedPlaceholders('a = ? AND b = ?')).toBe('a = $1 AND b = $2');
  });

  it('says that a PostgreSQL server cannot be reached, without the password', async () => {
    const uri = 'postgres://u:secret@127.0.0.1:1/db';
    const failed = listTables({ type: 'sql', uri }).catch((error: Error) => error);
    const error = (await failed) as Error;
    expect(error).toMatchObject({ reason: 'catalog_unreachable' });
    expect(error.message).not.toContain('secret');
  });

  it('masks user, password and query of a database address', async () => {
    const uri = 'postgres://u:pa/ss@w0rd@127.0.0.1:1/db?password=hush&sslmode=disable';
    for (const odd of [uri, uri.replace('postgres', 'mysql'), `jdbc:${uri}`]) {
      const failed = listTables({ type: 'sql', uri: odd }).catch((error: Error) => error.message);
      expect(await failed).toContain('://***@127.0.0.1:1/db?***');
      expect(await failed).not.toMatch(/pa\/ss|w0rd|hush/);
    }
  });
});
