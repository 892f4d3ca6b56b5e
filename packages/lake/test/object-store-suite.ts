import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../src/base/limits.ts';
import { createFirst } from '../src/objects/create-first.ts';
import type { GetOptions, ObjectInfo, ObjectStore } from '../src/objects/object-store.ts';

const BYTES = Buffer.from(Array.from({ length: 5000 }, (_, i) => i % 251));

/** What every object store does. `open` gives an empty one. */
export function describeObjectStore(name: string, open: () => Promise<ObjectStore>): void {
  let store: ObjectStore;
  const keysOf = async (...request: Parameters<ObjectStore['list']>) =>
    (await Array.fromAsync(store.list(...request))).map(({ key }) => key);
  const put = async (key: string, text: string) =>
    (await store.put(key, Buffer.from(text))) as ObjectInfo;

  describe(name, () => {
    beforeAll(async () => {
      store = await open();
    });

    it('reads whole objects, ranges and ends, and knows what is missing', async () => {
      const key = 'a b/ü+%20#?.bin';
      const { etag } = (await store.put(key, BYTES)) as ObjectInfo;
      expect(await store.head(key)).toEqual({ key, size: 5000, etag });
      const read = (options: GetOptions) => store.get(key, options);
      const part = (offset: number, length: number) => ({
        ...{ key, size: 5000, etag, offset },
        bytes: BYTES.subarray(offset, offset + length),
      });
      expect(await read({})).toEqual(part(0, 5000));
      expect(await read({ span: { offset: 7, length: 100 }, etag })).toEqual(part(7, 100));
      expect(await read({ span: { offset: 4990, length: 100 } })).toEqual(part(4990, 10));
      expect(await read({ span: { suffix: 10 } })).toEqual(part(4990, 10));
      expect(await read({ span: { suffix: 6000 } })).toEqual(part(0, 5000));
      expect(await read({ etag: '"other"' })).toBe('changed');
      await expect(read({ maxBytes: 100 })).rejects.toHaveProperty('code', 'limit_exceeded');
      expect(await store.get('a b/none')).toBe('missing');
      expect(await store.head('a b/none')).toBeNull();
    });

    it('writes under conditions', async () => {
      const absent = { condition: 'absent' } as const;
      const first = (await store.put('c/k', Buffer.from('one'), absent)) as ObjectInfo;
      expect(first).toMatchObject({ key: 'c/k', size: 3 });
      expect(await store.put('c/k', Buffer.from('two'), absent)).toBe('refused');
      const condition = { etag: first.etag };
      expect(await store.put('c/k', Buffer.from('two!'), { condition })).toMatchObject({ size: 4 });
      expect(await store.put('c/k', Buffer.from('three'), { condition })).toBe('refused');
      expect(await store.put('c/none', Buffer.from('x'), { condition })).toBe('refused');
      expect(await store.get('c/k')).toMatchObject({ bytes: Buffer.from('two!') });
    });

    it('lets one of many writers create an object', async () => {
      const texts = Array.from({ length: 8 }, (_, i) => `writer ${i}`);
      const create = (text: string) => createFirst(store, 'race/k', text, { path: 'race/k' });
      const done = await Promise.all(texts.map(create));
      expect(done.filter((created) => created)).toHaveLength(1);
      const got = await store.get('race/k');
      expect(got).toMatchObject({ bytes: Buffer.from(texts[done.indexOf(true)]!) });
    });

    it('lists in the order of keys, by the beginning of a name, and one level', async () => {
      const keys = ['p/a-1', 'p/a/x/y', 'p/a/z&<', 'p/a.b', 'p/b', 'q'];
      for (const key of [...keys].reverse()) await put(key, key);
      expect(await keysOf('p/')).toEqual(keys.slice(0, -1).sort());
      expect(await keysOf('p/a/')).toEqual(['p/a/x/y', 'p/a/z&<']);
      expect(await keysOf('p/a.')).toEqual(['p/a.b']);
      expect((await keysOf('p/', { oneLevel: true })).sort()).toEqual(
        ['p/a-1', 'p/a.b', 'p/a/', 'p/b'].sort(),
      );
      expect(await keysOf('none/')).toEqual([]);
    });

    it('deletes objects; missing ones are no fault', async () => {
      const keys = ['d/1<&>', 'd/2', 'd/e/3'];
      for (const key of keys) await put(key, key);
      await put('d/stays', 'x');
      await store.delete([...keys, 'd/none']);
      expect(await keysOf('d/')).toEqual(['d/stays']);
      await store.delete([]);
    });

    it('takes large files', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'lhs-object-'));
      try {
        const file = join(folder, 'large');
        const bytes = Buffer.alloc(3 * LIMITS.storePartBytes + 5, 'parts of it ');
        writeFileSync(file, bytes);
        const absent = { condition: 'absent' } as const;
        expect(await store.put('large', { file }, absent)).toMatchObject({ size: bytes.length });
        expect(await store.put('large', { file }, absent)).toBe('refused');
        const span = { offset: LIMITS.storePartBytes - 3, length: 6 };
        const end = span.offset + span.length;
        const got = await store.get('large', { span });
        expect(got).toMatchObject({ bytes: bytes.subarray(span.offset, end) });
        const read = async (offset: number, length: number) =>
          bytes.subarray(offset, offset + length);
        expect(await store.put('parts', { size: bytes.length, read }, absent)).not.toBe('refused');
        const sent = await store.get('parts', { span });
        expect(sent).toMatchObject({ bytes: bytes.subarray(span.offset, end) });
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  });
}
