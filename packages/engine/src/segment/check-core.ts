import { compareBytes } from '../base/byte-order.ts';
import { ByteSink } from '../base/growing.ts';
import { hashBytes } from '../base/hash-bytes.ts';
import { shardOfKey } from '../schema/key-buckets.ts';
import type { SegmentReader } from './segment-reader.ts';

/** What a problem names: the component (`numeric of field 3`) and what is wrong with it. */
export type ReportProblem = (component: string, problem: string) => void;

/** All keys of a segment in a row: key of document d = bytes[offsets[d] .. offsets[d + 1]). */
interface FlatKeys {
  readonly bytes: Uint8Array;
  readonly offsets: Int32Array;
}

/**
 * Checks keys, their ranks and their hash table against each other: ranks are the order of the
 * keys, every document stands in the table under the hash of its key, which is how look-ups find
 * it, no key lives twice, and all keys belong to the segment's shard.
 */
export function checkCore(reader: SegmentReader, shards: number, report: ReportProblem): void {
  const keys = flatKeys(reader);
  checkRanks(reader, keys, report);
  checkHashes(reader, keys, report);
  checkShard(reader, keys, shards, report);
}

/** Live documents: as many as the commit says, none beyond the last. */
export function checkLive(
  { entry, docs, deletedDocs, deleted }: SegmentReader,
  report: ReportProblem,
) {
  if (entry.deletedDocs !== deletedDocs) {
    report(
      'live',
      `${deletedDocs} documents are deleted, but the commit says ${entry.deletedDocs}`,
    );
  }
  if (deleted === null) return;
  for (let doc = docs; doc < 32 * deleted.length; doc++) {
    if ((deleted[doc >> 5] & (1 << (doc & 31))) !== 0)
      report('live', `there is no document ${doc}`);
  }
}

function flatKeys(reader: SegmentReader): FlatKeys {
  const sink = new ByteSink(32 * reader.docs);
  const offsets = new Int32Array(reader.docs + 1);
  reader.keys.forEach((key, length, doc) => {
    sink.append(key, 0, length);
    offsets[doc + 1] = sink.length;
  });
  return { bytes: sink.view(), offsets };
}

function compareKeys({ bytes, offsets }: FlatKeys, a: number, b: number): number {
  return compareBytes(bytes, offsets[a], offsets[a + 1], bytes, offsets[b], offsets[b + 1]);
}

function checkRanks(reader: SegmentReader, keys: FlatKeys, report: ReportProblem): void {
  const byRank = new Int32Array(reader.docs).fill(-1);
  for (let doc = 0; doc < reader.docs; doc++) {
    const rank = reader.keys.rank(doc);
    if (rank < 0 || rank >= reader.docs || byRank[rank] >= 0) report('core', `rank of ${doc}`);
    else byRank[rank] = doc;
  }
  for (let rank = 1; rank < byRank.length; rank++) {
    const [before, doc] = [byRank[rank - 1], byRank[rank]];
    if (before < 0 || doc < 0) continue;
    const order = compareKeys(keys, before, doc);
    if (order > 0 || (order === 0 && before > doc)) {
      report('core', `key of rank ${rank} comes before that of rank ${rank - 1}`);
    }
  }
}

function checkShard(
  { docs, entry }: SegmentReader,
  { bytes, offsets }: FlatKeys,
  shards: number,
  report: ReportProblem,
): void {
  const { shard = 0 } = entry;
  for (let doc = 0; doc < docs; doc++) {
    const right = shardOfKey(bytes, shards, offsets[doc], offsets[doc + 1]);
    if (right !== shard) report('core', `document ${doc} of shard ${shard} belongs to ${right}`);
  }
}

function checkHashes(reader: SegmentReader, keys: FlatKeys, report: ReportProblem): void {
  const { hashes, byHash } = reader.keys;
  const { bytes, offsets } = keys;
  const seen = new Uint8Array(reader.docs);
  let first = 0;
  for (let i = 0; i < byHash.length; i++) {
    const doc = byHash[i];
    if (doc < 0 || doc >= reader.docs || seen[doc] === 1) {
      report('core', `hash ${i} names document ${doc}`);
      continue;
    }
    seen[doc] = 1;
    if (i > 0 && hashes[i - 1] > hashes[i]) report('core', `hash ${i} is out of order`);
    if (hashBytes(bytes, offsets[doc], offsets[doc + 1]) !== hashes[i]) {
      report('core', `hash ${i} is not that of the key of document ${doc}`);
    }
    if (hashes[first] !== hashes[i]) first = i;
    if (reader.isDeleted(doc)) continue;
    for (let j = first; j < i; j++) {
      const other = byHash[j];
      if (other < 0 || other >= reader.docs || reader.isDeleted(other)) continue;
      if (compareKeys(keys, other, doc) === 0) {
        report('core', `documents ${other} and ${doc} live and share a key`);
      }
    }
  }
}
