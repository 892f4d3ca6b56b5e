/** Merges of what nodes say about the parts of an index that they hold. */
import type {
  GenerationDescription,
  MergeFailure,
  ShardDescription,
  WindowDescription,
  WindowList,
} from '@lakehouse-search/contract';
import { byName, each, first, largest, type Merge, members, some, sum } from './merge-members.ts';

/** `live`: a part of the index is. */
export const liveIfAny: Merge<'created' | 'live'> = (all) =>
  some(all.map((status) => status === 'live')) ? 'live' : 'created';

/** Each shard once, by ordinal. */
export const mergeShards: Merge<readonly ShardDescription[]> = (lists) =>
  byName<ShardDescription>(
    ({ shard }) => shard,
    first,
  )(lists).toSorted((a, b) => a.shard - b.shard);

/** Totals of an index: of its shards, so that a copy of a shard counts once. */
export const totalsOf = (shards: readonly ShardDescription[]) => ({
  num_docs: sum(shards.map(({ num_docs }) => num_docs)),
  deleted_docs: sum(shards.map(({ deleted_docs }) => deleted_docs)),
  segments: sum(shards.map(({ segments }) => segments)),
  bytes: sum(shards.map(({ bytes }) => bytes)),
});

/** Generations of one number are parts of one build. */
export const mergeGenerations: Merge<readonly GenerationDescription[]> = byName(
  ({ generation }) => generation,
  members<GenerationDescription>({
    ...each(first, 'generation', 'snapshot', 'until', 'fallen_behind'),
    ...each(sum, 'num_docs', 'bytes'),
    definition_version: largest,
    state: (states) => (states.includes('live') ? 'live' : 'kept'),
  }),
);

/** The first failure of any node. */
export const firstFailure: Merge<MergeFailure> = (failures) =>
  failures.toSorted((a, b) => (a.since < b.since ? -1 : 1))[0];

const mergeWindow = members<WindowDescription>({
  ...each(first, 'window', 'from', 'to'),
  ...each(sum, 'num_docs', 'deleted_docs', 'segments', 'bytes', 'local_bytes'),
  tier: (tiers) => (tiers.includes('cold') ? 'cold' : 'hot'),
});

/** A hot part of a cold window has all of its bytes on the local disk. */
const withLocalBytes = (window: WindowDescription): WindowDescription =>
  window.tier === 'cold' ? window : { ...window, local_bytes: window.bytes };

/** A window is cold if a node has moved files of it; a node has windows of its documents only. */
const mergeParts: Merge<WindowDescription> = (parts) =>
  parts.some(({ tier }) => tier === 'cold')
    ? mergeWindow(parts.map(withLocalBytes))
    : mergeWindow(parts);

/** By time, documents without a date last. */
export const mergeWindows: Merge<readonly WindowDescription[]> = (lists) =>
  byName<WindowDescription>(
    ({ window }) => window,
    mergeParts,
  )(lists).toSorted((a, b) => ((a.from ?? '~') < (b.from ?? '~') ? -1 : 1));

export const mergeWindowList: Merge<WindowList> = members<WindowList>({
  ...each(first, 'field', 'every'),
  windows: mergeWindows,
});
