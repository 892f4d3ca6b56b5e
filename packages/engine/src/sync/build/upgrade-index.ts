/**
 * Upgrade of an index to the newest disk format, without its table: each segment of an older format
 * is rewritten, in the order of the commit, and made visible by a commit of its own. After a crash
 * or a stop the segments that are done stay done; the next upgrade goes on with the others.
 */
import type { CallContext, UpgradeResponse } from '@lakehouse-search/contract';
import { atIntervals } from '../../base/steps.ts';
import {
  type Commit,
  commitBytes,
  type PublishCommit,
  requireCommit,
} from '../../index/commits/commit.ts';
import { COMMIT_FORMAT } from '../../index/commits/commit-format.ts';
import { IndexWriter } from '../../index/index-writer.ts';
import { storedPlans } from '../../index/merges/stored-plans.ts';
import type { SegmentEntry } from '../../segment/entry.ts';
import { bytesToUpgrade, isFormatOne } from '../../segment/upgrade.ts';
import type { Directory } from '../../storage/directory.ts';
import { requireUpgradeRoom } from './disk-room.ts';

/** What to upgrade: a generation whose index is locked. */
export interface UpgradeWork extends CallContext {
  readonly directory: Directory;
  readonly publish?: PublishCommit | undefined;
  readonly freeBytes: () => number;
}

type Upgrade = Omit<UpgradeResponse, 'took_ms'>;

/** What an upgrade would do. Throws index_not_built. */
export function planUpgrade(directory: Directory): Upgrade {
  return planOf(requireCommit(directory));
}

/** Upgrades. Throws index_not_built, disk_short, interrupted, disk_full, io_error. */
export async function upgradeIndex(work: UpgradeWork): Promise<Upgrade> {
  const { directory, publish } = work;
  const before = requireCommit(directory);
  const plan = planOf(before);
  const old = before.segments.filter(isFormatOne);
  const largest = Math.max(0, ...old.map(bytesToUpgrade));
  requireUpgradeRoom(largest, work.freeBytes(), directory.path);
  const writer = IndexWriter.open(directory, storedPlans(before), { publish });
  try {
    await upgradeSegments(writer, old, work);
    return { ...plan, bytes_after: commitBytes(writer.lastCommit) };
  } finally {
    writer.close();
  }
}

async function upgradeSegments(
  writer: IndexWriter,
  old: readonly SegmentEntry[],
  { signal, progress }: CallContext,
): Promise<void> {
  const docs_total = old.reduce((sum, { docs }) => sum + docs, 0);
  let done = 0;
  const send = (docs: number) => {
    progress?.({ phase: 'upgrading', docs_done: Math.round(done + docs), docs_total });
  };
  const { checkpoint, files, format } = writer.lastCommit;
  try {
    for (const { id, docs } of old) {
      send(0);
      const report = atIntervals((part) => send(part * docs));
      await writer.upgradeInSteps(id, { signal, report });
      await writer.commitPublished({ checkpoint, files });
      done += docs;
    }
    if (format !== COMMIT_FORMAT && old.length === 0) {
      await writer.commitPublished({ checkpoint, files });
    }
    send(0);
  } catch (error) {
    writer.rollback();
    throw error;
  }
}

function planOf(commit: Commit): Upgrade {
  const old = commit.segments.filter(isFormatOne);
  return {
    format_before: old.length > 0 ? 1 : (commit.format ?? 1),
    format_after: COMMIT_FORMAT,
    segments: commit.segments.length,
    segments_upgraded: old.length,
    bytes_rewritten: old.reduce((sum, entry) => sum + bytesToUpgrade(entry), 0),
    bytes_before: commitBytes(commit),
  };
}
