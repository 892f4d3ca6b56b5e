/**
 * Figures of fields and terms over the documents of one tenant: what the tenant's scores and
 * suggestions count. Deleted documents do not count, so merges of other tenants' rows change
 * nothing. Each figure is a popcount of bitmaps; figures of fields are cached per open segment.
 */
import { Deadline } from '../../base/time/deadline.ts';
import { forEachBit } from '../../bitmap/bitmap.ts';
import type { Bitmaps } from '../../bitmap/bitmaps.ts';
import type { InvertedReader } from '../../inverted/inverted-reader.ts';
import { existsModule } from '../../query/clauses/exists.ts';
import type { FieldFigures, TermsOfField } from '../../query/weight/statistics.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import type { SegmentReader } from '../../segment/segment-reader.ts';
import type { TenantFilter } from '../request/tenant-filter.ts';
import type { FilterCache } from './filter-cache.ts';
import { Narrowing } from './narrowing.ts';
import { scratchOf } from './scratch.ts';

/** Figures of fields that are cached per segment, at most. */
const CACHED_FIELDS = 4096;

/** Whose documents count, and the plans of the fields. */
export interface TenantScope {
  readonly tenantFilter: TenantFilter;
  readonly filters: FilterCache | null;
  readonly planOf: (field: number) => FieldPlan | undefined;
}

interface FieldCounts {
  readonly docs: number;
  readonly tokens: number;
}

/** By segment, then by tenant and field. */
const caches = new WeakMap<SegmentReader, Map<string, FieldCounts>>();

/** The figures of fields and terms over a tenant's documents, in the order of `fields`. */
export function tenantFigures(
  segments: readonly SegmentReader[],
  fields: readonly TermsOfField[],
  scope: TenantScope,
): readonly FieldFigures[] {
  const sums = fields.map(({ field, terms }) => {
    return { field, terms, docs: 0, tokens: 0, frequencies: terms.map(() => 0) };
  });
  const deadline = new Deadline();
  for (const segment of segments) {
    withTenantDocs(segment, scope, deadline, (own, bitmaps) => {
      for (const sum of sums) {
        const inverted = segment.inverted(sum.field);
        if (inverted === null) continue;
        deadline.check();
        const { docs, tokens } = fieldCounts(segment, inverted, sum.field, own, scope, deadline);
        sum.docs += docs;
        sum.tokens += tokens;
        sum.terms.forEach((term, i) => {
          sum.frequencies[i] += frequencyAmong(inverted, term, own, bitmaps);
        });
      }
    });
  }
  return sums;
}

/** Calls `use` with the live documents of a tenant; the bitmap is only valid during the call. */
export function withTenantDocs<Result>(
  segment: SegmentReader,
  { tenantFilter, filters }: Pick<TenantScope, 'tenantFilter' | 'filters'>,
  deadline: Deadline,
  use: (own: Int32Array, bitmaps: Bitmaps) => Result,
): Result {
  const scratch = scratchOf(segment, deadline);
  const { bitmaps } = scratch;
  const taken: Int32Array[] = [];
  const [matches] = new Narrowing([tenantFilter], filters, deadline).bitmaps(
    segment,
    scratch,
    taken,
  );
  const own = bitmaps.takeDirty();
  own.set(matches);
  if (segment.deleted !== null) bitmaps.andNot(own, segment.deleted);
  for (const one of taken) bitmaps.give(one);
  const result = use(own, bitmaps);
  bitmaps.give(own);
  return result;
}

function frequencyAmong(
  inverted: InvertedReader,
  term: Uint8Array,
  own: Int32Array,
  bitmaps: Bitmaps,
): number {
  const info = inverted.lookup(term);
  if (info === null) return 0;
  const bits = bitmaps.take();
  inverted.fill(info, bits);
  bitmaps.and(bits, own);
  const count = bitmaps.count(bits);
  bitmaps.give(bits);
  return count;
}

function fieldCounts(
  segment: SegmentReader,
  inverted: InvertedReader,
  field: number,
  own: Int32Array,
  { tenantFilter, planOf }: TenantScope,
  deadline: Deadline,
): FieldCounts {
  let cache = caches.get(segment);
  if (cache === undefined) caches.set(segment, (cache = new Map()));
  const name = `${field}/${Buffer.from(tenantFilter.term).toString('latin1')}`;
  const known = cache.get(name);
  if (known !== undefined) return known;
  const plan = planOf(field);
  const counts = inverted.text
    ? countTokens(inverted, own)
    : { docs: plan === undefined ? 0 : countValues(segment, plan, own, deadline), tokens: 0 };
  if (cache.size >= CACHED_FIELDS) cache.clear();
  cache.set(name, counts);
  return counts;
}

function countTokens(inverted: InvertedReader, own: Int32Array): FieldCounts {
  let docs = 0;
  let tokens = 0;
  forEachBit(own, (doc) => {
    const length = inverted.lengthOf(doc);
    if (length > 0) docs++;
    tokens += length;
  });
  return { docs, tokens };
}

function countValues(
  segment: SegmentReader,
  field: FieldPlan,
  own: Int32Array,
  deadline: Deadline,
): number {
  const { bitmaps } = scratchOf(segment, deadline);
  const bits = bitmaps.take();
  const scope = { reader: segment, statistics: null, deadline };
  existsModule.leaf({ kind: 'exists', boost: 1, field }, scope).fill(bits);
  bitmaps.and(bits, own);
  const count = bitmaps.count(bits);
  bitmaps.give(bits);
  return count;
}
