/**
 * Terms and histograms over one segment of which the answer shows every bucket: codes number the
 * buckets, and documents are counted while they are read for what is nested, in one pass.
 */
import type { Aggregation, BucketKey } from './aggregation.ts';
import type { Coder } from './coder.ts';
import { BATCH_DOCS, type DocumentStream } from './document-stream.ts';
import type { AggPartial, PartialBucket } from './partial.ts';
import type { SegmentPart } from './segment-collector.ts';
import type { AggregationRun, AggregationTask } from './task.ts';

type Coded = Extract<Aggregation, { readonly kind: 'terms' | 'histogram' }>;

/** A coder of few codes, of which a document has one at most. */
export interface SingleCoder extends Coder {
  readonly fill: NonNullable<Coder['fill']>;
}

/** With more codes too many partials would be made of buckets without documents. */
const MOST_CODES = 4096;

/** The coder of an aggregation, for one owner, where the answer shows a bucket for each code. */
export function everyCode(aggregation: Aggregation, coder: Coder | null): SingleCoder | null {
  if (coder === null || coder.fill === null || coder.size > MOST_CODES) return null;
  if (!('subs' in aggregation) || aggregation.subs.length === 0) return null;
  if (aggregation.kind === 'histogram') return coder as SingleCoder;
  if (aggregation.kind !== 'terms' || aggregation.missing !== null) return null;
  return coder.size <= aggregation.size ? (coder as SingleCoder) : null;
}

/** A task over one segment and one owner. */
export function everyCodeTask(
  run: AggregationRun,
  aggregation: Coded,
  { scope, stream, count }: SegmentPart,
  coder: SingleCoder,
): AggregationTask {
  return {
    collectors: [null],
    partials() {
      const counts = new Int32Array(coder.size);
      const part = { scope, stream: countingStream(stream, coder, counts), count };
      const nested = run.evaluate(aggregation.subs, [part], coder.size);
      const buckets = new Map<BucketKey, PartialBucket>();
      counts.forEach((documents, code) => {
        if (documents === 0) return;
        const subs = nested.map((partials) => partials[code]);
        buckets.set(coder.key(code), { count: documents, subs });
      });
      return [{ kind: 'buckets', buckets, left: 0, error: 0 } satisfies AggPartial];
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
