/**
 * The peers' documents as an index of one segment: text, repo, authored_at, words; the key is the
 * id. `node bench/columns-index.ts DOCS.jsonl FOLDER` builds it; bench/serve-columns.ts asks it.
 */
import { createReadStream, mkdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { simpleAnalyzer } from '../packages/engine/src/analysis/simple.ts';
import { IndexWriter } from '../packages/engine/src/index/index-writer.ts';
import type { DocumentBlock, FieldBlock } from '../packages/engine/src/schema/field-block.ts';
import type { FieldPlan } from '../packages/engine/src/schema/field-plan.ts';
import { openLocalDirectory } from '../packages/engine/src/storage/local-directory.ts';
import { filesNamed } from '../test/support/files-named.ts';

/** Documents of a block, as the ingest hands them over. */
const BLOCK = 2048;

/** The fields by name. */
export const PLANS = {
  text: plan(0, 'text', 'TEXT', { kind: 'text', analyzer: simpleAnalyzer }, null),
  repo: plan(1, 'repo', 'KEYWORD', { kind: 'keyword' }, 'ordinal'),
  authored_at: plan(2, 'authored_at', 'DATE', null, 'numeric'),
  words: plan(3, 'words', 'LONG', null, 'numeric'),
} as const;

function plan(
  id: number,
  name: string,
  type: FieldPlan['type'],
  inverted: FieldPlan['inverted'],
  column: FieldPlan['column'],
): FieldPlan {
  return { id, name, type, inverted, column, stored: false };
}

interface Line {
  readonly id: number;
  readonly text: string;
  readonly repo: string;
  readonly authored_at: number;
  readonly words: number;
}

/** The key of the document with an id. */
export const keyOf = (id: number): Buffer => Buffer.from(String(id).padStart(8, '0'));

function bytesBlock(values: readonly Buffer[]): FieldBlock & { readonly kind: 'bytes' } {
  const offsets = new Int32Array(values.length + 1);
  values.forEach((value, i) => {
    offsets[i + 1] = offsets[i] + value.length;
  });
  return { kind: 'bytes', starts: oneEach(values.length), offsets, bytes: Buffer.concat(values) };
}

function longBlock(values: readonly number[]): FieldBlock {
  const longs = BigInt64Array.from(values, (value) => BigInt(value));
  return { kind: 'long', starts: oneEach(values.length), values: longs };
}

const oneEach = (docs: number): Int32Array => Int32Array.from({ length: docs + 1 }, (_, i) => i);

function blockOf(lines: readonly Line[], first: number): DocumentBlock {
  const keys = bytesBlock(lines.map(({ id }) => keyOf(id)));
  return {
    docs: lines.length,
    keyOffsets: keys.offsets,
    keyBytes: keys.bytes,
    files: new Int32Array(lines.length),
    positions: Int32Array.from(lines, (_, i) => first + i),
    hashes: BigUint64Array.from(lines, ({ id }) => BigInt(id)),
    fields: new Map([
      ['text', bytesBlock(lines.map(({ text }) => Buffer.from(text)))],
      ['repo', bytesBlock(lines.map(({ repo }) => Buffer.from(repo)))],
      ['authored_at', longBlock(lines.map((line) => line.authored_at * 1000))],
      ['words', longBlock(lines.map(({ words }) => words))],
    ]),
  };
}

if (process.argv[1] === import.meta.filename) {
  const [, , source, folder] = process.argv;
  mkdirSync(folder, { recursive: true });
  const writer = IndexWriter.open(openLocalDirectory(folder), Object.values(PLANS));
  let lines: Line[] = [];
  let docs = 0;
  const flush = () => {
    if (lines.length > 0) writer.add(blockOf(lines, docs));
    docs += lines.length;
    lines = [];
  };
  for await (const line of createInterface({ input: createReadStream(source) })) {
    lines.push(JSON.parse(line));
    if (lines.length === BLOCK) flush();
  }
  flush();
  writer.flush();
  writer.merges.runForced(1);
  writer.commit({ checkpoint: null, files: filesNamed('docs') });
  console.log(`${docs} documents, ${writer.segments} segment`);
  writer.close();
}
