/**
 * Values that are more frequent among the documents of a query than in a background: all documents,
 * or those of a filter. Scores are those of Elasticsearch.
 */
import { LhsError } from '@lakehouse-search/contract';
import { wrong } from '@lakehouse-search/contract/internal';
import { LIMITS } from '../../base/limits.ts';
import { countBits } from '../../bitmap/bitmap.ts';
import type {
  Aggregation,
  AggregationAnswer,
  AggregationKind,
  Background,
  BackgroundCounts,
  Nested,
} from '../aggregation.ts';
import { rising, withSteps } from '../bucket-figure.ts';
import type { BucketKey } from '../bucket-key.ts';
import { mergeBuckets, noBuckets } from '../bucket-partials.ts';
import { chooseBuckets } from '../count/choose-buckets.ts';
import { type CodedBuckets, codeTask } from '../count/code-task.ts';
import { fieldValues } from '../count/coder.ts';
import type { BucketsPartial, PartialBucket } from '../partial.ts';
import { type AggregationOptions, readAggregationOptions } from '../read/read-options.ts';
import type { SegmentCollector } from '../segment-collector.ts';
import type { AggregationTask } from '../task.ts';
import { filterOf } from './filter.ts';
import { shownKey } from './terms.ts';

const DEFAULT_SIZE = 10;
const DEFAULT_MIN_COUNT = 3;

/** Documents with a value, and all documents: of the query, and of the background. */
interface Frequencies {
  readonly found: number;
  readonly docs: number;
  readonly backgroundFound: number;
  readonly backgroundDocs: number;
}
type Score = (frequencies: Frequencies) => number;

/**
 * `significant_terms: {field, size?, min_doc_count?, background_filter?, jlh? | chi_square?}`.
 */
export const SIGNIFICANT_TERMS_KIND: AggregationKind = {
  buckets: 'some',
  read({ nested, bindFilter, ...request }) {
    const options = request.options([
      ...['field', 'size', 'min_doc_count', 'background_filter', 'jlh', 'chi_square'],
    ]);
    const field = request.field(options);
    const body = options.get('background_filter');
    const path = `${options.path}.background_filter`;
    const filter = body === undefined ? null : filterOf({ body, path });
    // a wrong filter is refused before anything is counted
    if (filter !== null) bindFilter(filter);
    return significantTerms({
      ...nested,
      background: { field, filter },
      size: options.whole('size', 1, LIMITS.aggBuckets) ?? DEFAULT_SIZE,
      least: options.whole('min_doc_count', 1, 2 ** 31 - 1) ?? DEFAULT_MIN_COUNT,
      score: readScore(options),
    });
  },
};

interface SignificantTerms extends Nested {
  readonly background: Background;
  readonly size: number;
  /** Values with fewer documents are left out. */
  readonly least: number;
  readonly score: Score;
}

interface SignificantPartial extends BucketsPartial {
  /** All documents, also those without a value. */
  docs: number;
}

function significantTerms(terms: SignificantTerms): Aggregation<SignificantPartial> {
  const { name, background, least, subs } = terms;
  const self: Aggregation<SignificantPartial> = {
    name,
    figures: [],
    collect: (run, parts, owners) => withDocs(codeTask(run, coded, parts, owners), owners),
    empty: () => ({ ...noBuckets(), docs: 0 }),
    merge(into, other) {
      into.docs += other.docs;
      mergeBuckets(subs, into, other);
    },
    finish: (partial, answer) => significantResult(terms, partial, answer),
  };
  const coded: CodedBuckets = {
    ...{ aggregation: self, subs, missing: null, limit: 'aggNestedBuckets' },
    values: ({ reader }) => fieldValues(reader, background.field),
    showsEvery: () => false,
    choose(parts, missing, { final, deadline }, most) {
      const selection = { size: most + 1, order: { by: 'key', desc: false } } as const;
      return chooseBuckets(parts, missing, { ...selection, least: final ? least : 1 }, deadline);
    },
  };
  return self;
}

