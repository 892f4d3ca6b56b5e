// @module-tag campaign
// @module-tag program
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ObjectServer, objectServers } from '../../../test/support/object-servers.ts';
import { openObjectStore } from '../src/objects/open-object-store.ts';
import { openTable } from '../src/table.ts';
import { describeObjectStore } from './object-store-suite.ts';

/** The stores against real servers; those that are not installed are skipped. */
const TABLE = fileURLToPath(new URL('../../../fixtures/tables/own_partitioned', import.meta.url));
const text = (bytes: string) => Buffer.from(bytes);

describe.each(objectServers())('%s', (_, start) => {
  if (start === null) {
    it.skip('is not tested: it is not installed', () => {});
    return;
  }
  let server: ObjectServer;
  beforeAll(async () => {
    server = await start();
  }, 120_000);
  afterAll(() => server?.close());

  describeObjectStore('a part of a bucket', () =>
    openObjectStore(`${server.place}/backups`, { env: server.env }),
  );

  it('lists more objects than a page has, in the order of their keys', async () => {
    const store = await openObjectStore(`${server.place}/pages`, { env: server.env });
    const keys = Array.from({ length: 1010 }, (_, i) => `many/${String(i).padStart(5, '0')}`);
    for (let from = 0; from < keys.length; from += 100) {
      await Promise.all(keys.slice(from, from + 100).map((key) => store.put(key, text(key))));
    }
    const listed = await Array.fromAsync(store.list('many/'));
    expect(listed.map(({ key }) => key)).toEqual(keys);
    expect(listed[7]).toEqual(await store.head(keys[7]));
    await store.delete(keys);
  });

  it('names a bucket that is not there', async () => {
    const place = `${server.place.replace('lake', 'nowhere')}/x`;
    const other = await openObjectStore(place, { env: server.env });
    await expect(Array.fromAsync(other.list(''))).rejects.toMatchObject({
      reason: 'table_not_found',
      message: expect.stringContaining('nowhere'),
    });
  });

  it('serves the rows of a table', async () => {
    const lake = await openObjectStore(`${server.place}/wh/t`, { env: server.env });
    for (const entry of readdirSync(TABLE, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      await lake.put(relative(TABLE, path), readFileSync(path));
    }
    const count = async (path: string) => {
      const table = await openTable({ path }, { env: server.env });
      let rows = 0;
      for await (const batch of table.scan()) rows += batch.rows;
      await table.close();
      return rows;
    };
    expect(await count(`${server.place}/wh/t`)).toBe(await count(TABLE));
  });
});
