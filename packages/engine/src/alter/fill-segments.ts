/**
 * Gives segments what they lack of the fields of their commit: the columns are read once for a
 * group of segments, and each row goes to its document by locator.
 */
import { type CallContext, LhsError } from '@lakehouse-search/contract';
import type { Batch, FileScan, SourceTable } from '@lakehouse-search/lake';
import { normalizeRecorded, selectRows } from '@lakehouse-search/lake/internal';
import { type StepOptions, takeSteps } from '../base/steps.ts';
import { fieldsOfRows, rowHashes } from '../documents/rows-to-block.ts';
import type { VectorStage } from '../documents/vectors/vector-stage.ts';
import type { FieldPlan } from '../schema/field-plan.ts';
import { coordinatesOf, formatKey } from '../schema/keys/key.ts';
import type { Mapping } from '../schema/mapping.ts';
import { shardTable } from '../schema/sharding/bucket-map.ts';
import type { SegmentEntry } from '../segment/entry.ts';
import type { SegmentReader } from '../segment/segment-reader.ts';
import { readAhead } from '../source/source-errors.ts';
import type { Directory } from '../storage/directory.ts';
import { piecesOf } from '../sync/batch/batch-pieces.ts';
import type { SkippedRows } from '../sync/batch/skipped-rows.ts';
import type { MissingParts } from './missing-parts.ts';
import { reducedMapping } from './reduced-mapping.ts';
import { RowTargets } from './row-targets.ts';
import { SegmentFill } from './segment-fill.ts';

/** An open segment and what it lacks. */
export interface LackingSegment {
  readonly reader: SegmentReader;
  readonly missing: MissingParts;
}

/** What the segments of a build have in common. */
export interface FillWork extends Pick<CallContext, 'signal'> {
  readonly table: SourceTable;
  /** The snapshot that the segments equal. */
  readonly snapshotId: bigint;
  /** Its data files by number in the commit's file table. */
  readonly scans: ReadonlyMap<number, FileScan>;
  readonly mapping: Mapping;
  readonly plans: readonly FieldPlan[];
  readonly directory: Directory;
  readonly stage: VectorStage;
  readonly skipped: SkippedRows;
  readonly leftOut: Map<string, number>;
  /** Numbers for files that are replaced. */
  readonly revision: () => number;
  /** Receives documents that have their values, and the number of their shard. */
  readonly filled: (docs: number, shard: number) => void;
  readonly report: (phase: 'reading' | 'flushing') => void;
}

/** A group of segments that is being filled. */
interface Filling {
  readonly work: FillWork;
  /** The mapping of what is read. */
  readonly mapping: Mapping;
  readonly targets: RowTargets;
  /** By number of the segment in the group. */
  readonly fills: readonly SegmentFill[];
}

/**
 * Fills a group of segments; returns their entries, whose files are complete. Throws
 * source_invalid, corrupt_index if a document has no row, interrupted, disk_full, io_error, …
 */
export async function fillSegments(
  work: FillWork,
  group: readonly LackingSegment[],
): Promise<readonly SegmentEntry[]> {
  const targets = new RowTargets(group.map(({ reader }) => reader));
  const table = shardTable(work.mapping.definition);
  const fills = group.map(
    ({ reader, missing }, i) => new SegmentFill(reader, missing, targets.ordered[i], table),
  );
  await readRows({ work, mapping: mappingOf(work, group), targets, fills });
  const { directory, revision, snapshotId } = work;
  const options: StepOptions = {
    ...(work.signal && { signal: work.signal }),
    report: () => work.report('flushing'),
  };
  const entries: SegmentEntry[] = [];
  for (const fill of fills) {
    requireFilled(fill, snapshotId);
    entries.push(await takeSteps(fill.finishing(directory, revision), options));
  }
  return entries;
}

/** What a group lacks, as a mapping of its own. */
function mappingOf({ mapping }: FillWork, group: readonly LackingSegment[]): Mapping {
  const fields = new Set(group.flatMap(({ missing }) => missing.plans.map(({ name }) => name)));
  const columns = group.flatMap(({ missing }) => missing.runs.flatMap((run) => run.columns));
  const key = mapping.definition.onBadRow === 'skip';
  return reducedMapping(mapping, { fields, columns: new Set(columns.map(Number)), key });
}