/** The task, whose partials have the number of documents too. */
function withDocs({ collectors, partials }: AggregationTask, owners: number): AggregationTask {
  const docs = new Float64Array(owners);
  const counting = collectors.map((collector): SegmentCollector => {
    return {
      collectAll(stream) {
        docs[0] += countBits(stream.matches);
        collector?.collectAll(stream);
      },
      collect(batch, of, count) {
        for (let i = 0; i < count; i++) docs[of[i]]++;
        collector?.collect(batch, of, count);
      },
    };
  });
  return {
    collectors: counting,
    partials: () => partials().map((partial, owner) => ({ ...partial, docs: docs[owner] })),
  };
}

function significantResult(
  terms: SignificantTerms,
  { buckets, docs }: SignificantPartial,
  answer: AggregationAnswer,
) {
  const { background, least, size, steps } = terms;
  const known = [...buckets].filter(([, { count }]) => count >= least);
  const keys = known.map(([key]) => key);
  const counts = answer.background(background, keys) ?? { docs: 0, count: () => 0 };
  const scored = known
    .map((bucket) => scoredBucket(terms, bucket, docs, counts))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || rising(a.key, b.key));
  const first = scored.slice(0, size);
  const shown = withSteps(
    first.map((one) => [one, one.bucket] as const),
    steps,
  );
  return {
    doc_count: docs,
    bg_count: counts.docs,
    buckets: shown.map((own) => {
      const { key, score, bg_count } = own.key;
      const shownAs = shownKey(background.field, key, answer);
      return answer.bucket(terms, { key: shownAs, score, bg_count }, own);
    }),
    ...(first.length < scored.length ? { total_buckets: scored.length } : {}),
  };
}

function scoredBucket(
  { score }: SignificantTerms,
  [key, bucket]: readonly [BucketKey, PartialBucket],
  docs: number,
  background: BackgroundCounts,
) {
  const bg_count = background.count(key);
  const frequencies = {
    ...{ found: bucket.count, docs },
    ...{ backgroundFound: bg_count, backgroundDocs: background.docs },
  };
  return { key, bucket, bg_count, score: background.docs === 0 ? 0 : score(frequencies) };
}

function readScore(options: AggregationOptions): Score {
  const chi = options.get('chi_square');
  const jlh = options.get('jlh');
  if (jlh !== undefined) readAggregationOptions(jlh, `${options.path}.jlh`, []);
  if (chi === undefined) return jlhScore;
  if (jlh !== undefined) {
    const message = `"${options.path}" has "jlh" and "chi_square": take one of them`;
    throw new LhsError('invalid_argument', message);
  }
  const path = `${options.path}.chi_square`;
  const names = ['include_negatives', 'background_is_superset'] as const;
  const own = readAggregationOptions(chi, path, names);
  const [negatives, superset] = names.map((name, i) => {
    const value = own.get(name) ?? i === 1;
    if (typeof value === 'boolean') return value;
    throw wrong(`${path}.${name}`, value, 'true or false');
  });
  return (frequencies) => chiSquare(frequencies, negatives, superset);
}

/** The absolute times the relative change of the share. */
function jlhScore({ found, docs, backgroundFound, backgroundDocs }: Frequencies): number {
  const share = found / docs;
  // a value that a filtered background lacks counts as if one document had it
  const before = Math.max(1, backgroundFound) / backgroundDocs;
  return share <= before ? 0 : (share - before) * (share / before);
}

/** Chi square of the table of documents by value and by query. */
function chiSquare(of: Frequencies, negatives: boolean, superset: boolean): number {
  const { found, docs } = of;
  const elsewhere = of.backgroundFound - (superset ? found : 0);
  const others = of.backgroundDocs - (superset ? docs : 0);
  const neither = others - elsewhere;
  if (elsewhere < 0 || neither < 0) {
    const message = 'chi_square: documents of the query are not in the background';
    const hint = 'set "background_is_superset" to false, or widen "background_filter"';
    throw new LhsError('invalid_argument', message, { hint });
  }
  if (!negatives && found / docs < elsewhere / others) return 0;
  const without = docs - found;
  const all = docs + others;
  const product = docs * (found + elsewhere) * (neither + without) * others;
  return (all * (found * neither - without * elsewhere) ** 2) / product;
}
