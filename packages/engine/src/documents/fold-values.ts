import { ByteSink, IntSink } from '../base/arrays/growing.ts';
import type { FieldBlock } from '../schema/field-block.ts';
import { foldKeyword, originalsPrefix } from '../schema/values/folded-keyword.ts';

/** The values of a KEYWORD field, folded. */
export const foldedValues = (block: FieldBlock): FieldBlock => mapped(block, foldKeyword);

/** The values of a KEYWORD field behind their folded forms. */
export const originalValues = (block: FieldBlock): FieldBlock =>
  mapped(block, (value) => originalsPrefix(foldKeyword(value)) + value);

/** Each distinct value is mapped once. */
function mapped(block: FieldBlock, map: (value: string) => string): FieldBlock {
  if (block.kind !== 'bytes') throw new TypeError(`${block.kind} values cannot be folded`);
  const known = new Map<string, Uint8Array>();
  const bytes = new ByteSink(block.bytes.length);
  const offsets = new IntSink(block.offsets.length);
  const source = Buffer.from(block.bytes.buffer, block.bytes.byteOffset, block.bytes.length);
  const count = block.starts[block.starts.length - 1];
  offsets.push(0);
  for (let i = 0; i < count; i++) {
    const value = source.toString('utf8', block.offsets[i], block.offsets[i + 1]);
    let to = known.get(value);
    if (to === undefined) known.set(value, (to = Buffer.from(map(value))));
    bytes.append(to);
    offsets.push(bytes.length);
  }
  return { ...block, offsets: offsets.view(), bytes: bytes.view() };
}
