/**
 * An index whose KEYWORD fields `n` and `u` and LONG field `num` have another value in every
 * document, beside `low` with 100 values. `indexFolder(rows, segments)` builds it once.
 */
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { IndexWriter } from '../packages/engine/src/index/index-writer.ts';
import type { DocumentBlock, FieldBlock } from '../packages/engine/src/schema/field-block.ts';
import type { FieldPlan } from '../packages/engine/src/schema/field-plan.ts';
import type { Mapping } from '../packages/engine/src/schema/mapping.ts';
import { openLocalDirectory } from '../packages/engine/src/storage/local-directory.ts';
import { filesNamed } from '../test/support/files-named.ts';
import { WORK } from './shared.ts';

const BLOCK = 8192;
/** No merge of several segments comes of itself. */
const NO_MERGES = { memoryBytes: 4 * 2 ** 30 };

/** Odd multipliers modulo 2^32 give every row a value of its own. */
export const MULTIPLIERS = { n: 2654435761, u: 2246822519, num: 3266489917 } as const;
export const LOW_VALUES = 100;

const mixed = (i: number, multiplier: number): number => Math.imul(i, multiplier) >>> 0;
const hex = (value: number): string => value.toString(16).padStart(8, '0');

function plan(id: number, name: string, type: 'KEYWORD' | 'LONG'): FieldPlan {
  const column = type === 'LONG' ? 'numeric' : 'ordinal';
  return { id, name, type, inverted: null, column, stored: false };
}

/** The fields of the index. */
export const FIELDS: readonly FieldPlan[] = [
  plan(0, 'n', 'KEYWORD'),
  plan(1, 'u', 'KEYWORD'),
  plan(2, 'num', 'LONG'),
  plan(3, 'low', 'KEYWORD'),
];

/** The index's mapping, as far as searching needs it. */
export const MAPPING = {
  definition: { index: 'high' },
  key: { partition: [], identifier: ['id'] },
  defaultField: null,
  columns: [
    { name: 'id', type: { kind: 'long' } },
    ...FIELDS.map(({ name }) => ({ name, type: { kind: 'string' } })),
  ],
  fields: FIELDS.map((field) => ({
    plan: field,
    definition: { name: field.name, fast: true },
    source: { kind: 'columns', columns: [field.id] },
  })),
} as unknown as Mapping;

const oneEach = (docs: number): Int32Array => Int32Array.from({ length: docs + 1 }, (_, i) => i);

function bytesBlock(values: readonly string[]): FieldBlock & { readonly kind: 'bytes' } {
  const offsets = new Int32Array(values.length + 1);
  values.forEach((value, i) => {
    offsets[i + 1] = offsets[i] + value.length;
  });
  const bytes = Buffer.from(values.join(''));
  return { kind: 'bytes', starts: oneEach(values.length), offsets, bytes };
}

function blockOf(from: number, docs: number): DocumentBlock {
  const rows = Array.from({ length: docs }, (_, i) => from + i);
  const keys = bytesBlock(rows.map((i) => String(i).padStart(8, '0')));
  const long = BigInt64Array.from(rows, (i) => BigInt(mixed(i, MULTIPLIERS.num)));
  return {
    docs,
    keyOffsets: keys.offsets,
    keyBytes: keys.bytes,
    files: new Int32Array(docs),
    positions: Int32Array.from(rows),
    hashes: new BigUint64Array(docs),
    fields: new Map<string, FieldBlock>([
      ['n', bytesBlock(rows.map((i) => hex(mixed(i, MULTIPLIERS.n))))],
      ['u', bytesBlock(rows.map((i) => hex(mixed(i, MULTIPLIERS.u))))],
      ['num', { kind: 'long', starts: oneEach(docs), values: long }],
      ['low', bytesBlock(rows.map((i) => `low-${mixed(i, MULTIPLIERS.u) % LOW_VALUES}`))],
    ]),
  };
}

/** The folder of the index of so many rows in so many segments, built where it is not there. */
export function indexFolder(rows: number, segments: number): string {
  const folder = join(WORK, `high-cardinality-${rows}-${segments}`);
  if (existsSync(folder)) return folder;
  const building = `${folder}.building`;
  rmSync(building, { recursive: true, force: true });
  mkdirSync(building, { recursive: true });
  const writer = IndexWriter.open(openLocalDirectory(building), FIELDS, NO_MERGES);
  const share = Math.ceil(rows / segments);
  for (let from = 0; from < rows; from += BLOCK) {
    const docs = Math.min(BLOCK, rows - from);
    writer.add(blockOf(from, docs));
    if (Math.floor((from + docs) / share) > Math.floor(from / share)) writer.flush();
  }
  writer.flush();
  if (segments === 1) writer.merges.runForced(1);
  writer.commit({ checkpoint: null, files: filesNamed('rows') });
  console.log(`built ${folder}: ${rows} rows, ${writer.segments} segments`);
  writer.close();
  renameSync(building, folder);
  return folder;
}
