/**
 * Terms, date histograms and distinct counts: documents by code, then the buckets of the answer.
 */
import { LIMITS } from '../base/limits.ts';
import type { Aggregation, BucketKey } from './aggregation.ts';
import { tooManyBuckets, tooManyValues } from './bucket-limit.ts';
import {
  type Choice,
  type ChosenBucket,
  chooseBuckets,
  countKeys,
  type MissingCount,
  type PartCounts,
} from './choose-buckets.ts';
import type { CodeCounter } from './code-counter.ts';
import { type FieldValues, fieldValues } from './coder.ts';
import { DenseCounter } from './dense-counter.ts';
import { addDistinct, noDistinct } from './distinct.ts';
import { everyCode, everyCodeTask } from './every-code-task.ts';
import { histogramCoder } from './histogram-coder.ts';
import { OwnerTask } from './owner-task.ts';
import type { AggPartial, PartialBucket } from './partial.ts';
import type { SegmentPart } from './segment-collector.ts';
import { NumberedCounter, SortedCounter } from './sparse-counters.ts';
import type { AggregationRun, AggregationTask } from './task.ts';

type Coded = Extract<Aggregation, { readonly kind: 'terms' | 'histogram' | 'cardinality' }>;

/** Pairs of owner and code that are counted in one array: 16 MiB. */
const DENSE_PAIRS = 1 << 22;
/** Codes of one owner that are counted in an array: 64 MiB. */
const DENSE_CODES = 1 << 24;
/** With so many times as many codes as documents sorting is faster than an array. */
const SPARSE = 16;
const FEW_CODES = 1024;

/** A task over the codes of a field, for all owners at once or one by one. */
export function codeTask(
  run: AggregationRun,
  aggregation: Coded,
  parts: readonly SegmentPart[],
  owners: number,
): AggregationTask {
  const values = parts.map((part) => valuesOf(part, aggregation));
  if (owners > 1 && values.some((own) => !fits(own, owners))) {
    return new OwnerTask(run, aggregation, parts, owners);
  }
  const alone = run.final && owners === 1 && parts.length === 1;
  const every = alone ? everyCode(aggregation, values[0]?.coder ?? null) : null;
  if (every !== null && aggregation.kind !== 'cardinality') {
    return everyCodeTask(run, aggregation, parts[0], every);
  }
  return new CodeTask(run, aggregation, parts, values, owners);
}

function fits(values: FieldValues | null, owners: number): boolean {
  if (values === null) return true;
  const { coder } = values;
  return coder !== null && (!coder.ordered || owners * coder.size <= DENSE_PAIRS);
}

function valuesOf({ scope }: SegmentPart, aggregation: Coded): FieldValues | null {
  if (aggregation.kind !== 'histogram') return fieldValues(scope.reader, aggregation.field);
  let coder = scope.coders.get(aggregation);
  if (coder === undefined) {
    coder = histogramCoder(scope.reader, aggregation);
    scope.coders.set(aggregation, coder);
  }
  if (coder === null) return null;
  return { coder, ordinals: null, readWide: null, key: coder.key as FieldValues['key'] };
}

class CodeTask implements AggregationTask {
  readonly collectors: readonly CodeCounter[];
  readonly #run: AggregationRun;
  readonly #aggregation: Coded;
  readonly #parts: readonly SegmentPart[];
  readonly #values: readonly (FieldValues | null)[];
  readonly #owners: number;

