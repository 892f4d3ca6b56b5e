import { fileURLToPath } from 'node:url';
import { LhsError } from '@lakehouse-search/contract';
import { didYouMean, firstNames } from '@lakehouse-search/contract/internal';
import { isObjectPath } from '@lakehouse-search/lake/internal';
import { hasEmptyParts } from '../../base/location-url.ts';
import { inStore } from '../../source/store-errors.ts';
import { type Head, headsIn, readHead, whereMoved } from '../chain.ts';
import { isRepository, openHome } from '../repository.ts';
import type { Home } from '../stored-json.ts';

/** A head of which the object may have been read. */
export interface NamedHead {
  readonly name: string;
  readonly etag: string;
  readonly head?: Head;
}

/** What a location names: a published index, or all indexes of a place. */
export interface PublishedLocation {
  readonly home: Home;
  /** The index; null: all of the place. */
  readonly index: NamedHead | null;
}

/**
 * Finds what `s3://bucket/prefix/NAME`, `s3://bucket/prefix`, or a folder as a URL names; what has
 * neither is a place if `asPlace` is set. Throws
 * invalid_argument, index_not_found, unsupported for a place of a later version, and as `inStore`.
 */
export async function findPublished(
  location: string,
  { asPlace = false }: { readonly asPlace?: boolean | undefined },
  signal?: AbortSignal,
): Promise<PublishedLocation> {
  const path = (location.startsWith('file:') ? fileURLToPath(location) : location).replace(
    /\/+$/,
    '',
  );
  if (hasEmptyParts(path)) throw noLocation(location);
  const slash = path.lastIndexOf('/');
  const [place, name] = [path.slice(0, slash), path.slice(slash + 1)];
  const isInPlace = place !== '' && (path.startsWith('/') || isObjectPath(place));
  const parent = isInPlace ? await openHome(place) : null;
  if (parent !== null) {
    const [head] = await inStore(() =>
      Promise.all([readHead(parent, name, signal), isRepository(parent, signal)]),
    );
    if (head !== null) return { home: parent, index: { name, etag: head.etag, head } };
  }
  if (!path.startsWith('/') && !isObjectPath(path)) throw noLocation(location);
  const home = await openHome(path);
  if (await inStore(() => isRepository(home, signal))) return { home, index: null };
  if (asPlace) {
    process.emitWarning(`"${path}" has no index yet: those to come are read`, 'LhsWarning');
    return { home, index: null };
  }
  throw parent === null ? noLocation(location) : await notThere(parent, name);
}

const noLocation = (location: string): LhsError =>
  new LhsError('invalid_argument', `"${location}" is no location of an index`, {
    hint: 'expected s3://, gs://, az:// or abfss:// with a bucket, or file://, and its name',
  });

/** The advice on an index that was moved. */
export const movedTo = (location: string) => ({ hint: `it was moved to "${location}"` });

/** The error for a name that a place has not. */
export async function notThere(home: Home, name: string): Promise<LhsError> {
  const { place } = home;
  const to = await inStore(() => whereMoved(home, name));
  if (to !== null) {
    const message = `"${place}" has no index "${name}" any more`;
    return new LhsError('index_not_found', message, { ...movedTo(to), details: { place } });
  }
  const names = (await inStore(() => headsIn(home))).map((head) => head.name);
  const others = names.length === 0 ? '' : `; it has ${firstNames(name, names, 20)}`;
  const near = didYouMean(name, names) || others;
  return new LhsError('index_not_found', `"${place}" has no index "${name}"${near}`, {
    hint: 'an index is there once its definition has "storage" and it was built or synced',
    details: { place },
  });
}
