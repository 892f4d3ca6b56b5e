import { type ChildProcess, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { LIMITS } from '../src/base/limits.ts';
import type { ObjectInfo } from '../src/objects/object-store.ts';
import { openObjectStore } from '../src/objects/open-object-store.ts';
import { openTable } from '../src/table.ts';

/**
 * The client of objects against versitygw, a real server. It is found as LHS_VERSITYGW, in the PATH
 * or in Go's folder of programs; without it the suite is skipped.
 */
const OWN = fileURLToPath(new URL('../../../fixtures/tables/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'lhs-versitygw-'));
let gateway: ChildProcess;
let env: Record<string, string> = {};

function find(): string | null {
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter),
    join(process.env.HOME ?? '', 'go/bin'),
  ];
  const places = [process.env.LHS_VERSITYGW ?? '', ...folders.map((f) => join(f, 'versitygw'))];
  return places.find((path) => path !== '' && existsSync(path)) ?? null;
}
const binary = find();

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe.skipIf(binary === null)('versitygw', () => {
  beforeAll(async () => {
    const port = await freePort();
    mkdirSync(join(folder, 'data/lake'), { recursive: true });
    const keys = { ROOT_ACCESS_KEY: 'demo', ROOT_SECRET_KEY: 'demo-secret' };
    const args = ['--port', `127.0.0.1:${port}`, 'posix', join(folder, 'data')];
    gateway = spawn(binary!, args, { env: { ...process.env, ...keys }, stdio: 'ignore' });
    env = {
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: keys.ROOT_ACCESS_KEY,
      AWS_SECRET_ACCESS_KEY: keys.ROOT_SECRET_KEY,
      LHS_OBJECT_CACHE_DIR: join(folder, 'cache'),
    };
    const answers = () =>
      fetch(env.AWS_ENDPOINT_URL_S3).then(
        () => true,
        () => false,
      );
    await vi.waitFor(async () => expect(await answers()).toBe(true), 20_000);
  });
  afterAll(() => {
    gateway.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  const store = () => openObjectStore('s3://lake/backups', { env });

  it('keeps conditions, parts, ranges, listings and batches of deletes', async () => {
    const objects = await store();
    const first = (await objects.put('k', Buffer.from('one'), {
      condition: 'absent',
    })) as ObjectInfo;
    expect(await objects.put('k', Buffer.from('two'), { condition: 'absent' })).toBe('refused');
    const { etag } = first;
    expect(await objects.put('k', Buffer.from('two!'), { condition: { etag } })).toMatchObject({
      size: 4,
    });
    expect(await objects.put('k', Buffer.from('x'), { condition: { etag } })).toBe('refused');
    expect(await objects.get('k', { etag })).toBe('changed');
    const file = join(folder, 'large');
    writeFileSync(file, Buffer.alloc(3 * LIMITS.s3PartBytes + 5, 'parts of it '));
    expect(await objects.put('a/large', { file })).toMatchObject({
      size: 3 * LIMITS.s3PartBytes + 5,
    });
    const end = await objects.get('a/large', { span: { suffix: 7 } });
    expect(end).toMatchObject({ bytes: readFileSync(file).subarray(-7) });
    const keys = async () => (await Array.fromAsync(objects.list(''))).map(({ key }) => key);
    expect(await keys()).toEqual(['a/large', 'k']);
    await objects.delete(['a/large', 'k', 'none']);
    expect(await keys()).toEqual([]);
  });

  it('serves the rows of a table', async () => {
    cpSync(join(OWN, 'own_partitioned'), join(folder, 'data/lake/wh/t'), { recursive: true });
    const count = async (path: string) => {
      const table = await openTable({ path }, { env });
      let rows = 0;
      for await (const batch of table.scan()) rows += batch.rows;
      await table.close();
      return rows;
    };
    expect(await count('s3://lake/wh/t')).toBe(await count(join(OWN, 'own_partitioned')));
  });
});
