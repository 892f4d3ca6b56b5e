/** Aggregations that look at every value of a segment: distinct counts and percentiles. */
import type { FieldPlan } from '../schema/field-plan.ts';
import type { SegmentReader } from '../segment/segment-reader.ts';
import { DENSE_CODES, valueCoder } from './coder.ts';
import { addDistinct, noDistinct } from './distinct.ts';
import { collectInBatches, type SegmentCollector } from './segment-collector.ts';
import { addToDigest, type Digest, noDigest } from './t-digest.ts';

/** Collects a cardinality aggregation: codes first, each value once. */
export function distinctCollector(reader: SegmentReader, field: FieldPlan): SegmentCollector {
  const coder = valueCoder(reader, field);
  const seen: (Set<number> | undefined)[] = [];
  let whole: Uint8Array | Int32Array | null = null;
  const out: number[] = [];
  const collect: SegmentCollector['collect'] = (docs, owners, count) => {
    if (coder === null) return;
    for (let i = 0; i < count; i++) {
      const found = coder.read(docs[i], out);
      if (whole !== null) for (let j = 0; j < found; j++) whole[out[j]] = 1;
      else for (let j = 0; j < found; j++) (seen[owners[i]] ??= new Set()).add(out[j]);
    }
  };
  return {
    collect,
    collectAll(matches) {
      const counts = coder?.count(matches) ?? null;
      if (counts !== null) {
        whole = counts;
        return;
      }
      if (coder !== null && coder.size <= DENSE_CODES) whole = new Uint8Array(coder.size);
      collectInBatches(matches, collect);
    },
    partial(owner) {
      const distinct = noDistinct();
      whole?.forEach((mark, code) => {
        if (mark > 0) addDistinct(distinct, coder!.key(code));
      });
      for (const code of seen[owner] ?? []) addDistinct(distinct, coder!.key(code));
      return { kind: 'distinct', distinct };
    },
  };
}

/** Collects a percentiles aggregation. */
export function percentilesCollector(reader: SegmentReader, field: FieldPlan): SegmentCollector {
  const column = reader.numeric(field.id);
  const digests: (Digest | undefined)[] = [];
  const collect: SegmentCollector['collect'] = (docs, owners, count) => {
    if (column === null) return;
    const { starts } = column;
    for (let i = 0; i < count; i++) {
      const doc = docs[i];
      const from = starts === null ? doc : starts[doc];
      const to = from + column.count(doc);
      if (to === from) continue;
      const digest = (digests[owners[i]] ??= noDigest());
      for (let slot = from; slot < to; slot++) addToDigest(digest, column.numberAt(slot));
    }
  };
  return {
    collect,
    collectAll(matches) {
      const coder = valueCoder(reader, field);
      const counts = column === null || column.double ? null : (coder?.count(matches) ?? null);
      if (counts === null) collectInBatches(matches, collect);
      else digests[0] = countedDigest(counts, (code) => Number(coder!.key(code)));
    },
    partial: (owner) => ({ kind: 'digest', digest: digests[owner] ?? noDigest() }),
  };
}

function countedDigest(counts: Int32Array, value: (code: number) => number): Digest {
  const digest = noDigest();
  for (let code = 0; code < counts.length; code++) {
    if (counts[code] > 0) addToDigest(digest, value(code), counts[code]);
  }
  return digest;
}
