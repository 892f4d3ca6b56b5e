/** The answers of the nodes of an index as one answer about the whole index. */

import type { ShardDescription, VerifyResponse } from '@lakehouse-search/contract';
import type { OperationOver, ResponseOf } from '@lakehouse-search/contract/internal';
import { totalsOf } from './merge-descriptions.ts';
import { mergeDescription, mergeDrop, mergeRollback } from './merge-indexes.ts';
import {
  mergeApplied,
  mergeCheckpoint,
  mergeCompact,
  mergeReindex,
  mergeStatus,
  mergeSync,
  mergeUpgrade,
  mergeVerify,
} from './merge-ingest.ts';
import type { Merge } from './merge-members.ts';
import { mergeMoved, mergeReindexedWindow, mergeWindowStatus } from './merge-windows.ts';
import { withoutCopies } from './without-copies.ts';

/** An answer of a node about its shards of an index. */
export interface NodeAnswer<T> {
  readonly answer: T;
  /** The shards that the node holds. */
  readonly ordinals: readonly number[];
}

/** One answer of those of several nodes. */
export type MergeParts<T> = (parts: readonly NodeAnswer<T>[]) => T;

const answerOf = <T>({ answer }: NodeAnswer<T>): T => answer;

/** Counts what a node has on its disk: copies of shards count too. */
const ofNodes =
  <T>(merge: Merge<T>): MergeParts<T> =>
  (parts) =>
    merge(parts.map(answerOf));

/** Counts documents: a node whose shards others have too is left out. */
const ofShards =
  <T>(merge: Merge<T>): MergeParts<T> =>
  (parts) =>
    merge(withoutCopies(parts).map(answerOf));

interface WithShards {
  readonly shards?: readonly ShardDescription[];
}

/** The same for answers that list shards: totals are those of the shards. */
const byShard =
  <T extends WithShards>(merge: Merge<T>): MergeParts<T> =>
  (parts) => {
    if (parts.length === 1) return parts[0].answer;
    const own = withoutCopies(parts).map(({ answer, ordinals }) => {
      const shards = answer.shards?.filter(({ shard }) => ordinals.includes(shard));
      return shards === undefined ? answer : { ...answer, shards };
    });
    const merged = merge(own);
    return merged.shards === undefined ? merged : { ...merged, ...totalsOf(merged.shards) };
  };

/** What is wrong in any copy is wrong in the index; its rows and documents count once. */
const mergeVerified: MergeParts<VerifyResponse> = (parts) => {
  const { rows_compared, doc_count } = ofShards(mergeVerify)(parts);
  return { ...ofNodes(mergeVerify)(parts), rows_compared, doc_count };
};

/** Name of an operation in which every node of an index takes part. */
export type MergedName = OperationOver<'each' | 'whole' | 'answering' | 'having'>;

const MERGES: { readonly [K in MergedName]: MergeParts<ResponseOf<K>> } = {
  dropIndex: ofNodes(mergeDrop),
  reindex: ofShards(mergeReindex),
  sync: ofShards(mergeSync),
  applyBatch: ofShards(mergeApplied),
  getCheckpoint: ofNodes(mergeCheckpoint),
  status: byShard(mergeStatus),
  describeIndex: byShard(mergeDescription),
  verify: mergeVerified,
  compact: ofNodes(mergeCompact),
  upgrade: ofNodes(mergeUpgrade),
  rollbackIndex: ofShards(mergeRollback),
  windowStatus: ofShards(mergeWindowStatus),
  moveWindows: ofNodes(mergeMoved),
  reindexWindow: ofShards(mergeReindexedWindow),
};

/** True for an operation in which every node of an index takes part. */
export const isMerged = (name: string): name is MergedName => Object.hasOwn(MERGES, name);

/** The answer about a whole index. */
export function mergeAnswers<K extends MergedName>(
  name: K,
  parts: readonly NodeAnswer<ResponseOf<K>>[],
): ResponseOf<K> {
  return MERGES[name](parts);
}
