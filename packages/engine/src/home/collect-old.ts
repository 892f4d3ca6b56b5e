import type { IndexToBackUp } from '../backup/backup-index.ts';
import { bundleKey, commitKey, type Home, type PublishedCommit } from './chain.ts';
import type { Publication } from './publication.ts';

/** So long a replaced commit stays for those who read it. */
const RETENTION_MS = 3_600_000;

/** The publication after the next commit is there. Bundles of failed attempts are old at once. */
export function replaced(
  begun: Publication,
  newest: PublishedCommit | null,
  commit: PublishedCommit,
  now: number,
): Publication {
  const former = newest === null ? [] : [formerOf(newest, now)];
  const failed = begun.attempts.filter((attempt) => !namesOf(commit).includes(attempt));
  const attempts = { number: 0, replaced_ms: 0, objects: failed };
  const kept = [...begun.former, ...former, ...(failed.length > 0 ? [attempts] : [])];
  return { ...begun, number: commit.number, attempts: [], former: kept };
}

const namesOf = ({ bundles }: PublishedCommit) => bundles.map(({ object }) => object);

const formerOf = (commit: PublishedCommit, now: number) => ({
  number: commit.number,
  replaced_ms: now,
  objects: namesOf(commit),
});

/**
 * Deletes commits that were replaced an hour ago or, if `atOnce` is set, just now, then the bundles
 * that only they name. Returns the publication without them.
 */
export async function collectOld(
  { uuid, clock }: IndexToBackUp,
  { store }: Home,
  publication: Publication,
  current: PublishedCommit,
  atOnce: boolean,
): Promise<Publication> {
  const before = clock.now() - RETENTION_MS;
  const isOld = ({ replaced_ms }: { readonly replaced_ms: number }) =>
    atOnce || replaced_ms <= before;
  const old = publication.former.filter(isOld);
  if (old.length === 0) return publication;
  const former = publication.former.filter((one) => !isOld(one));
  const named = new Set([...namesOf(current), ...former.flatMap(({ objects }) => objects)]);
  const numbers = old.flatMap(({ number }) => (number === 0 ? [] : [number]));
  await store.delete(numbers.map((number) => commitKey(uuid, number)));
  const unnamed = new Set(old.flatMap(({ objects }) => objects).filter((one) => !named.has(one)));
  await store.delete([...unnamed].map((object) => bundleKey(uuid, object)));
  return { ...publication, former };
}
