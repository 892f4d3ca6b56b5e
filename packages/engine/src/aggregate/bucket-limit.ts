import { LhsError } from '@lakehouse-search/contract';
import { LIMITS } from '../base/limits.ts';

/** An aggregation that would make more buckets than an answer may have. */
export function tooManyBuckets(name: string): LhsError {
  const most = LIMITS.aggBuckets;
  const message = `aggregation "${name}" passes the limit of ${most} buckets (aggBuckets)`;
  return new LhsError('limit_exceeded', message, {
    hint: 'take a longer interval or a smaller size, or narrow the query',
    details: { limit: 'aggBuckets', buckets: LIMITS.aggBuckets },
  });
}

/** An aggregation with more buckets, in all buckets around it, than are held at once. */
export function tooManyValues(name: string): LhsError {
  const most = LIMITS.aggNestedBuckets;
  const message = `aggregation "${name}" makes more than ${most} buckets (aggNestedBuckets)`;
  return new LhsError('limit_exceeded', message, {
    hint: 'narrow the query, or ask for it without the aggregations around it',
    details: { limit: 'aggNestedBuckets', buckets: most },
  });
}