async function readRows(filling: Filling): Promise<void> {
  const { work, mapping, targets } = filling;
  const { table, scans, signal } = work;
  const parts = targets.files.map((file) => targets.part(file, scanOf(work, file)));
  const columns = mapping.columns.map(({ name }) => name);
  const named = ([file, { data }]: [number, FileScan]) =>
    [normalizeRecorded(data.path), file] as const;
  const numbers = new Map([...scans].map(named));
  const read = table.read(parts, { columns, schema: table.schema, ...(signal && { signal }) });
  for await (const batch of readAhead(read, signal)) {
    const file = numbers.get(normalizeRecorded(batch.file))!;
    for await (const piece of piecesOf(batch, signal)) await fillFrom(filling, piece, file);
    work.report('reading');
  }
}

function scanOf({ scans, snapshotId }: FillWork, file: number): FileScan {
  const scan = scans.get(file);
  if (scan !== undefined) return scan;
  throw drifted(`a document names data file ${file}, which snapshot ${snapshotId} does not have`);
}

/** Gives the rows of a file to the segments of their documents. */
async function fillFrom(filling: Filling, piece: Batch, file: number): Promise<void> {
  const { work, mapping, targets, fills } = filling;
  const { stage, skipped, signal, plans } = work;
  const found = targets.of(file, piece.positions).segments;
  const wanted = selectRows(
    piece,
    rowsWhere(found, (segment) => segment >= 0),
  );
  const good = skipped.goodRows(mapping, wanted, file);
  if (good.rows < wanted.rows) deleteBad(filling, wanted, good, file);
  if (good.rows === 0) return;
  const converted = { docs: good.rows, fields: convert(filling, good, file) };
  const own = plans.filter(({ name }) => converted.fields.has(name));
  const report = () => work.report('reading');
  const { fields } = await stage.complete(own, converted, { ...(signal && { signal }), report });
  const hashes = rowHashes(mapping.columns, good);
  const { segments, docs } = targets.of(file, good.positions);
  for (const [segment, fill] of fills.entries()) {
    const rows = rowsWhere(segments, (one) => one === segment);
    if (rows.length === 0) continue;
    fill.put({ docs: rows.map((row) => docs[row]), rows, count: good.rows, fields, hashes });
    work.filled(rows.length, fill.reader.entry.shard ?? 0);
  }
}

/** Numbers of the rows whose segment passes. */
function rowsWhere(segments: Int32Array, passes: (segment: number) => boolean): Int32Array {
  const rows = new Int32Array(segments.length);
  let count = 0;
  for (let row = 0; row < segments.length; row++) if (passes(segments[row])) rows[count++] = row;
  return rows.subarray(0, count);
}

/** Deletes the documents of rows that are bad under the new definition. */
function deleteBad({ targets, fills }: Filling, all: Batch, good: Batch, file: number): void {
  const left = new Set(good.positions);
  const bad = all.positions.filter((position) => !left.has(position));
  const { segments, docs } = targets.of(file, bad);
  segments.forEach((segment, i) => {
    fills[segment].delete(docs[i]);
  });
}

/** The values of rows by field. Throws source_invalid, which names the key of the row. */
function convert({ work, mapping, targets, fills }: Filling, rows: Batch, file: number) {
  try {
    return fieldsOfRows(mapping, rows, work.leftOut);
  } catch (error) {
    if (!(error instanceof LhsError) || error.code !== 'source_invalid') throw error;
    const { code, hint, details, message } = error;
    if (typeof details.position !== 'number' || mapping.keyColumns > 0) throw error;
    const { segments, docs } = targets.of(file, Int32Array.of(details.position));
    const { keys } = fills[segments[0]].reader;
    const key = formatKey(coordinatesOf(work.mapping.key, keys.key(docs[0])));
    const named = { hint, details: { ...details, key }, cause: error };
    throw new LhsError(code, `${key}${message}`, named);
  }
}

/** Every live document has its row. Throws corrupt_index. */
function requireFilled({ reader, filled }: SegmentFill, snapshotId: bigint): void {
  const missing = reader.liveDocs - filled;
  if (missing <= 0) return;
  throw drifted(
    `${missing} documents of segment ${reader.id} have no row in snapshot ${snapshotId}`,
  );
}

const drifted = (message: string): LhsError =>
  new LhsError('corrupt_index', message, {
    hint: 'the index differs from its table: build it again, then alter it',
    next: [{ step: 'reindex' }],
  });
