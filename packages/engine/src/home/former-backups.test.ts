import { hash } from 'node:crypto';
import type { ObjectStore } from '@lakehouse-search/lake/internal';
import { describe, expect, it } from 'vitest';
import { readChunk } from './former-backups.ts';

const right = Buffer.from('bytes of a chunk');
const sha256 = hash('sha256', right);
const key = `chunks/${sha256.slice(0, 2)}/${sha256}`;
const chunk = { sha256, length: right.length };
const flipped = Buffer.from(right.map((byte, i) => (i === 3 ? byte ^ 1 : byte)));

/** A store whose reads answer one after the other; the last answer stays. */
function storeOf(...answers: Buffer[]) {
  const keys: string[] = [];
  const get = async (key: string) => {
    const bytes = answers[Math.min(keys.length, answers.length - 1)];
    keys.push(key);
    return { key, size: bytes.length, etag: '1', offset: 0, bytes };
  };
  return { keys, repository: { store: { get } as unknown as ObjectStore, place: 's3://b/p' } };
}

describe('a chunk of a backup', () => {
  it.each([
    ['flipped', flipped],
    ['cut', right.subarray(1)],
  ])('whose bytes arrive %s is read once more', async (_, wrong) => {
    const { keys, repository } = storeOf(wrong, right);
    expect(await readChunk(repository, chunk)).toEqual(right);
    expect(keys).toEqual([key, key]);
  });

  it('is refused by the name of its object if the second read differs too', async () => {
    const { keys, repository } = storeOf(flipped);
    await expect(readChunk(repository, chunk)).rejects.toMatchObject({
      code: 'corrupt_index',
      message: expect.stringContaining(`s3://b/p/${key}`),
    });
    expect(keys).toHaveLength(2);
  });
});
