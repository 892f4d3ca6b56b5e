import { isGone } from '../../base/process-identity.ts';
import { leftLocks, lockHolder } from '../../index/commits/writer-lock.ts';
import { tryLock } from '../../open/index-folder.ts';
import type { KnownIndex } from '../../open/open-index.ts';
import { findOrphans, type Orphan } from '../../open/orphans.ts';
import type { LocalIndexes } from '../local-indexes.ts';
import type { IndexFinding } from './findings.ts';

/** Paths that a finding names at most. */
const SHOWN = 5;

/** Locks of dead processes and orphans in the folder of an index. Throws io_error. */
export function diagnoseFiles(indexes: LocalIndexes, known: KnownIndex): readonly IndexFinding[] {
  const locks = staleLocks(known);
  return [...locks, ...orphans(indexes, known)];
}

function staleLocks({ folder }: KnownIndex): readonly IndexFinding[] {
  const holder = lockHolder(folder);
  const gone = holder !== null && isGone(holder) ? [`of process ${holder.pid}`] : [];
  const all = [...gone, ...leftLocks(folder).map((path) => path.slice(folder.length + 1))];
  if (all.length === 0) return [];
  const detail = `locks of processes that have ended: ${all.slice(0, SHOWN).join(', ')}`;
  const advice = 'the next writer takes them over and removes them';
  return [{ kind: 'stale_lock', level: 'note', detail, advice }];
}

function orphans(indexes: LocalIndexes, known: KnownIndex): readonly IndexFinding[] {
  const lock = tryLock(known.folder);
  if (lock === null) {
    const detail = 'a process writes the index: files without an owner were not looked for';
    const advice = 'run it again when that process has ended';
    return [{ kind: 'orphans', level: 'note', detail, advice }];
  }
  let found: readonly Orphan[];
  try {
    found = orphansOf(indexes, known);
  } finally {
    lock.release();
  }
  if (found.length === 0) return [];
  const bytes = found.reduce((sum, orphan) => sum + orphan.bytes, 0);
  const names = found.slice(0, SHOWN).map(({ path }) => path.slice(known.folder.length + 1));
  const more = found.length > SHOWN ? `, … (${found.length} in all)` : '';
  const detail = `files that no commit, generation, pin or job names: ${names.join(', ')}${more}`;
  const advice = 'a compaction of the index removes them';
  const { name: index } = known.registered;
  return [
    { kind: 'orphans', level: 'note', detail, advice, bytes, next: [{ step: 'compact', index }] },
  ];
}

/** The orphans of an index whose lock is held. Throws io_error, corrupt_index. */
export function orphansOf(indexes: LocalIndexes, known: KnownIndex): readonly Orphan[] {
  const { uuid } = known.registered;
  const { registry, clock, openDirectory } = indexes;
  const now = clock.now();
  const kept = () => new Set(registry.generations.kept(uuid, now).map(({ number }) => number));
  return findOrphans(known.folder, openDirectory, { named: () => indexes.named(uuid), kept }, now);
}
