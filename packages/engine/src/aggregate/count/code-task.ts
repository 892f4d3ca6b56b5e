/** Buckets that are codes of a field: documents are counted by code, then buckets are chosen. */
import { LIMITS } from '../../base/limits.ts';
import type { Aggregation } from '../aggregation.ts';
import type { BucketKey } from '../bucket-key.ts';
import { type LimitOfBuckets, tooMany } from '../bucket-limit.ts';
import { OwnerTask } from '../owner-task.ts';
import type { AggPartial, BucketsPartial, PartialBucket } from '../partial.ts';
import type { SegmentPart, SegmentScope } from '../segment-collector.ts';
import type { AggregationRun, AggregationTask } from '../task.ts';
import type { Choice, MissingCount, PartCounts } from './choose-buckets.ts';
import { CodeCounting } from './code-counting.ts';
import type { Coder, FieldValues } from './coder.ts';
import { everyCodeTask, isSingle } from './every-code-task.ts';

/** An aggregation whose buckets are codes. */
export interface CodedBuckets {
  readonly aggregation: Aggregation<BucketsPartial>;
  readonly subs: readonly Aggregation[];
  /** The key under which documents without a value count; null: they do not. */
  readonly missing: BucketKey | null;
  /** The limit on its buckets if it is not nested. */
  readonly limit: LimitOfBuckets;
  /** The values of a segment; null: no document has one. */
  values(scope: SegmentScope): FieldValues | null;
  /** True if the response shows the buckets of all codes of the only segment. */
  showsEvery(coder: Coder): boolean;
  /** The buckets of one owner, `most` + 1 at most. */
  choose(
    parts: readonly PartCounts[],
    missing: MissingCount | null,
    run: AggregationRun,
    most: number,
  ): Choice;
}

/** A task over the codes of a field, for all owners at once or one by one. */
export function codeTask(
  run: AggregationRun,
  coded: CodedBuckets,
  parts: readonly SegmentPart[],
  owners: number,
): AggregationTask {
  const { aggregation, subs } = coded;
  const values = parts.map(({ scope }) => coded.values(scope));
  const isTop = parts.every(({ stream }) => stream.matches !== null);
  const limit = isTop ? coded.limit : 'aggNestedBuckets';
  const counted = { name: aggregation.name, missing: coded.missing !== null, limit };
  const coder = run.final && owners === 1 && parts.length === 1 ? values[0]?.coder : null;
  if (subs.length > 0 && coder && isSingle(coder) && coded.showsEvery(coder)) {
    return everyCodeTask(run, subs, parts[0], coder);
  }
  const counting = CodeCounting.of(parts, values, owners, counted);
  if (counting === null) return new OwnerTask(run, aggregation, parts, owners);
  const partials = () => bucketPartials(run, coded, parts, owners, counting, limit);
  return { collectors: counting.collectors, partials };
}

function bucketPartials(
  run: AggregationRun,
  { aggregation: { name }, missing, subs, choose }: CodedBuckets,
  parts: readonly SegmentPart[],
  owners: number,
  counting: CodeCounting,
  limit: LimitOfBuckets,
): readonly BucketsPartial[] {
  const most = LIMITS[limit];
  let buckets = 0;
  const choices = Array.from({ length: owners }, (_, owner) => {
    const without = missing === null ? null : counting.missing(owner, missing);
    const choice = choose(counting.counted(owner), without, run, most);
    buckets += choice.chosen.length;
    if (buckets > most) throw tooMany(name, limit);
    return choice;
  });
  const nested = subs.length === 0 || buckets === 0 ? [] : nestedParts(parts, counting, choices);
  return partialsOf(choices, nested.length === 0 ? [] : run.evaluate(subs, nested, buckets));
}

/** The documents of chosen buckets, which have their numbers in the order of the choices. */
function nestedParts(
  parts: readonly SegmentPart[],
  { collectors }: CodeCounting,
  choices: readonly Choice[],
): readonly SegmentPart[] {
  for (const counter of collectors) counter.beginChoice();
  let id = 0;
  let documents = 0;
  choices.forEach(({ chosen }, owner) => {
    for (const { codes, count } of chosen) {
      for (const { part, code } of codes) collectors[part].choose(owner, code, id);
      documents += count;
      id++;
    }
  });
  return parts.map(({ scope, stream }, i): SegmentPart => {
    return { scope, stream: collectors[i].chosen(stream), count: documents };
  });
}

/** Partials of buckets by owner; `nested` by aggregation and number of the bucket. */
function partialsOf(
  choices: readonly Choice[],
  nested: readonly (readonly AggPartial[])[],
): readonly BucketsPartial[] {
  let id = 0;
  return choices.map(({ chosen, left }): BucketsPartial => {
    const buckets = new Map<BucketKey, PartialBucket>();
    for (const { key, count } of chosen) {
      const own = id++;
      buckets.set(key, { count, subs: nested.map((partials) => partials[own]) });
    }
    return { buckets, left };
  });
}
