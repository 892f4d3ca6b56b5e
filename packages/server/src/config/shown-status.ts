import type { IndexStatus } from '@lakehouse-search/contract';
import { withoutPlaces } from './private-places.ts';

const FAILURES = ['merge_failure', 'sync_failure', 'source_error'] as const;

/** A status whose failures name no folder and no address of this process. */
export function shownStatus(status: IndexStatus): IndexStatus {
  const shown = FAILURES.flatMap((name) => {
    const failure = status[name];
    if (failure === undefined) return [];
    return [[name, { ...failure, message: withoutPlaces(failure.message) }]];
  });
  return { ...status, ...Object.fromEntries(shown) };
}
