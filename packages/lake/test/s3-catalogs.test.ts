import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatJson } from '../src/base/json.ts';
import { loadTable } from '../src/catalog/load-table.ts';
import { openTable } from '../src/table.ts';
import { S3Server } from './s3-server.ts';

/** SQL and REST catalogs whose tables are on S3, and the cache of local copies. */
const TABLE = fileURLToPath(new URL('../../../fixtures/tables/own_vectors/', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'lhs-s3-catalogs-'));
let s3: S3Server;
let catalog: Server;
let answer: object = {};

beforeAll(async () => {
  s3 = await S3Server.start('lake');
  for (const entry of readdirSync(TABLE, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    s3.put('lake', `wh/n/t/${path.slice(TABLE.length)}`, readFileSync(path));
  }
  catalog = createServer((request, response) => {
    const body = request.url?.includes('/config') ? {} : answer;
    response.setHeader('content-type', 'application/json');
    response.end(formatJson(body as never));
  });
  await new Promise<void>((resolve) => catalog.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  catalog.closeAllConnections();
  catalog.close();
  await s3.close();
  rmSync(root, { recursive: true });
});

const cacheDir = join(root, 'cache');
const env = (more = {}) => ({ ...s3.env, LHS_OBJECT_CACHE_DIR: cacheDir, ...more });

async function count(table: Awaited<ReturnType<typeof openTable>>): Promise<number> {
  let rows = 0;
  for await (const batch of table.scan()) rows += batch.rows;
  await table.close();
  return rows;
}

const near = async () => count(await openTable({ path: TABLE }));

describe('a SQL catalog with a table on S3', () => {
  it('reads it', async () => {
    const { metadata } = await loadTable({ path: 's3://lake/wh/n/t' }, { env: env() });
    const db = new Database(join(root, 'c.db'));
    db.exec(
      'CREATE TABLE iceberg_tables (catalog_name, table_namespace, table_name, metadata_location)',
    );
    db.prepare('INSERT INTO iceberg_tables VALUES (?, ?, ?, ?)').run('c', 'n', 't', metadata.file);
    db.close();
    const config = {
      type: 'sql',
      uri: `sqlite:///${root}/c.db`,
      warehouse: 's3a://lake/wh',
    } as const;
    const source = { catalog: config, table: 'n.t' };
    expect(await count(await openTable(source, { env: env() }))).toBe(await near());
  });
});

describe('a REST catalog with a table on S3', () => {
  it('reads it with the credentials and the endpoint that the catalog issues', async () => {
    const { metadata } = await loadTable({ path: 's3://lake/wh/n/t' }, { env: env() });
    const { accessKeyId, secretAccessKey } = s3.keys;
    answer = {
      'metadata-location': metadata.file,
      metadata: { ...metadata.raw, location: 's3://lake/wh/n/t' },
      config: {
        's3.access-key-id': accessKeyId,
        's3.secret-access-key': secretAccessKey,
        's3.endpoint': s3.endpoint,
        'client.region': s3.region,
      },
    };
    const uri = `http://127.0.0.1:${(catalog.address() as AddressInfo).port}`;
    const source = { catalog: { type: 'rest' as const, uri }, table: 'n.t' };
    const handle = await loadTable(source, { env: { LHS_OBJECT_CACHE_DIR: cacheDir } });
    expect(handle.files.root).toBe('s3://lake/wh/n/t');
    const bytes = await handle.files.read('s3://lake/wh/n/t/truth.json', 'metadata_invalid');
    expect(bytes.equals(readFileSync(join(TABLE, 'truth.json')))).toBe(true);
    expect(() => handle.files.resolve('s3://lake/other/x')).toThrow(/is refused/);
  });
});

describe('the cache of local copies', () => {
  const copies = (folder: string) =>
    readdirSync(folder).filter((name) => /^[0-9a-f]{64}$/.test(name));
  const fetched = () =>
    s3.seen.filter(({ key, headers }) => /parquet$/.test(key) && /=\d+-/.test(headers.range ?? ''));

  it('serves a second scan, and a second process alike', async () => {
    const folder = join(root, 'second');
    const scan = async () =>
      count(
        await openTable(
          { path: 's3://lake/wh/n/t' },
          { env: env({ LHS_OBJECT_CACHE_DIR: folder }) },
        ),
      );
    const rows = await scan();
    const first = copies(folder).map((name) => statSync(join(folder, name)).ino);
    expect(first.length).toBeGreaterThan(0);
    s3.seen.length = 0;
    expect(await scan()).toBe(rows);
    expect(fetched()).toEqual([]);
    expect(copies(folder).map((name) => statSync(join(folder, name)).ino)).toEqual(first);
    // nothing but whole copies stays behind
    await expect.poll(() => readdirSync(folder).length).toBe(first.length);
  });

  it('stays within its limit', async () => {
    const folder = join(root, 'small');
    const sizes = copies(join(root, 'second')).map(
      (name) => statSync(join(root, 'second', name)).size,
    );
    const limit = Math.max(...sizes) + 1;
    const more = { LHS_OBJECT_CACHE_DIR: folder, LHS_OBJECT_CACHE_BYTES: String(limit) };
    expect(await count(await openTable({ path: 's3://lake/wh/n/t' }, { env: env(more) }))).toBe(
      await near(),
    );
    const kept = copies(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
    expect(kept).toBeLessThanOrEqual(limit);
  });
});
