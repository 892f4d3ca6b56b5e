import type { FieldBlock } from '../schema/field-block.ts';

/**
 * The values of documents (`docs`, ascending) as those of the `count` documents from number `first`
 * on; the others have none.
 */
export function spreadValues(
  field: FieldBlock,
  docs: Int32Array,
  first: number,
  count: number,
): FieldBlock {
  const starts = new Int32Array(count + 1);
  for (let i = 0; i < docs.length; i++) {
    starts[docs[i] - first + 1] = field.starts[i + 1] - field.starts[i];
  }
  starts[0] = field.starts[0];
  for (let doc = 0; doc < count; doc++) starts[doc + 1] += starts[doc];
  return { ...field, starts };
}

type Kind<K extends FieldBlock['kind']> = Extract<FieldBlock, { kind: K }>;

/** The values of blocks of one kind, one behind the other. There is at least one block. */
export function joinValues(blocks: readonly FieldBlock[]): FieldBlock {
  const starts = joinStarts(blocks.map((block) => block.starts));
  const [{ kind }] = blocks;
  if (kind === 'bytes') return { kind, starts, ...joinBytes(blocks as readonly Kind<'bytes'>[]) };
  const total = starts[starts.length - 1];
  if (kind === 'long') {
    const values = new BigInt64Array(total);
    eachPart(blocks as readonly Kind<'long'>[], (own, from, to, at) =>
      values.set(own.values.subarray(from, to), at),
    );
    return { kind, starts, values };
  }
  if (kind === 'double') {
    const values = new Float64Array(total);
    eachPart(blocks as readonly Kind<'double'>[], (own, from, to, at) =>
      values.set(own.values.subarray(from, to), at),
    );
    return { kind, starts, values };
  }
  return joinVectors(blocks as readonly Kind<'vector'>[], starts);
}

function joinVectors(blocks: readonly Kind<'vector'>[], starts: Int32Array): FieldBlock {
  const [{ kind, dims }] = blocks;
  const total = starts[starts.length - 1];
  const scales = new Float32Array(total);
  const codes = new Int16Array(total * dims);
  eachPart(blocks, (own, from, to, at) => {
    scales.set(own.scales.subarray(from, to), at);
    codes.set(own.codes.subarray(from * dims, to * dims), at * dims);
  });
  return { kind, starts, dims, scales, codes };
}

/** Calls `visit` with each block, the range of its values, and their place among all values. */
function eachPart<T extends FieldBlock>(
  blocks: readonly T[],
  visit: (block: T, from: number, to: number, at: number) => void,
): void {
  let at = 0;
  for (const block of blocks) {
    const { starts } = block;
    const [from, to] = [starts[0], starts[starts.length - 1]];
    visit(block, from, to, at);
    at += to - from;
  }
}

function joinStarts(all: readonly Int32Array[]): Int32Array {
  const joined = new Int32Array(all.reduce((sum, starts) => sum + starts.length - 1, 0) + 1);
  let at = 0;
  for (const starts of all) {
    for (let doc = 1; doc < starts.length; doc++) {
      joined[at + 1] = joined[at] + starts[doc] - starts[doc - 1];
      at++;
    }
  }
  return joined;
}

function joinBytes(blocks: readonly Kind<'bytes'>[]) {
  let values = 0;
  let length = 0;
  eachPart(blocks, ({ offsets }, from, to) => {
    values += to - from;
    length += offsets[to] - offsets[from];
  });
  const offsets = new Int32Array(values + 1);
  const bytes = new Uint8Array(length);
  eachPart(blocks, (own, from, to, at) => {
    bytes.set(own.bytes.subarray(own.offsets[from], own.offsets[to]), offsets[at]);
    for (let value = from; value < to; value++) {
      const next = at + value - from;
      offsets[next + 1] = offsets[next] + own.offsets[value + 1] - own.offsets[value];
    }
  });
  return { offsets, bytes };
}
