// @module-tag campaign
// @module-tag program
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findVersitygw, startVersitygw, type Versitygw } from '../../../test/support/versitygw.ts';
import { LIMITS } from '../src/base/limits.ts';
import type { ObjectInfo } from '../src/objects/object-store.ts';
import { openObjectStore } from '../src/objects/open-object-store.ts';
import { openTable } from '../src/table.ts';

/** The client of objects against versitygw, a real server; without it the suite is skipped. */
const OWN = fileURLToPath(new URL('../../../fixtures/tables/', import.meta.url));
const binary = findVersitygw();
let gateway: Versitygw;

describe.skipIf(binary === null)('versitygw', () => {
  beforeAll(async () => {
    gateway = await startVersitygw(binary!, 'lake');
  });
  afterAll(() => gateway.close());

  const store = () => openObjectStore('s3://lake/backups', { env: gateway.env });

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
    const file = join(gateway.data, '..', 'large');
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
    cpSync(join(OWN, 'own_partitioned'), join(gateway.data, 'lake/wh/t'), { recursive: true });
    const count = async (path: string) => {
      const table = await openTable({ path }, { env: gateway.env });
      let rows = 0;
      for await (const batch of table.scan()) rows += batch.rows;
      await table.close();
      return rows;
    };
    expect(await count('s3://lake/wh/t')).toBe(await count(join(OWN, 'own_partitioned')));
  });
});
