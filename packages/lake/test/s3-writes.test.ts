import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { CatalogConfig } from '../src/source-table.ts';
import { importFiles } from '../src/write/writing.ts';
import { csv, idsOf, racing, wholeLife } from './remote-life.ts';
import { S3Server } from './s3-server.ts';

/** Writes into tables on S3. */
const root = mkdtempSync(join(tmpdir(), 'lhs-s3-writes-'));
let s3: S3Server;

beforeAll(async () => {
  s3 = await S3Server.start('lake');
  const env = { ...s3.env, LHS_OBJECT_CACHE_DIR: join(root, 'cache') };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
});
afterEach(() => {
  s3.fault = () => null;
  s3.ignoresConditions = false;
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await s3.close();
  rmSync(root, { recursive: true, force: true });
});

const objects = (prefix: string) =>
  [...(s3.buckets.get('lake')?.keys() ?? [])].filter((key) => key.startsWith(prefix));

const onS3 = (folder: string): CatalogConfig => ({
  type: 'filesystem',
  warehouse: `s3://lake/${folder}`,
});
const inSql = (folder: string): CatalogConfig => ({
  type: 'sql',
  uri: `sqlite:///${root}/${folder}.db`,
  warehouse: `s3://lake/${folder}`,
});

describe.each([
  ['a folder of S3', onS3],
  ['a SQL catalog whose tables are on S3', inSql],
])('writes into %s', (_, make) => {
  const name = make === onS3 ? 'folder' : 'sql';

  it('create, add, replace, upsert, delete and compact rows', async () => {
    await wholeLife(root, make(name), 'n.life');
  });

  it('retry after another writer was faster', async () => {
    await racing(root, make(name), 'n.race');
  });

  it('leave no object if they fail', async () => {
    const source = { catalog: make(name), table: 'n.none' };
    const files = [csv(root, 'twice.csv', [1, 1])];
    const twice = importFiles({ ...source, files, key: ['id'] });
    await expect(twice).rejects.toMatchObject({ reason: 'duplicate_key' });
    s3.fault = ({ method, key }) =>
      method === 'PUT' && key.includes('metadata.json')
        ? { kind: 'status', status: 403, code: 'AccessDenied' }
        : null;
    const refused = importFiles({ ...source, files: [csv(root, 'ok.csv', [1])] });
    await expect(refused).rejects.toMatchObject({ code: 'permission_denied' });
    expect(objects(`${name}/n/none`)).toEqual([]);
  });
});

describe('a store that ignores conditions of writes', () => {
  it('gets no table', async () => {
    s3.ignoresConditions = true;
    const source = { catalog: onS3('blind'), table: 'n.t' };
    const made = importFiles({ ...source, files: [csv(root, 'b.csv', [1])] });
    await expect(made).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('ignores "If-None-Match: *"'),
    });
    expect(objects('blind')).toEqual([]);
  });
});

describe('a commit to S3 whose answer is lost', () => {
  it('counts, as the object is there', async () => {
    const source = { catalog: onS3('lost'), table: 'n.t' };
    await importFiles({ ...source, files: [csv(root, 'l.csv', [1])] });
    let losses = 1;
    s3.fault = ({ method, key }) =>
      method === 'PUT' && key.endsWith('v2.metadata.json') && losses-- > 0
        ? { kind: 'lost' }
        : null;
    await importFiles({ ...source, files: [csv(root, 'm.csv', [2])], mode: 'append' });
    expect(await idsOf(source)).toEqual([1, 2]);
  });
});
