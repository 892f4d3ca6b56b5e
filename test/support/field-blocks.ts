/** Blocks and components of one field, from plain values by document. */
import { simpleAnalyzer } from '../../packages/engine/src/analysis/simple.ts';
import { InvertedReader } from '../../packages/engine/src/inverted/inverted-reader.ts';
import {
  type InvertedPlan,
  InvertedWriter,
} from '../../packages/engine/src/inverted/write/inverted-writer.ts';
import type { FieldBlock } from '../../packages/engine/src/schema/field-block.ts';
import type { Arena, Region } from '../../packages/engine/src/storage/directory.ts';
import { plainArena } from './plain-arena.ts';

/** A block of TEXT, KEYWORD or IP values. */
export type BytesBlock = FieldBlock & { readonly kind: 'bytes' };
/** Values by document. */
export type DocumentValues = readonly (readonly (string | Uint8Array)[])[];

/** A TEXT field with the analyzer `simple`. */
export const SIMPLE_TEXT: InvertedPlan = { kind: 'text', analyzer: simpleAnalyzer };

/** The sums of the lengths before each place, and of all at the end. */
export function runningSums(lengths: readonly number[]): Int32Array {
  const sums = new Int32Array(lengths.length + 1);
  lengths.forEach((length, i) => {
    sums[i + 1] = sums[i]! + length;
  });
  return sums;
}

/** The block of these values. */
export function bytesBlock(docs: DocumentValues): BytesBlock {
  const values = docs.flat().map((value) => Buffer.from(value as string));
  return {
    kind: 'bytes',
    starts: runningSums(docs.map((own) => own.length)),
    offsets: runningSums(values.map((value) => value.length)),
    bytes: Buffer.concat(values),
  };
}

/** A region of the arena with these bytes; without an arena, of one made for them. */
export function regionOf(parts: readonly Uint8Array[], arena?: Arena): Region {
  const bytes = Buffer.concat(parts);
  const region = (arena ?? plainArena(bytes.length + (1 << 22))).allocate(bytes.length);
  region.bytes.set(bytes);
  return region;
}

/** The opened inverted component of these values. */
export function openInverted(
  docs: DocumentValues,
  plan: InvertedPlan = SIMPLE_TEXT,
  arena?: Arena,
): InvertedReader {
  const writer = new InvertedWriter(plan);
  writer.add(0, docs.length, bytesBlock(docs));
  return InvertedReader.open(regionOf(writer.finish(docs.length), arena), docs.length, plan.kind);
}
