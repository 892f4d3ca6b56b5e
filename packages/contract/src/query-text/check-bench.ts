/** Requests for a measurement. */
import { INDEX_FIELDS } from '../checks/shared.ts';
import { type Fields, list, oneOf, requestOf, text, whole } from '../checks/values.ts';
import { REQUEST_LIMITS } from '../limits.ts';
import type { BenchRequest } from './request.ts';

const BENCH_FIELDS: Fields<BenchRequest> = {
  ...INDEX_FIELDS,
  queries: list(text, 100_000),
  operator: oneOf('or', 'and', 'phrase', 'query'),
  limit: whole(0, REQUEST_LIMITS.pageHits),
  warm: whole(0, 1000),
  repeat: whole(1, 1000),
};

/** Checks a benchmark's request. Throws invalid_argument or limit_exceeded that name the field. */
export const checkBenchRequest = requestOf<BenchRequest>(BENCH_FIELDS, 'queries');
