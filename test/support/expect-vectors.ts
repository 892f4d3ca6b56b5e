import { expect } from 'vitest';
import { fixVectors } from '../../packages/engine/src/base/fixed-vector.ts';
import type { IndexSnapshot } from '../../packages/engine/src/index/index-snapshot.ts';
import { decodeKey } from '../../packages/engine/src/schema/keys/key.ts';
import { embedTiny, TINY_DIMS } from './tiny-model.ts';

/** What a segment should give back for a text: the tiny model's vector in fixed point, or null. */
export function storedVector(text: string | null): readonly number[] | null {
  const values = text === null ? new Float32Array(TINY_DIMS) : embedTiny(Buffer.from(text));
  const { scales, codes } = fixVectors(values, TINY_DIMS);
  return scales[0] === 0 ? null : [...codes].map((code) => Math.fround(scales[0] * code));
}

/** The vectors of a field in all live documents, by key, as `nameOf` writes it. */
export function vectorsByKey(
  snapshot: IndexSnapshot,
  field: string,
  nameOf: (key: Uint8Array) => string = (key) => decodeKey(key).join('\0\u0001'),
): ReadonlyMap<string, readonly number[] | null> {
  const { id } = snapshot.commit.fields.find(({ name }) => name === field)!;
  const found = new Map<string, readonly number[] | null>();
  for (const reader of snapshot.segments) {
    const vectors = reader.vectors(id);
    for (let doc = 0; doc < reader.docs; doc++) {
      if (reader.isDeleted(doc)) continue;
      const vector = vectors?.vector(doc) ?? null;
      found.set(nameOf(reader.keys.key(doc)), vector && [...vector]);
    }
  }
  return found;
}

/** Every live document's vector is what the tiny model makes of its text, by key. */
export function expectVectors(
  snapshot: IndexSnapshot,
  field: string,
  texts: ReadonlyMap<string, string | null>,
  nameOf?: (key: Uint8Array) => string,
): void {
  const wanted = new Map([...texts].map(([key, text]) => [key, storedVector(text)]));
  expect(new Map([...vectorsByKey(snapshot, field, nameOf)].sort())).toEqual(
    new Map([...wanted].sort()),
  );
}
