/** Buckets of a histogram as the imitated engine shows them: empty ones, bounds, order, names. */
import type { AggBucket, Json, JsonObject } from '@lakehouse-search/contract';
import { flagIn, listIn, numberIn, objectIn, onlyKnown, textIn } from '../base/read-json.ts';
import { type DateReading, readInstant } from '../query/date-instant.ts';
import { illegal, unserved } from '../query/refusal.ts';
import { type AggLevel, bucketOf, doubleText, keyedBuckets } from './agg-part.ts';

/** Most buckets of one histogram, as of the imitated engine's requests. */
const MOST_BUCKETS = 65_536;
/** Buckets are at most so much longer than the longest of three: months have 28 to 31 days. */
const LONGEST_STEP = 1.2;

/** A bucket by its start: milliseconds, or a number. */
export type Counted = Pick<AggBucket, 'doc_count' | 'aggs'> & { readonly start: number };

/** Where buckets are shown; undefined: no bound on that side. */
export interface Bounds {
  readonly min: number | undefined;
  readonly max: number | undefined;
  /** A bucket that begins at `max` is outside. */
  readonly isOpen: boolean;
}

/** Reads `{min, max}` of numbers, or of dates if `dates` is given. Throws RefusedDsl. */
export function readBounds(
  json: Json | undefined,
  what: string,
  dates?: DateReading,
  isOpen = false,
): Bounds | undefined {
  if (json === undefined) return undefined;
  const { min, max } = onlyKnown(objectIn(json, what), what, ['min', 'max']);
  const bound = (value: Json | undefined) =>
    value === undefined || value === null ? undefined : boundOf(value, what, dates);
  return { min: bound(min), max: bound(max), isOpen };
}

function boundOf(json: Json, what: string, dates: DateReading | undefined): number {
  if (dates === undefined || typeof json === 'number') return numberIn(json, what);
  const { first } = readInstant(textIn(json, what), dates, what);
  return Number(first) / 1000;
}

/** What the buckets of a histogram depend on. */
interface Shown {
  readonly body: JsonObject;
  readonly least: number;
  readonly extended: Bounds | undefined;
  readonly hard: Bounds | undefined;
  readonly line: {
    start(value: number): number;
    next(start: number): number;
    head(start: number): JsonObject;
  };
}

/** The result of a histogram of its buckets with documents, which are in order. */
export function histogramOf(
  counted: readonly Counted[],
  { body, least, extended, hard, line }: Shown,
  subs: AggLevel,
): JsonObject {
  const inside = counted.filter(({ start }) => isWithin(start, hard));
  const shown = least > 0 ? inside.filter((one) => one.doc_count >= least) : filled();
  const buckets = shown.map((bucket) => bucketOf(line.head(bucket.start), bucket, subs));
  const ordered = inOrder(buckets, body.order);
  const isKeyed = flagIn(body.keyed ?? false, 'keyed');
  return {
    buckets: keyedBuckets(ordered, isKeyed, ({ key_as_string, key }) =>
      String(key_as_string ?? doubleText(Number(key))),
    ),
  };

  /** With the empty buckets between them, and as far as the extended bounds reach. */
  function filled(): readonly Counted[] {
    const reach = inside.map(({ start }) => start);
    for (const bound of [extended?.min, extended?.max]) {
      if (bound !== undefined && isWithin(bound, hard)) reach.push(line.start(bound));
    }
    if (reach.length === 0) return inside;
    const byStart = new Map(inside.map((bucket) => [bucket.start, bucket]));
    const first = reach.reduce((a, b) => Math.min(a, b));
    const last = reach.reduce((a, b) => Math.max(a, b));
    const starts = startsOf(first, last, line);
    return starts.map((start) => byStart.get(start) ?? { start, doc_count: 0 });
  }
}

function isWithin(start: number, bounds: Bounds | undefined): boolean {
  if (bounds === undefined) return true;
  const { min = -Infinity, max = Infinity, isOpen } = bounds;
  return start >= min && (isOpen ? start < max : start <= max);
}

/** The starts of all buckets from one to another. Throws RefusedDsl for too many. */
export function startsOf(
  first: number,
  last: number,
  { next }: { next(start: number): number },
): readonly number[] {
  // A step of a calendar takes long: bounds that are far apart are refused after three of them.
  const [a, b, c] = [next(first), next(next(first)), next(next(next(first)))];
  const step = Math.max(a - first, b - a, c - b);
  if ((last - first) / step > MOST_BUCKETS * LONGEST_STEP) throw tooManyBuckets();
  const starts: number[] = [];
  for (let start = first; start <= last; start = next(start)) {
    starts.push(start);
    if (starts.length > MOST_BUCKETS) throw tooManyBuckets();
  }
  return starts;
}

const tooManyBuckets = () =>
  illegal(`Trying to create too many buckets. Must be less than or equal to: [${MOST_BUCKETS}].`);

function inOrder(buckets: JsonObject[], order: Json | undefined): readonly JsonObject[] {
  if (order === undefined) return buckets;
  const keys = listIn(order).flatMap((one) => Object.entries(objectIn(one, 'order')));
  const [[path, direction] = ['_key', 'asc'], ...more] = keys;
  const by = path === '_count' ? 'doc_count' : path === '_key' ? 'key' : undefined;
  const others = more.filter(([name]) => name !== '_key');
  if (by === undefined || others.length > 0) {
    throw unserved('a histogram that is ordered by anything but [_key] or [_count] is not served');
  }
  const sign = direction === 'desc' ? -1 : 1;
  return buckets.sort((a, b) => sign * (Number(a[by]) - Number(b[by])));
}
