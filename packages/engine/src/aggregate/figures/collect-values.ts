/** Percentiles of a numeric column over one segment. */
import type { FieldPlan } from '../../schema/field-plan.ts';
import type { SegmentReader } from '../../segment/segment-reader.ts';
import { valueCoder } from '../count/coder.ts';
import type { VisitBatch } from '../document-stream.ts';
import type { MetricCollector } from '../segment-collector.ts';
import { addToDigest, type Digest, noDigest } from './t-digest.ts';

/** Collects a percentiles aggregation. */
export function percentilesCollector(
  reader: SegmentReader,
  field: FieldPlan,
): MetricCollector<Digest> {
  const column = reader.numeric(field.id);
  const digests: (Digest | undefined)[] = [];
  const collect: VisitBatch = (docs, owners, count) => {
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
    collectAll(documents) {
      const coder = valueCoder(reader, field);
      const counts =
        column === null || column.double ? null : (coder?.count(documents.matches) ?? null);
      if (counts === null) documents.read(collect);
      else digests[0] = countedDigest(counts, (code) => Number(coder!.key(code)));
    },
    partial: (owner) => digests[owner] ?? noDigest(),
  };
}

function countedDigest(counts: Int32Array, value: (code: number) => number): Digest {
  const digest = noDigest();
  for (let code = 0; code < counts.length; code++) {
    if (counts[code] > 0) addToDigest(digest, value(code), counts[code]);
  }
  return digest;
}
