/**
 * One merge, from its plan to its place in the writer:
 *   1. `planMerge` reserves nothing but memory: it copies what the merge must know beside the
 *      files (deletes and moves of this moment), so that the writer goes on while it runs
 *   2. the merge runs, anywhere: `runJob` opens the files itself, `runHere` uses the readers that
 *      the writer has open
 *   3. `carryOver` hands deletes and moves made meanwhile to the merged segment
 */
import { LhsError } from '@lakehouse-search/contract';
import { type SegmentEntry, segmentBytes } from '../../segment/entry.ts';
import type { MovedLocations } from '../../segment/locators.ts';
import { type Merged, type MergeField, mergeSegments } from '../../segment/merge.ts';
import { SegmentReader } from '../../segment/segment-reader.ts';
import type { SegmentShare } from '../../segment/segment-share.ts';
import type { Directory } from '../../storage/directory.ts';
import { Verification } from '../../storage/verification.ts';
import type { PendingSegment } from '../pending-segment.ts';
import type { SegmentSplit } from './split-plan.ts';

/** A segment to merge, as it was when the merge was planned. */
export interface FrozenSegment {
  readonly entry: SegmentEntry;
  readonly deleted: Int32Array | null;
  readonly moved: MovedLocations | null;
}

/** All that another thread needs to merge: plain values that can be copied. */
export interface MergeJob {
  /** The folder, as the directory's `path` names it. */
  readonly path: string;
  /** Id of the segment that is made; nothing else is ever named so. */
  readonly id: string;
  readonly fields: readonly MergeField[];
  readonly inputs: readonly FrozenSegment[];
  /** What is made of the segment; absent: all of it. */
  readonly share?: SegmentShare;
}

/** A merge that the writer knows of: its files are left alone until it is installed or dropped. */
export interface MergePlan {
  readonly job: MergeJob;
  readonly sources: readonly PendingSegment[];
  /** It makes the segment of a shard of one that several shards have. */
  readonly split?: { readonly whole: SegmentSplit; readonly shard: number };
}

/** Plans the merge of `sources` into a segment named `id`. */
export function planMerge(
  sources: readonly PendingSegment[],
  target: { readonly path: string; readonly id: string; readonly fields: readonly MergeField[] },
): MergePlan {
  const { path, id, fields } = target;
  const inputs = sources.map((source) => ({
    entry: mergedFiles(source.entry),
    ...source.freeze(),
  }));
  const mergeFields = fields.map(mergeField);
  return { job: { path, id, fields: mergeFields, inputs }, sources };
}

/** A field without what merging has not to know. */
function mergeField({ id, type, inverted, column, stored, ...rest }: MergeField): MergeField {
  const { vector, best_documents } = rest;
  return {
    ...{ id, type, inverted, column, stored },
    ...(vector !== undefined && { vector }),
    ...(best_documents !== undefined && { best_documents }),
  };
}

/** The files that a merge reads: the frozen bits stand for those of deleted documents. */
export function mergedFiles(entry: SegmentEntry): SegmentEntry {
  return { ...entry, components: entry.components.filter(({ kind }) => kind !== 'live') };
}

/** Merges with the readers that the writer has open. Throws as `mergeSegments`. */
export function runHere({ job, sources }: MergePlan, directory: Directory): Merged {
  const inputs = job.inputs.map((input, i) => ({ ...input, reader: sources[i].reader }));
  return mergeSegments(inputs, job.fields, directory, job.id);
}

/** Bytes of inputs after which their pages are given back. */
const LEAVE_BYTES = 32 * 2 ** 20;

/** Reports, and from time to time gives the pages of the inputs back: each is read once. */
function leavingPages(
  readers: readonly SegmentReader[],
  report: (part: number) => void = () => {},
): (part: number) => void {
  const bytes = readers.reduce((sum, { entry }) => sum + segmentBytes(entry), 0);
  let left = 0;
  return (part) => {
    report(part);
    if ((part - left) * bytes < LEAVE_BYTES) return;
    left = part;
    for (const reader of readers) reader.leavePages();
  };
}

/**
 * Merges in a directory that this thread opened for it. Throws corrupt_index where an input is
 * damaged, and errors of the disk; files that were written so far are orphans then.
 */
export function runJob(
  job: MergeJob,
  directory: Directory,
  report?: (part: number) => void,
): Merged {
  const verification = new Verification(directory);
  const inputs: (FrozenSegment & { reader: SegmentReader })[] = [];
  try {
    for (const input of job.inputs) {
      inputs.push({ ...input, reader: SegmentReader.open(directory, input.entry, verification) });
    }
    const readers = inputs.map(({ reader }) => reader);
    return mergeSegments(inputs, job.fields, directory, job.id, {
      ...{ report: leavingPages(readers, report), share: job.share },
    });
  } finally {
    for (const { reader } of inputs) reader.release();
  }
}

/** Hands what happened to the sources since the plan was made to the segment made of them. */
export function carryOver(
  sources: readonly PendingSegment[],
  inputs: readonly Pick<FrozenSegment, 'deleted' | 'moved'>[],
  docMaps: readonly Int32Array[],
  merged: PendingSegment,
): void {
  sources.forEach((source, i) => {
    if (docMaps[i].length !== source.docs) {
      throw new LhsError('internal', `the merge ${merged.reader.id} answered for other documents`);
    }
    source.carryTo(merged, docMaps[i], inputs[i]);
  });
}

/** Documents and bytes that a merge reads. */
export function costOf({ job }: MergePlan): { readonly docs: number; readonly bytes: number } {
  const docs = job.inputs.reduce((sum, { entry }) => sum + entry.docs, 0);
  return { docs, bytes: jobBytes(job) };
}

/** Bytes that a merge reads. */
export const jobBytes = ({ inputs }: MergeJob): number =>
  inputs.reduce((sum, { entry }) => sum + segmentBytes(entry), 0);

/** True when a file belongs to a merge: one of its inputs, or of the segment that it makes. */
export function isFileOf({ job }: MergePlan, name: string): boolean {
  if (name.startsWith(`${job.id}.`)) return true;
  return job.inputs.some(({ entry }) => entry.components.some(({ file }) => file === name));
}
