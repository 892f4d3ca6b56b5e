/** Documents of the tests of scoring, and their words. */
import { POSITION_GAP } from '../../src/inverted/write/inverted-writer.ts';
import type { FieldBlock } from '../../src/schema/field-block.ts';

/** Values by document, and the key of each (unique, in any order). */
export interface ModelDoc {
  readonly values: readonly string[];
  readonly key: string;
  readonly blocked: boolean;
}

const encoder = new TextEncoder();

/** The values of documents, as the ingest hands them over. */
export function blockOf(docs: readonly ModelDoc[]): FieldBlock {
  const values = docs.flatMap((d) => d.values.map((v) => encoder.encode(v)));
  const starts = new Int32Array(docs.length + 1);
  docs.forEach((d, i) => {
    starts[i + 1] = starts[i] + d.values.length;
  });
  const offsets = new Int32Array(values.length + 1);
  values.forEach((v, i) => {
    offsets[i + 1] = offsets[i] + v.length;
  });
  return { kind: 'bytes', starts, offsets, bytes: Buffer.concat(values) };
}

/** The order of keys. */
export const compare = (a: string, b: string): number =>
  Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Words with their positions. */
export function tokens({ values }: ModelDoc): Map<string, number[]> {
  const found = new Map<string, number[]>();
  let position = 0;
  values.forEach((value, v) => {
    if (v > 0) position += POSITION_GAP;
    for (const word of value.match(/[a-z0-9]+/g) ?? []) {
      found.set(word, [...(found.get(word) ?? []), position++]);
    }
  });
  return found;
}
