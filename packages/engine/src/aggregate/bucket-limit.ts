import { LhsError } from '@lakehouse-search/contract';
import { LIMITS } from '../base/limits.ts';

/** The limit on the buckets of a response, or of one aggregation in all buckets around it. */
export type LimitOfBuckets = 'aggBuckets' | 'aggNestedBuckets';

/** The error of an aggregation that makes more buckets than a limit. */
export function tooMany(name: string, limit: LimitOfBuckets): LhsError {
  const most = LIMITS[limit];
  const isWhole = limit === 'aggBuckets';
  const message = isWhole
    ? `aggregation "${name}" passes the limit of ${most} buckets (aggBuckets)`
    : `aggregation "${name}" makes more than ${most} buckets (aggNestedBuckets)`;
  const hint = isWhole
    ? 'take a longer interval or a smaller size, or narrow the query'
    : 'narrow the query, or ask for it without the aggregations around it';
  return new LhsError('limit_exceeded', message, { hint, details: { limit, buckets: most } });
}
