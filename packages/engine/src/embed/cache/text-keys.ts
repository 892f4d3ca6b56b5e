import { hash } from 'node:crypto';
import type { Texts } from '../embedder.ts';
import { KEY_BYTES } from './cache-format.ts';

/** What names texts in a cache: key i is bytes[16 i .. 16 (i + 1)), and 4 words. */
export interface TextKeys {
  readonly count: number;
  readonly bytes: Uint8Array;
  readonly words: Int32Array;
}

/** Room for `count` keys. */
export function emptyKeys(count: number): TextKeys {
  const bytes = new Uint8Array(count * KEY_BYTES);
  return { count, bytes, words: new Int32Array(bytes.buffer) };
}

/** The key of each text: the first half of its SHA-256. */
export function textKeys({ offsets, bytes }: Texts): TextKeys {
  const keys = emptyKeys(offsets.length - 1);
  const out = Buffer.from(keys.bytes.buffer);
  for (let i = 0; i < keys.count; i++) {
    const digest = hash('sha256', bytes.subarray(offsets[i], offsets[i + 1]), 'binary');
    out.write(digest, i * KEY_BYTES, KEY_BYTES, 'latin1');
  }
  return keys;
}
