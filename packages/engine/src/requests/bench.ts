/** Requests for a measurement. */
import type { BenchRequest } from '../backend.ts';
import { LIMITS } from '../base/limits.ts';
import { type Fields, list, oneOf, requestOf, text, whole } from './checks.ts';
import { INDEX_FIELDS } from './wire.ts';

const BENCH_FIELDS: Fields<BenchRequest> = {
  ...INDEX_FIELDS,
  queries: list(text, 100_000),
  operator: oneOf('or', 'and', 'phrase', 'query'),
  limit: whole(0, LIMITS.pageHits),
  warm: whole(0, 1000),
  repeat: whole(1, 1000),
};

/** Checks a benchmark's request. Throws invalid_argument or limit_exceeded that name the field. */
export const checkBenchRequest = requestOf<BenchRequest>(BENCH_FIELDS, 'queries');
