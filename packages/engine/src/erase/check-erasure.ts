/**
 * A check searches every place where data of a row can be:
 *
 * 1. the table: its head, then its older snapshots, which belong to the table
 * 2. every generation folder of the index (search-generation.ts)
 * 3. the stores of cold windows and of published commits (search-cold.ts, search-published.ts)
 * 4. embedding caches (search-embeddings.ts)
 * 5. saved queries, past queries, job records (search-records.ts)
 * 6. backups (search-backups.ts)
 * 7. with `deep`, the bytes of all files (raw-bytes.ts)
 */

import type { CallContext, Coordinates, ErasureReport } from '@lakehouse-search/contract';
import { BUILD_KINDS } from '@lakehouse-search/contract/internal';
import type { SourceTable } from '@lakehouse-search/lake';
import { lockHolder } from '../index/commits/writer-lock.ts';
import { currentGeneration, generationAt, generationNumbers } from '../open/index-folder.ts';
import type { KnownIndex, OpenDirectory } from '../open/open-index.ts';
import type { RegisteredJob } from '../registry/jobs.ts';
import type { Registry } from '../registry/registry.ts';
import { refuseAborted } from '../source/source-errors.ts';
import { mappingOver } from '../sync/build/build-generation.ts';
import { ErasedKeys } from './erased-keys.ts';
import { Findings } from './findings.ts';
import { deletedButMapped } from './mapped-files.ts';
import { searchBytes } from './raw-bytes.ts';
import { searchBackups } from './search-backups.ts';
import { searchCold } from './search-cold.ts';
import {
  type ErasedTexts,
  erasedTexts,
  hasEmbeddings,
  searchEmbeddings,
} from './search-embeddings.ts';
import { type GenerationState, searchGeneration } from './search-generation.ts';
import { searchPublished } from './search-published.ts';
import { type IndexRecords, searchRecords } from './search-records.ts';
import { searchTable } from './search-table.ts';
import { VectorsSeen } from './vectors-seen.ts';

/** An index with all that a check looks at. */
export interface ErasurePlaces {
  readonly dataDir: string;
  readonly registry: Registry;
  readonly openDirectory: OpenDirectory;
  readonly known: KnownIndex;
  readonly table: SourceTable;
  /** Backup repositories: folders or `s3://` places. */
  readonly backups: readonly string[];
  readonly now: () => number;
}

/** What to look for. */
export interface ErasureSubject {
  readonly keys: readonly Coordinates[];
  readonly texts: readonly string[];
  readonly deep: boolean;
}

/** A report, and what a run needs beyond it. */
export interface CheckedErasure {
  readonly report: ErasureReport;
  readonly keys: ErasedKeys;
  readonly texts: ErasedTexts;
  readonly vectors: VectorsSeen;
  readonly records: IndexRecords;
  /** Backups that hold data, by repository. */
  readonly holding: ReadonlyMap<string, ReadonlySet<string>>;
}

/** A generation folder and why it is on disk. */
export interface FoundGeneration extends GenerationState {
  readonly number: number;
  readonly path: string;
}

/** Checks. Throws invalid_argument, corrupt_index, source_unreachable, interrupted, io_error, … */
export async function checkErasure(
  places: ErasurePlaces,
  subject: ErasureSubject,
  call: CallContext,
): Promise<CheckedErasure> {
  const started = performance.now();
  const { dataDir, registry, known, table, now } = places;
  const { registered, folder } = known;
  const mapping = mappingOver(known.definition, table);
  const keys = new ErasedKeys(mapping.key, subject.keys, subject.texts);
  const findings = new Findings(dataDir);
  const vectors = new VectorsSeen();
  const compares = hasEmbeddings(folder);
  const rows = await searchTable(table, mapping, keys, findings, call.signal);
  for (const generation of generationsOf(places)) {
    const directory = places.openDirectory(generation.path);
    const search = { keys, findings, vectors, compares, now: now() };
    await searchGeneration(directory, generation, search);
    refuseAborted(call.signal);
  }
  await searchCold(places, findings);
  await searchPublished(places, { keys, findings, signal: call.signal });
  const given = subject.texts.map((text) => ({ key: null, text: Buffer.from(text) }));
  findings.examined.texts += given.length;
  const texts = erasedTexts([...given, ...rows.texts]);
  const building = jobBeside(registry, registered.uuid) !== undefined;
  const staying = searchEmbeddings(folder, texts, { findings, vectors, building });
  const records = recordsOf(places);
  await searchRecords(records, keys, findings);
  const holding = new Map<string, ReadonlySet<string>>();
  for (const place of places.backups) {
    const { uuid, name: index } = registered;
    const search = { uuid, index, keys, staying, findings, signal: call.signal };
    holding.set(place, await searchBackups(place, search));
  }
  if (subject.deep) {
    const at = { dataDir, uuid: registered.uuid };
    searchBytes(at, keys, subject.texts, findings, call.signal);
  }
  noteUncertain(places, building, findings);
  const { remains, notes, examined } = findings;
  const report: ErasureReport = {
    index: registered.name,
    checked_at: new Date(now()).toISOString(),
    keys: keys.count,
    clean: remains.length === 0 && rows.inHead.length === 0,
    in_table: rows.inHead,
    snapshot: rows.head === null ? null : String(rows.head),
    remains,
    table_snapshots: rows.snapshots,
    examined,
    notes,
    took_ms: Math.round(performance.now() - started),
  };
  return { report, keys, texts, vectors, records, holding };
}

/**
 * A job of an index that stages or copies its data without the lock of the index; jobs of other
 * kinds change nothing while an erasure holds the lock.
 */
export const jobBeside = (registry: Registry, uuid: string): RegisteredJob | undefined =>
  registry.jobs.running(uuid).find(({ kind }) => BUILD_KINDS.has(kind) || kind === 'backup');

/** The generation folders of an index, with the reason why each is on disk. */
export function generationsOf({ registry, known, now }: ErasurePlaces): readonly FoundGeneration[] {
  const { folder, registered } = known;
  const live = currentGeneration(folder)?.number;
  const named = registry.generations.named(registered.uuid, now());
  return generationNumbers(folder).map((number) => {
    const { path } = generationAt(folder, number);
    if (number === live) return { number, path, state: 'live', untilMs: null };
    const name = named.find((one) => one.number === number);
    if (name === undefined) return { number, path, state: 'unnamed', untilMs: null };
    return { number, path, state: name.state, untilMs: name.untilMs };
  });
}

function recordsOf({ dataDir, registry, known }: ErasurePlaces): IndexRecords {
  const { uuid, name } = known.registered;
  const aliases = registry.aliases.list().filter(({ index }) => index === name);
  const names = new Set([name, ...aliases.map(({ alias }) => alias)]);
  return { dataDir, registry, uuid, names };
}

function noteUncertain({ known }: ErasurePlaces, building: boolean, findings: Findings): void {
  const { folder } = known;
  if (building) {
    findings.note('a job is running: cached vectors without a live document may be its own');
  }
  if (lockHolder(folder) !== null) {
    findings.note('a process is writing the index: files without a commit may be its own');
  }
  for (const [pid, files] of deletedButMapped(folder)) {
    if (pid === process.pid) continue;
    const what = `process ${pid} has ${files} deleted files of the index open`;
    findings.note(`${what}; their bytes go when it reads a newer commit or ends`);
  }
}
