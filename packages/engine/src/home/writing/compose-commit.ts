import { randomUUID } from 'node:crypto';
import { ANALYZER_CATALOG } from '../../analysis/registry.ts';
import { inTurns } from '../../base/turns.ts';
import type { Commit } from '../../index/commits/commit.ts';
import { parsingDefinition } from '../../schema/parse/parse-definition.ts';
import type { IndexToBackUp, RegisteredParts } from '../backup-index.ts';
import type { BundleRef } from '../bundle.ts';
import { type BranchOrigin, bundleKey, type PublishedCommit } from '../chain.ts';
import type { CommitToCopy } from '../pinned-commit.ts';
import { formerOf } from '../sweep.ts';

/** The bundles of files that the newest commit has and that are not lost, by name of a file. */
export function knownFiles(
  newest: PublishedCommit | null,
  { generation }: Pick<CommitToCopy, 'generation'>,
  lost: ReadonlySet<string>,
): ReadonlyMap<string, BundleRef> {
  if (newest?.generation !== generation) return new Map();
  const entries = Object.entries(newest.files).map(
    ([name, at]) => [name, newest.bundles[at]] as const,
  );
  return new Map(entries.filter(([, ref]) => !lost.has(bundleKey(newest.uuid, ref))));
}

/** Numbers of the fields of a commit whose values hits have. */
export async function cachedFields(
  definition: string,
  { fields }: Commit,
): Promise<ReadonlySet<number>> {
  const { draft } = await inTurns(parsingDefinition(definition, ANALYZER_CATALOG));
  const cached = draft?.fields.filter((field) => field.cached === true) ?? [];
  const names = new Set(cached.map(({ name }) => name));
  return new Set(fields.flatMap(({ name, id }) => (names.has(name) ? [id] : [])));
}

/** Whose commit it is, and its place in the chain. */
type Origin = Pick<PublishedCommit, 'number' | 'attempt' | 'index' | 'uuid'> &
  Pick<RegisteredParts, 'definition' | 'definitionVersion' | 'baseDir'>;

/** What comes before a commit. */
interface Former {
  readonly newest: PublishedCommit | null;
  /** Whether others need a bundle by its key: cold windows of other commits of this folder. */
  readonly isHeld: (key: string) => boolean;
  readonly now: number;
  /** Nobody needs the former commits. */
  readonly afresh: boolean;
}

/** A commit as the store gets it; `files`: the bundle of each. */
export function commitOf(
  { commit, generation }: Pick<CommitToCopy, 'commit' | 'generation'>,
  { definitionVersion, baseDir, definition, number, attempt, index, uuid }: Origin,
  files: ReadonlyMap<string, BundleRef>,
  { newest, isHeld, now, afresh }: Former,
): PublishedCommit {
  const held = newest?.bundles.filter((bundle) => isHeld(bundleKey(uuid, bundle))) ?? [];
  const needed = [...held, ...files.values()];
  const bundles = [...new Map(needed.map((bundle) => [bundle.object, bundle])).values()];
  const numbers = new Map(bundles.map(({ object }, at) => [object, at]));
  return {
    ...{ format: 1, number, attempt, index, uuid, definition },
    ...{ definition_version: definitionVersion, base_dir: baseDir },
    ...{ generation, commit: commit.number, bundles },
    files: Object.fromEntries([...files].map(([name, { object }]) => [name, numbers.get(object)!])),
    former: newest === null || afresh ? [] : formerOf(newest, { bundles }, now),
    ...(newest?.branch_of === undefined ? {} : { branch_of: newest.branch_of }),
  };
}

/** The first commit of a branch of an index: it has the files of a commit of that. */
export function firstOfBranch(
  newest: PublishedCommit,
  { uuid, index, registered }: IndexToBackUp,
  branch_of: BranchOrigin,
  version: number,
): PublishedCommit {
  const bundles = newest.bundles.map((bundle) => ({ family: branch_of.uuid, ...bundle }));
  const { definition, definitionVersion, baseDir } = registered(version);
  const own = { definition, definition_version: definitionVersion, base_dir: baseDir };
  const as = { number: 1, attempt: randomUUID(), index, uuid, bundles, former: [] };
  return { ...newest, ...own, ...as, branch_of };
}
