/**
 * Compares a sample of an index with its table:
 *
 * 1. Documents and rows are chosen evenly: every so-many-th live document, every so-many-th record
 *    of the data files. The rows at the documents' places and the chosen records are read.
 * 2. Rows whose document lies elsewhere: the rows at those places are read too.
 * 3. Documents whose row was not met: it is looked up by key, and read.
 * 4. What was read is settled as a whole comparison is; chosen documents without a row are extra.
 *
 * Only files and pages that hold the sample are read; whether the rest is equal is not known.
 */

import type { CallContext } from '@lakehouse-search/contract';
import type { FilePart } from '@lakehouse-search/lake';
import { bytesView } from '../base/bytes/two-lane-hash.ts';
import { DigestBuckets } from '../index/commits/content-digest.ts';
import { decodeKey } from '../schema/keys/key.ts';
import { hashKey } from '../schema/sharding/key-buckets.ts';
import { parseColumnText } from '../schema/values/column-text.ts';
import { fromSource, readAhead } from '../source/source-errors.ts';
import { type Comparison, RowMatcher } from './compare.ts';
import { setNumbers, settleRows } from './settle.ts';
import type { ComparedSides } from './sides.ts';
import { UnmatchedRows } from './unmatched-rows.ts';

/** Positions by number of the snapshot's file. */
type RowPositions = Map<number, number[]>;

/**
 * Compares about `count` documents and as many rows. `extra` in the answer are the chosen documents
 * without a row. Throws as `compareRows` does.
 */
export async function compareSample(
  sides: ComparedSides,
  count: number,
  work: CallContext,
): Promise<Comparison & { readonly extraDocs: readonly number[] }> {
  const { docs } = sides;
  const unmatched = new UnmatchedRows(sides.docs.hashSets.length);
  const table = new DigestBuckets();
  const matcher = new RowMatcher(sides, unmatched, table);
  const reader = new PositionReader(sides, matcher, work);
  const chosen = [...docs.evenly(count)];
  const positions = rowPositions(sides, count);
  for (const doc of chosen) reader.request(doc, positions);
  await reader.read(positions);
  await reader.read(positionsOfKeys(reader, docs, unmatched));
  const known = unmatchedKeys(unmatched);
  const lost = chosen.filter((doc) => !docs.isSeen(doc) && !known.has(keyText(docs, doc)));
  await reader.read(await positionsByKey(sides, lost));
  const rows = table.count;
  const index = new DigestBuckets();
  index.addAll(table);
  for (let row = 0; row < unmatched.count; row++) index.remove(...unmatched.lanes(row));
  const settled = settleRows(sides, unmatched, { index, table }, { whole: false });
  const extraDocs = chosen.filter((doc) => !docs.isSeen(doc));
  addDocs(index, docs, extraDocs);
  const extra = extraDocs.length;
  const { skipped } = matcher;
  return { ...settled, rows, skipped, unmatched, extra, extraDocs, digests: { index, table } };
}

/** Reads rows at their positions, each row once. */
class PositionReader {
  readonly #sides: ComparedSides;
  readonly #matcher: RowMatcher;
  readonly #work: CallContext;
  readonly #numbers: readonly number[];
  readonly #read = new Set<string>();

  constructor(sides: ComparedSides, matcher: RowMatcher, work: CallContext) {
    this.#sides = sides;
    this.#matcher = matcher;
    this.#work = work;
    this.#numbers = setNumbers(sides);
  }

