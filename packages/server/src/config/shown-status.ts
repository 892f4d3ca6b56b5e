import { basename, isAbsolute } from 'node:path';
import type { IndexStatus, PublishedState } from '@lakehouse-search/contract';
import { isUrl, rootOf } from './definition-gate.ts';
import { withoutPlaces } from './private-places.ts';
import { NO_CONFIG, type SourceNames } from './server-config.ts';

const FAILURES = ['merge_failure', 'sync_failure', 'source_error'] as const;

/** A status whose failures name no folder and no address of this process. */
export function shownStatus(
  status: IndexStatus,
  names: SourceNames = NO_CONFIG.names,
): IndexStatus {
  const shown = FAILURES.flatMap((name) => {
    const failure = status[name];
    if (failure === undefined) return [];
    return [[name, { ...failure, message: withoutPlaces(failure.message) }]];
  });
  return { ...status, ...shownPublished(status, names), ...Object.fromEntries(shown) };
}

/** The state of an index with the place that callers see. */
export function shownPublished(
  { published }: { readonly published?: PublishedState },
  names: SourceNames,
): { readonly published?: PublishedState } {
  if (published === undefined) return {};
  return { published: { ...published, place: shownPlace(published.place, names) } };
}

/**
 * The place of an index by the configured root that it is in, else by its last name alone. One that
 * a control plane has shown stays as it is.
 */
export function shownPlace(place: string, names: SourceNames): string {
  const found = rootOf(place, names);
  if (found === null) return isAbsolute(place) || isUrl(place) ? basename(place) : place;
  return found.path === '' ? found.root : `${found.root}/${found.path}`;
}
