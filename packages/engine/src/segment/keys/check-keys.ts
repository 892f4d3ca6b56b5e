import { ByteSink } from '../../base/arrays/growing.ts';
import { compareBytes } from '../../base/bytes/byte-order.ts';
import { hashBytes } from '../../base/bytes/hash-bytes.ts';
import { bucketOfKey, type ShardTable, shardOfKey } from '../../schema/sharding/key-buckets.ts';
import { shardParts } from '../entry.ts';
import type { SegmentReader } from '../segment-reader.ts';
import { CoreKeys } from './core-keys.ts';
import { buildKeyHashTable, hashesOfKeys } from './key-hash-table.ts';
import type { FlatKeys } from './key-order.ts';
import { PackedKeys } from './packed-keys.ts';

/** What a problem names: the component (`numeric of field 3`) and what is wrong with it. */
export type ReportProblem = (component: string, problem: string) => void;

type ReportOne = (problem: string) => void;

/**
 * Checks keys, their ranks and their hash table against each other: ranks are the order of the
 * keys, the table has each document under the hash of its key, no key lives twice, and the keys of
 * live documents belong to the segment's shards.
 */
export function checkKeys(reader: SegmentReader, shards: ShardTable, report: ReportProblem): void {
  const keys = flatKeys(reader);
  const component = reader.keys instanceof CoreKeys ? 'core' : 'keys';
  checkRanks(reader, keys, (problem) => report(component, problem));
  if (reader.keys instanceof CoreKeys) checkHashes(reader.keys, keys, report);
  if (reader.keys instanceof PackedKeys) checkTable(reader.keys, keys, report);
  checkShard(reader, keys, shards, (problem) => report(component, problem));
  if (reader.entry.components.some(({ kind }) => kind === 'buckets')) {
    checkBuckets(reader, keys, report);
  }
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

function checkRanks(reader: SegmentReader, keys: FlatKeys, report: ReportOne): void {
  const byRank = new Int32Array(reader.docs).fill(-1);
  for (let doc = 0; doc < reader.docs; doc++) {
    const rank = reader.keys.rank(doc);
    if (rank < 0 || rank >= reader.docs || byRank[rank] >= 0) report(`rank of ${doc}`);
    else byRank[rank] = doc;
  }
  for (let rank = 1; rank < byRank.length; rank++) {
    const [before, doc] = [byRank[rank - 1], byRank[rank]];
    if (before < 0 || doc < 0) continue;
    const order = compareKeys(keys, before, doc);
    if (order === 0 && !reader.isDeleted(before) && !reader.isDeleted(doc)) {
      report(`documents ${before} and ${doc} live and share a key`);
    }
    if (order > 0 || (order === 0 && before > doc)) {
      report(`key of rank ${rank} comes before that of rank ${rank - 1}`);
    }
  }
}

function checkShard(
  reader: SegmentReader,
  { bytes, offsets }: FlatKeys,
  shards: ShardTable,
  report: ReportOne,
): void {
  const left = new Map(shardParts(reader.entry).map(({ shard, docs }) => [shard, docs]));
  for (let doc = 0; doc < reader.docs; doc++) {
    if (reader.isDeleted(doc)) continue;
    const right = shardOfKey(bytes, shards, offsets[doc], offsets[doc + 1]);
    const own = left.get(right);
    if (own !== undefined) left.set(right, own - 1);
    else report(`document ${doc} of shard ${[...left.keys()]} belongs to ${right}`);
  }
  for (const [shard, docs] of left) {
    if (docs !== 0) report(`shard ${shard} lacks ${docs} of the documents that the commit counts`);
  }
}

/** The buckets of keys, if a reshard has left them. */
function checkBuckets(
  { buckets, docs }: SegmentReader,
  { bytes, offsets }: FlatKeys,
  report: ReportProblem,
): void {
  for (let doc = 0; doc < docs; doc++) {
    const right = bucketOfKey(bytes, offsets[doc], offsets[doc + 1]);
    if (buckets[doc] !== right)
      report('buckets', `document ${doc} is in ${buckets[doc]}, not ${right}`);
  }
}

/** The hash table of format 1: sorted hashes, each with its document. */
function checkHashes(
  { hashes, byHash, docs }: CoreKeys,
  { bytes, offsets }: FlatKeys,
  report: ReportProblem,
): void {
  const seen = new Uint8Array(docs);
  for (let i = 0; i < byHash.length; i++) {
    const doc = byHash[i];
    if (doc < 0 || doc >= docs || seen[doc] === 1) {
      report('core', `hash ${i} names document ${doc}`);
      continue;
    }
    seen[doc] = 1;
    if (i > 0 && hashes[i - 1] > hashes[i]) report('core', `hash ${i} is out of order`);
    if (hashBytes(bytes, offsets[doc], offsets[doc + 1]) !== hashes[i]) {
      report('core', `hash ${i} is not that of the key of document ${doc}`);
    }
  }
}

/** The hash table of format 2 is the one that these keys have. */
function checkTable({ table }: PackedKeys, keys: FlatKeys, report: ReportProblem): void {
  const right = buildKeyHashTable(hashesOfKeys(keys));
  for (const section of ['starts', 'marks', 'blocks', 'high'] as const) {
    const [found, expected] = [table[section], right[section]];
    const at = expected.findIndex((value, i) => found[i] !== value);
    if (at < 0) continue;
    report('keys', `entry ${at} of its hash ${section} is ${found[at]}, expected ${expected[at]}`);
    return;
  }
}

/** Runs of columns over all documents. */
export function checkHashed(
  { entry, docs }: SegmentReader,
  hashes: number,
  report: ReportProblem,
): void {
  if (hashes !== docs) report('hashes', `it has ${hashes} row hashes, expected ${docs}`);
  const covered = entry.hashed?.reduce((sum, run) => sum + run.docs, 0) ?? docs;
  if (covered !== docs) report('hashes', `the commit describes ${covered} row hashes of ${docs}`);
}
