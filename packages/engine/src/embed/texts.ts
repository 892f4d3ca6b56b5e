import type { Texts } from './embedder.ts';

/** Strings as texts in UTF-8. */
export function textsOf(list: readonly string[]): Texts {
  const parts = list.map((text) => Buffer.from(text));
  const offsets = new Int32Array(list.length + 1);
  for (const [i, part] of parts.entries()) offsets[i + 1] = offsets[i] + part.length;
  return { offsets, bytes: Buffer.concat(parts) };
}
