import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeObjectStore } from '../../test/object-store-suite.ts';
import { S3Server } from '../../test/s3-server.ts';
import { linkFirst } from '../base/files/whole-files.ts';
import { openObjectStore } from './open-object-store.ts';

let server: S3Server;
const folder = mkdtempSync(join(tmpdir(), 'lhs-store-'));
const inBucket = () => openObjectStore('s3://lake/below/it', { env: server.env });
beforeAll(async () => {
  server = await S3Server.start('lake');
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server.close();
});

describeObjectStore('a folder', () => openObjectStore(join(folder, 'new')));
describeObjectStore('a part of a bucket', inBucket);

describe('a second name of a file', () => {
  it('is refused if another file has it', async () => {
    const [a, b, name] = ['a', 'b', 'name'].map((file) => join(folder, file));
    for (const file of [a, b]) writeFileSync(file, file);
    expect(await linkFirst(a, name)).toBe(true);
    expect(await linkFirst(b, name)).toBe(false);
    // as a network file system does after a lost answer
    expect(await linkFirst(a, name)).toBe(true);
  });
});
