/**
 * A process that writes an index and kills itself at a given operation: node killed-writer.ts
 * FOLDER reindex|sync SHARDS N. Without N it lives and prints how many operations there are.
 */

import { FaultyDirectory } from '../../../../test/support/faulty-directory.ts';
import { filesAndPage } from '../../../../test/support/files-named.ts';
import { IndexWriter } from '../../src/index/index-writer.ts';
import {
  currentGeneration,
  promoteGeneration,
  stageGeneration,
  sweepGenerations,
  takeLock,
} from '../../src/open/index-folder.ts';
import type { DocumentBlock } from '../../src/schema/field-block.ts';
import type { FieldPlan } from '../../src/schema/field-plan.ts';
import { openLocalDirectory } from '../../src/storage/local-directory.ts';

const PLANS: readonly FieldPlan[] = [
  { id: 1, name: 'n', type: 'LONG', inverted: null, column: 'numeric', stored: true },
];

function block(from: number, docs: number): DocumentBlock {
  const keys = Array.from({ length: docs }, (_, i) => `key ${from + i}`);
  const starts = Int32Array.from({ length: docs + 1 }, (_, i) => i);
  const keyOffsets = new Int32Array(docs + 1);
  keys.forEach((key, i) => {
    keyOffsets[i + 1] = keyOffsets[i] + key.length;
  });
  const values = BigInt64Array.from(starts.subarray(0, docs), (i) => BigInt(from + i));
  return {
    docs,
    keyOffsets,
    keyBytes: Buffer.from(keys.join('')),
    files: new Int32Array(docs),
    positions: Int32Array.from({ length: docs }, (_, i) => from + i),
    hashes: new BigUint64Array(docs),
    fields: new Map([['n', { kind: 'long', starts, values }]]),
  };
}

const [folder, work, shards, at] = process.argv.slice(2);
const die = () => process.kill(process.pid, 'SIGKILL');
const operation = at === undefined ? -1 : Number(at);
const lock = takeLock(folder, 'test', work);
const generation = work === 'reindex' ? stageGeneration(folder) : currentGeneration(folder)!;
const local = openLocalDirectory(generation.path);
const directory = new FaultyDirectory(local, { kind: 'call', operation, call: die });
const writer = IndexWriter.open(directory, PLANS, { shards: Number(shards) });
const first = writer.liveDocs === 0 ? 0 : 1000;
for (let part = 0; part < 3; part++) {
  writer.add(block(first + 100 * part, 100));
  writer.flush();
}
if (work === 'sync') {
  writer.markPositions(new Map([[0, Int32Array.of(0, 1, 2)]]));
  writer.deleteMarked();
}
writer.merges.runForced(1);
writer.commit({ checkpoint: null, files: filesAndPage(['a.parquet'], process.pid) });
writer.close();
if (operation === directory.operations + 1) die();
if (work === 'reindex') promoteGeneration(folder, generation);
if (operation === directory.operations + 2) die();
sweepGenerations(folder);
lock.release();
process.stdout.write(String(directory.operations));