  /** Adds the row position of a document to those to read, if the snapshot has its file. */
  request(doc: number, positions: RowPositions): void {
    const { file, position } = this.#sides.docs.rowPosition(doc);
    const number = this.#numbers[file];
    if (number === undefined) return;
    if (position < this.#sides.set.files[number].data.recordCount) put(positions, number, position);
  }

  async read(positions: RowPositions): Promise<void> {
    const { table, schema, set } = this.#sides;
    const { signal, progress } = this.#work;
    const parts: FilePart[] = [];
    for (const [file, own] of positions) {
      const fresh = [...new Set(own)].filter((at) => !this.#read.has(`${file}:${at}`));
      for (const at of fresh) this.#read.add(`${file}:${at}`);
      if (fresh.length === 0) continue;
      parts.push({ scan: set.files[file], only: Int32Array.from(fresh).sort() });
    }
    const docs_total = parts.reduce((sum, { only }) => sum + (only?.length ?? 0), 0);
    const columns = schema.fields.map((column) => column.name);
    let docs_done = 0;
    for await (const batch of readAhead(table.read(parts, { columns, schema, signal }), signal)) {
      this.#matcher.match(batch);
      docs_done += batch.rows;
      progress?.({ phase: 'comparing', docs_done, docs_total });
    }
  }
}

function put(positions: RowPositions, file: number, position: number): void {
  const own = positions.get(file);
  if (own === undefined) positions.set(file, [position]);
  else own.push(position);
}

/** Records at evenly spaced positions of all data files, deleted ones included. */
function rowPositions({ set }: ComparedSides, count: number): RowPositions {
  const total = set.files.reduce((sum, { data }) => sum + data.recordCount, 0);
  const wanted = Math.min(count, total);
  const positions: RowPositions = new Map();
  let file = 0;
  let before = 0;
  for (let i = 0; i < wanted; i++) {
    const at = Math.floor(((i + 0.5) * total) / wanted);
    while (at >= before + set.files[file].data.recordCount) {
      before += set.files[file++].data.recordCount;
    }
    put(positions, file, at - before);
  }
  return positions;
}

/** Row positions of the documents that have the keys of unmatched rows. */
function positionsOfKeys(
  reader: PositionReader,
  docs: ComparedSides['docs'],
  unmatched: UnmatchedRows,
): RowPositions {
  const positions: RowPositions = new Map();
  unmatched.forEachKey((key) => {
    for (const doc of docs.withKey(key)) if (!docs.isSeen(doc)) reader.request(doc, positions);
  });
  return positions;
}

const keyText = (docs: ComparedSides['docs'], doc: number): string =>
  Buffer.from(docs.key(doc)).toString('latin1');

function unmatchedKeys(unmatched: UnmatchedRows): ReadonlySet<string> {
  const keys = new Set<string>();
  unmatched.forEachKey((key) => {
    keys.add(Buffer.from(key).toString('latin1'));
  });
  return keys;
}

/** Row locations of these documents' keys in the table; none for a key without a row. */
async function positionsByKey(
  { docs, mapping, table, set }: ComparedSides,
  lost: readonly number[],
): Promise<RowPositions> {
  const positions: RowPositions = new Map();
  if (lost.length === 0 || set.snapshotId === null) return positions;
  const key = mapping.columns.slice(0, mapping.keyColumns);
  const named = new Map(table.schema.fields.map(({ id, name }) => [id, name]));
  const names = key.map(({ id, name }) => named.get(id) ?? name);
  const values = lost.map((doc) =>
    decodeKey(docs.key(doc)).map((text, i) => parseColumnText(key[i].type, text)),
  );
  const { snapshotId } = set;
  const found = await fromSource(() => table.lookupKeys(names, values, names, { snapshotId }));
  const numbers = new Map(set.files.map(({ data }, i) => [data.path, i]));
  for (const row of found) {
    const file = row === null ? undefined : numbers.get(row.locator.file);
    if (row !== null && file !== undefined) put(positions, file, row.locator.position);
  }
  return positions;
}

function addDocs(
  digest: DigestBuckets,
  docs: ComparedSides['docs'],
  numbers: readonly number[],
): void {
  const hash = new Int32Array(2);
  for (const doc of numbers) {
    const key = docs.key(doc);
    hashKey(bytesView(key), 0, key.length, hash, 0);
    digest.add(hash[0], hash[1], ...docs.hash(doc));
  }
}
