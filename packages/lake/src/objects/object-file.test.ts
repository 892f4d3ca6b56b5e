import { describe, expect, it } from 'vitest';
import { openObject } from './object-file.ts';
import type { ByteSpan, GetOptions, ObjectStore } from './object-store.ts';

const SIZE = 8 * 2 ** 20;
const OBJECT = Buffer.from(Uint32Array.from({ length: SIZE / 4 }, (_, i) => i).buffer);

/** A store of one object, which records the ranges that are read. */
function storeOf() {
  const spans: ByteSpan[] = [];
  const get = async (key: string, { span }: GetOptions = {}) => {
    if (span === undefined) throw new Error('the whole object was read');
    spans.push(span);
    const offset = 'suffix' in span ? SIZE - span.suffix : span.offset;
    const length = 'suffix' in span ? span.suffix : span.length;
    const bytes = OBJECT.subarray(offset, offset + length);
    return { key, size: SIZE, etag: 'one', offset, bytes };
  };
  return { spans, store: { get } as unknown as ObjectStore };
}

describe('an object that is read ahead', () => {
  it('sends one request per large range, and joins small ones', async () => {
    const { spans, store } = storeOf();
    const path = 's3://bucket/ahead';
    const file = await openObject({ store, key: 'ahead', path, role: 'data' });
    spans.length = 0;
    const large = { offset: 2 ** 20 + 3, length: 2 ** 20 };
    const small = [5, 70_000, 130_000].map((offset) => ({ offset, length: 100 }));
    const drop = file.readAhead([large, ...small]);
    for (const { offset, length } of [large, large, ...small]) {
      const bytes = await file.read(offset, length);
      expect(Buffer.from(bytes).equals(OBJECT.subarray(offset, offset + length))).toBe(true);
    }
    expect(spans).toEqual([large, { offset: 0, length: 2 * 65_536 }]);
    drop();
    await file.read(large.offset, large.length);
    expect(spans).toHaveLength(3);
  });

  it('holds no more than the limit', async () => {
    const { spans, store } = storeOf();
    const path = 's3://bucket/limit';
    const file = await openObject({ store, key: 'limit', path, role: 'data' });
    spans.length = 0;
    const ranges = Array.from({ length: 40 }, (_, i) => ({ offset: i, length: 2 ** 20 }));
    file.readAhead(ranges)();
    expect(spans).toHaveLength(32);
    file.readAhead([{ offset: -1, length: 5 }])();
    file.readAhead([{ offset: SIZE, length: 5 }])();
    expect(spans).toHaveLength(32);
  });
});
