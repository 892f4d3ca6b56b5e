import { ByteSink, IntSink } from '../base/arrays/growing.ts';
import type { FieldType } from '../schema/definition.ts';
import type { FieldBlock } from '../schema/field-block.ts';

/** One value on its way into a `FieldBlock`: UTF-8 or 16 bytes, an i64, a double. */
export type BlockValue = Uint8Array | bigint | number;

/**
 * Collects values document by document, for fields that no column gives as it is: lists, variants,
 * odd types.
 */
export interface FieldBuilder {
  add(value: BlockValue): void;
  endDocument(): void;
  finish(): FieldBlock;
}

/**
 * A builder for a field of `type`: bytes for TEXT, KEYWORD and IP, doubles for DOUBLE, else i64.
 */
export function createFieldBuilder(type: FieldType): FieldBuilder {
  const starts = new IntSink();
  starts.push(0);
  if (type === 'TEXT' || type === 'KEYWORD' || type === 'IP') return bytesBuilder(starts);
  const values: (bigint | number)[] = [];
  return {
    add: (value) => values.push(value as bigint | number),
    endDocument: () => starts.push(values.length),
    finish: () =>
      type === 'DOUBLE'
        ? { kind: 'double', starts: starts.view(), values: Float64Array.from(values as number[]) }
        : { kind: 'long', starts: starts.view(), values: BigInt64Array.from(values as bigint[]) },
  };
}

function bytesBuilder(starts: IntSink): FieldBuilder {
  const offsets = new IntSink();
  const bytes = new ByteSink();
  offsets.push(0);
  return {
    add: (value) => {
      bytes.append(value as Uint8Array);
      offsets.push(bytes.length);
    },
    endDocument: () => starts.push(offsets.length - 1),
    finish: () => ({
      kind: 'bytes',
      starts: starts.view(),
      offsets: offsets.view(),
      bytes: bytes.view(),
    }),
  };
}
