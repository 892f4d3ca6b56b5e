/**
 * Terms and histograms over one segment of which the answer shows every bucket: codes number the
 * buckets, and documents are counted while they are read for what is nested, in one pass.
 */
import type { Aggregation } from '../aggregation.ts';
import type { BucketKey } from '../bucket-key.ts';
import { BATCH_DOCS, type DocumentStream } from '../document-stream.ts';
import type { PartialBucket } from '../partial.ts';
import type { SegmentPart } from '../segment-collector.ts';
import type { AggregationRun, AggregationTask } from '../task.ts';
import type { Coder } from './coder.ts';

interface SingleCoder extends Coder {
  readonly fill: NonNullable<Coder['fill']>;
}

/** With more codes too many partials would be made of buckets without documents. */
const MOST_CODES = 4096;

/** True for a coder of few codes, of which a document has one at most. */
export const isSingle = (coder: Coder): coder is SingleCoder =>
  coder.fill !== null && coder.size <= MOST_CODES;

/** A task over one segment and one owner. */
export function everyCodeTask(
  run: AggregationRun,
  subs: readonly Aggregation[],
  { scope, stream, count }: SegmentPart,
  coder: SingleCoder,
): AggregationTask {
  return {
    collectors: [null],
    partials() {
      const counts = new Int32Array(coder.size);
      const part = { scope, stream: countingStream(stream, coder, counts), count };
      const nested = run.evaluate(subs, [part], coder.size);
      const buckets = new Map<BucketKey, PartialBucket>();
      counts.forEach((documents, code) => {
        if (documents === 0) return;
        const own = nested.map((partials) => partials[code]);
        buckets.set(coder.key(code), { count: documents, subs: own });
      });
      return [{ buckets, left: 0 }];
    },
  };
}

/** The documents of a stream that have a code, with it as their owner; counted when first read. */
function countingStream(
  stream: DocumentStream,
  coder: SingleCoder,
  counts: Int32Array,
): DocumentStream {
  let counted = counts;
  return {
    matches: null,
    read(visit) {
      const own = counted;
      const [filled, into] = [new Int32Array(BATCH_DOCS), new Int32Array(BATCH_DOCS)];
      stream.read((docs, _, count) => {
        coder.fill(docs, count, filled);
        let taken = 0;
        for (let i = 0; i < count; i++) {
          const code = filled[i];
          if (code < 0) continue;
          own[code]++;
          into[taken] = docs[i];
          filled[taken++] = code;
        }
        if (taken > 0) visit(into, filled, taken);
      });
      // Reading again counts into a copy that nobody looks at.
      counted = counts.slice();
    },
  };
}
