/** Opens published indexes by location: each commit gets its own data folder in the cache. */
import { hash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { type CallContext, LhsError } from '@lakehouse-search/contract';
import { didYouMean } from '@lakehouse-search/contract/internal';
import { isObjectPath } from '@lakehouse-search/lake/internal';
import type { OpenDirectory } from '../open/open-index.ts';
import { Registry } from '../registry/registry.ts';
import { definitionAt } from '../schema/parse/resolve-definition.ts';
import { damagedHome, inStore } from '../source/store-errors.ts';
import { cacheLimit, trimCache } from '../storage/cache-folder.ts';
import { openLocalDirectory } from '../storage/local-directory.ts';
import {
  commitKey,
  type Head,
  type Home,
  indexesIn,
  newestCommit,
  type PublishedCommit,
  readHead,
} from './chain.ts';
import { fillGeneration } from './fill-generation.ts';
import { type OpenedCommit, openCommit } from './opened-commit.ts';
import { openHome } from './repository.ts';
import { type IndexOrigin, makeIndex } from './restore-index.ts';
import { requireTrusted } from './trusted-location.ts';

/** How a published index is opened. */
interface PublishedOptions {
  readonly openDirectory?: OpenDirectory;
}

/** The place and the name of `s3://bucket/prefix/NAME`, or of a folder as a URL. */
function placeAndName(location: string) {
  const isFolder = location.startsWith('file:');
  const path = (isFolder ? fileURLToPath(location) : location).replace(/\/+$/, '');
  const slash = path.lastIndexOf('/');
  const [place, name] = [path.slice(0, slash), path.slice(slash + 1)];
  const isPlace = isFolder || (isObjectPath(place) && !/\/\.{0,2}\//.test(path.replace('://', '')));
  if (isPlace && name !== '') return { place, name };
  throw new LhsError('invalid_argument', `"${location}" is no location of an index`, {
    hint: 'expected s3://, gs://, az:// or abfss:// with a bucket, or file://, and its name',
  });
}

/**
 * A data folder with the newest commit of a published index; made if it is missing. Throws
 * invalid_argument, index_not_found, permission_denied, corrupt_index, unsupported, disk_full, and
 * as `inStore`.
 */
export async function openPublished(
  location: string,
  { openDirectory = openLocalDirectory }: PublishedOptions,
  call: CallContext = {},
): Promise<OpenedCommit> {
  // a wrong setting is refused before anything is fetched
  cacheLimit();
  const { place, name } = placeAndName(location);
  const home = await openHome(place);
  for (let last: Head | null = null; ; ) {
    const head = await inStore(() => readHead(home, name, call.signal));
    if (head === null) throw await notThere(home, name);
    try {
      return await openAt(home, head, { location, name, openDirectory }, call);
    } catch (error) {
      if (!(error instanceof LhsError) || error.code !== 'index_busy') throw error;
      if (last?.uuid === head.uuid && last.number === head.number) {
        const path = `${place}/${commitKey(head.uuid, head.number)}`;
        throw damagedHome(path, 'cannot be read: it is gone, or an object that it names', error);
      }
      last = head;
    }
  }
}

/** How an opened commit is named here. */
interface OpenedAs {
  readonly location: string;
  readonly name: string;
  readonly openDirectory: OpenDirectory;
}

/** Throws index_busy if objects are gone: they were replaced, or lost. */
async function openAt(
  home: Home,
  head: Head,
  { location, name, openDirectory }: OpenedAs,
  call: CallContext,
): Promise<OpenedCommit> {
  const commit = await inStore(() => newestCommit(home, head, call.signal));
  if (commit === null) throw await notThere(home, name);
  const definition = definitionAt(commit.definition, commit.base_dir);
  requireTrusted(definition, location);
  const spelling = hash('sha256', location).slice(0, 16);
  const opened = await openCommit(`${commit.uuid}.${commit.attempt}.${spelling}`, async (draft) => {
    const registry = new Registry(draft);
    try {
      const options = { ...call, dataDir: draft, registry, openDirectory, name };
      const origin = originOf(commit, location);
      const fill = (target: string) =>
        fillGeneration(home, commit, { folder: target, openDirectory }, call);
      await makeIndex(origin, { ...options, baseDir: undefined, names: 'all' }, fill);
    } finally {
      registry.close();
    }
  });
  await trimCache(cacheLimit());
  return opened;
}

/** The location is another name of the index. */
const originOf = (commit: PublishedCommit, location: string): IndexOrigin => ({
  ...{ definition: commit.definition, definition_version: commit.definition_version },
  ...{ base_dir: commit.base_dir, index_generation: commit.generation },
  ...{ aliases: [location], saved_queries: [] },
});

async function notThere(home: Home, name: string): Promise<LhsError> {
  const { place } = home;
  const names = await inStore(() => indexesIn(home));
  const others = names.length === 0 ? '' : `; it has ${names.slice(0, 20).join(', ')}`;
  const near = didYouMean(name, names) || others;
  return new LhsError('index_not_found', `"${place}" has no index "${name}"${near}`, {
    hint: 'an index is there once its definition has "storage" and it was built or synced',
    details: { place },
  });
}