  constructor(
    run: AggregationRun,
    aggregation: Coded,
    parts: readonly SegmentPart[],
    values: readonly (FieldValues | null)[],
    owners: number,
  ) {
    this.#run = run;
    this.#aggregation = aggregation;
    this.#parts = parts;
    this.#values = values;
    this.#owners = owners;
    this.collectors = parts.map((part, i) => this.#counter(part, values[i]));
  }

  #counter({ count }: SegmentPart, values: FieldValues | null): CodeCounter {
    const owners = this.#owners;
    const aggregation = this.#aggregation;
    const missing = aggregation.kind === 'terms' && aggregation.missing !== null;
    if (values === null) return new DenseCounter(null, owners, missing);
    const { coder } = values;
    if (coder !== null && !coder.ordered) {
      return new NumberedCounter(coder, this.#mostBuckets, () => this.#tooMany());
    }
    const sparse = coder !== null && coder.size > Math.max(FEW_CODES, SPARSE * count);
    if (coder === null || (owners === 1 && (sparse || coder.size > DENSE_CODES))) {
      return new SortedCounter(values, missing, count);
    }
    return new DenseCounter(coder, owners, missing);
  }

  partials(): readonly AggPartial[] {
    const aggregation = this.#aggregation;
    const owners = Array.from({ length: this.#owners }, (_, owner) => owner);
    if (aggregation.kind === 'cardinality') return owners.map((owner) => this.#distinct(owner));
    let buckets = 0;
    const choices = owners.map((owner) => {
      const choice = this.#choice(owner);
      buckets += choice.chosen.length;
      if (buckets > this.#mostBuckets) throw this.#tooMany();
      return choice;
    });
    return bucketPartials(choices, this.#nested(choices, buckets));
  }

  #choice(owner: number): Choice {
    const aggregation = this.#aggregation;
    const { deadline, final } = this.#run;
    const parts = this.#counted(owner);
    if (aggregation.kind !== 'terms') return { chosen: allBuckets(parts), left: 0 };
    const byKey = { size: this.#mostBuckets + 1, order: { by: 'key', desc: false } } as const;
    const missing = this.#missing(owner, aggregation.missing);
    const { size, order } = aggregation;
    const shown = final && order.by !== 'figure' && aggregation.having.length === 0;
    return chooseBuckets(parts, missing, shown ? { size, order } : byKey, deadline);
  }

  #counted(owner: number): readonly PartCounts[] {
    return this.collectors.flatMap((counter, part): PartCounts[] => {
      const values = this.#values[part];
      return values === null ? [] : [{ part, values, counts: counter.counts(owner) }];
    });
  }

  #missing(owner: number, key: BucketKey | null): MissingCount | null {
    if (key === null) return null;
    const parts: number[] = [];
    let count = 0;
    this.collectors.forEach((counter, part) => {
      const own = counter.missing(owner);
      count += own;
      if (own > 0) parts.push(part);
    });
    return count === 0 ? null : { key, count, parts };
  }

  #distinct(owner: number): AggPartial {
    const parts = this.#counted(owner);
    if (this.#run.final) return { kind: 'counted', value: countKeys(parts, this.#run.deadline) };
    const distinct = noDistinct();
    for (const { values, counts } of parts) {
      counts.counts.forEach((count, at) => {
        if (count === 0) return;
        this.#run.deadline.spend(1);
        addDistinct(distinct, values.key(counts.codes === null ? at : counts.codes[at]));
      });
    }
    return { kind: 'distinct', distinct };
  }

  /** The partials of nested aggregations, by aggregation and number of the bucket. */
  #nested(choices: readonly Choice[], buckets: number): readonly (readonly AggPartial[])[] {
    const aggregation = this.#aggregation;
    const subs = 'subs' in aggregation ? aggregation.subs : [];
    if (subs.length === 0 || buckets === 0) return [];
    for (const counter of this.collectors) counter.beginChoice();
    let id = 0;
    let documents = 0;
    choices.forEach(({ chosen }, owner) => {
      for (const { codes, count } of chosen) {
        for (const { part, code } of codes) this.collectors[part].choose(owner, code, id);
        documents += count;
        id++;
      }
    });
    const parts = this.#parts.map(({ scope, stream }, i): SegmentPart => {
      return { scope, stream: this.collectors[i].chosen(stream), count: documents };
    });
    return this.#run.evaluate(subs, parts, buckets);
  }

  get #mostBuckets(): number {
    const top = this.#parts.every(({ stream }) => stream.matches !== null);
    return top && this.#aggregation.kind === 'histogram'
      ? LIMITS.aggBuckets
      : LIMITS.aggNestedBuckets;
  }

  #tooMany(): Error {
    const { name } = this.#aggregation;
    return this.#mostBuckets === LIMITS.aggBuckets ? tooManyBuckets(name) : tooManyValues(name);
  }
}

/** All buckets of some segments. */
function allBuckets(parts: readonly PartCounts[]): readonly ChosenBucket[] {
  const buckets = new Map<BucketKey, { count: number; codes: { part: number; code: number }[] }>();
  for (const { part, values, counts } of parts) {
    const codes = counts.codes as Uint32Array | null;
    counts.counts.forEach((count, at) => {
      if (count === 0) return;
      const code = codes === null ? at : codes[at];
      const key = values.key(code);
      const known = buckets.get(key);
      if (known === undefined) buckets.set(key, { count, codes: [{ part, code }] });
      else {
        known.count += count;
        known.codes.push({ part, code });
      }
    });
  }
  return [...buckets].map(([key, bucket]) => ({ key, ...bucket }));
}

/** Partials of buckets by owner; buckets have their numbers in the order of the choices. */
function bucketPartials(
  choices: readonly Choice[],
  nested: readonly (readonly AggPartial[])[],
): readonly AggPartial[] {
  let id = 0;
  return choices.map(({ chosen, left }): AggPartial => {
    const buckets = new Map<BucketKey, PartialBucket>();
    for (const { key, count } of chosen) {
      const own = id++;
      buckets.set(key, { count, subs: nested.map((partials) => partials[own]) });
    }
    return { kind: 'buckets', buckets, left, error: 0 };
  });
}
