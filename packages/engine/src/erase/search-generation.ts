/**
 * Searches the folder of one generation. Every commit in it is examined: the newest one and those
 * of pins. A segment is opened through its readers, and its keys are searched with deleted
 * documents included. Then files that no commit names: keys are searched there too, and a file that
 * cannot be judged counts as a remain.
 */
import { type ErasureEnd, type ErasurePlace, LhsError } from '@lakehouse-search/contract';
import { heldPins, type Pin } from '../base/pin-names.ts';
import { inTurns } from '../base/turns.ts';
import { isMissingObject } from '../home/windows/fetch-blocks.ts';
import { fetchColdFiles } from '../index/cold-segments.ts';
import { COMMIT_FILE, type Commit, filesOf, readCommit } from '../index/commits/commit.ts';
import { PAGE_FILE } from '../index/commits/data-files.ts';
import { pinnedCommit } from '../index/commits/pins.ts';
import type { SegmentEntry } from '../segment/entry.ts';
import { CoreKeys } from '../segment/keys/core-keys.ts';
import { PackedKeys } from '../segment/keys/packed-keys.ts';
import { SegmentReader } from '../segment/segment-reader.ts';
import { holdingColdBytes } from '../storage/cold-cache.ts';
import type { Directory } from '../storage/directory.ts';
import { openFramed } from '../storage/frame.ts';
import { VERIFIED_FILE, Verification } from '../storage/verification.ts';
import { describingDocument } from './describe-document.ts';
import type { ErasedKeys } from './erased-keys.ts';
import type { Findings } from './findings.ts';
import type { VectorsSeen } from './vectors-seen.ts';

/** Documents whose fields are described; others are listed without. */
const DESCRIBED = 100;
/** A writer may replace a commit while its files are being opened. */
const ATTEMPTS = 20;

/** Why a generation is on disk. */
export interface GenerationState {
  readonly state: 'live' | 'kept' | 'staged' | 'unnamed';
  /** Milliseconds since 1970; null: no end is set. */
  readonly untilMs: number | null;
}

/** What is searched for, and where findings go. */
export interface GenerationSearch {
  readonly keys: ErasedKeys;
  readonly findings: Findings;
  readonly vectors: VectorsSeen;
  /** The index has embedding caches, with which the vectors are compared. */
  readonly compares: boolean;
  readonly now: number;
}

/** What names the segments of a folder: its newest commit, or a pin. */
interface Source {
  readonly commit: Commit;
  readonly pin: Pin | null;
}

const DEFAULTS: Readonly<
  Record<GenerationState['state'], { place: ErasurePlace; goes: ErasureEnd }>
> = {
  live: { place: 'deleted_document', goes: 'merge' },
  kept: { place: 'kept_generation', goes: 'expiry' },
  staged: { place: 'staged_generation', goes: 'job_end' },
  unnamed: { place: 'unreferenced_file', goes: 'commit' },
};

/** Searches a generation. Throws corrupt_index, io_error. */
export async function searchGeneration(
  directory: Directory,
  generation: GenerationState,
  search: GenerationSearch,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const before = readCommit(directory)?.number;
    const [remains, notes] = [search.findings.remains.length, search.findings.notes.length];
    try {
      await searchOnce(directory, generation, search);
      return;
    } catch (error) {
      const replaced = readCommit(directory)?.number !== before;
      if (!(error instanceof LhsError) || !replaced || attempt === ATTEMPTS) throw error;
      search.findings.remains.length = remains;
      search.findings.notes.length = notes;
    }
  }
}

async function searchOnce(
  directory: Directory,
  generation: GenerationState,
  search: GenerationSearch,
): Promise<void> {
  const { findings, now } = search;
  const names = directory.list();
  const sources = sourcesOf(directory, names, now);
  findings.examined.generations++;
  for (const source of sources) {
    findings.examined.commits++;
    for (const entry of source.commit.segments) {
      await searchSegment(directory, entry, { source, generation }, search);
    }
    searchSkipped(directory, source, generation, search);
  }
  searchUnreferenced(directory, names, sources, search);
}

/** The newest commit and those of pins that hold. */
function sourcesOf(directory: Directory, names: readonly string[], now: number): readonly Source[] {
  const commit = readCommit(directory);
  const pins = heldPins(names, now).flatMap((pin) => {
    try {
      return [{ commit: pinnedCommit(directory, pin.id, now), pin }];
    } catch (error) {
      // it was released meanwhile, or is being written: then it keeps no files
      if (error instanceof LhsError) return [];
      throw error;
    }
  });
  return commit === null ? pins : [{ commit, pin: null }, ...pins];
}

/** What names a segment: a commit of a generation. */
interface Naming {
  readonly source: Source;
  readonly generation: GenerationState;
}

async function searchSegment(
  directory: Directory,
  entry: SegmentEntry,
  naming: Naming,
  search: GenerationSearch,
): Promise<void> {
  const reader = SegmentReader.open(directory, entry, new Verification(directory));
  try {
    await holdingColdBytes(async () => {
      if (reader.isCold) await fetchColdFiles([reader], new Set(['keys']));
      const isErased = search.keys.find(reader.keys);
      if (reader.isCold) await fetchSearched(reader, isErased, search);
      await inTurns(examiningSegment(reader, directory, naming, search));
    });
  } catch (error) {
    const { source, generation } = naming;
    if (source.pin === null || !isMissingObject(error)) throw error;
    search.findings.add({
      ...placeOf(source, generation, false),
      key: null,
      where: search.findings.shown(directory.path, entry.id),
      detail: `a point in time that cannot be read: ${(error as LhsError).message}`,
    });
  } finally {
    reader.release();
  }
}

/** Fetches what the search reads of a cold segment. Throws what the store throws. */
async function fetchSearched(
  reader: SegmentReader,
  isErased: boolean,
  { compares }: GenerationSearch,
): Promise<void> {
  if (isErased) await fetchColdFiles([reader]);
  else if (compares) await fetchColdFiles([reader], new Set(['vector', 'graph']));
}

function* examiningSegment(
  reader: SegmentReader,
  { path }: Directory,
  { source, generation }: Naming,
  { keys, findings, vectors, compares }: GenerationSearch,
): Generator<void, void, undefined> {
  const { id, cold } = reader.entry;
  const { fields } = source.commit;
  findings.examined.segments++;
  findings.examined.documents += reader.docs;
  const found: [key: number, doc: number][] = [];
  keys.find(reader.keys, (key, doc) => void found.push([key, doc]));
  for (const [key, doc] of found) {
    yield;
    vectors.addErased(reader, doc, key, fields);
    const deleted = reader.isDeleted(doc);
    const described = findings.remains.length < DESCRIBED;
    const tier = cold === undefined ? '' : `, cold in "${cold.place}"`;
    findings.add({
      ...placeOf(source, generation, deleted, cold !== undefined),
      key,
      where: findings.shown(path, id),
      detail: `document ${doc} of segment "${id}"${tier}${deleted ? ', deleted' : ''}`,
      ...(described ? { fields: yield* describingDocument(reader, doc, fields) } : {}),
    });
  }
  if (compares && source.pin === null && generation.state !== 'unnamed') {
    yield* vectors.addLive(reader, fields, new Set(found.map(([, doc]) => doc)));
  }
}

function placeOf(
  { pin }: Source,
  { state, untilMs }: GenerationState,
  deleted: boolean,
  cold = false,
) {
  const until = (ms: number | null) => (ms === null ? {} : { until: new Date(ms).toISOString() });
  if (pin !== null) {
    return { place: 'pinned_commit', goes: 'expiry', ...until(pin.expiresAt) } as const;
  }
  if (state === 'live' && !deleted) return { place: 'live_document', goes: 'sync' } as const;
  // merges leave cold segments alone
  if (state === 'live' && cold) return { place: 'cold_window', goes: 'erase' } as const;
  const { place, goes } = DEFAULTS[state];
  return untilMs === null ? { place, goes } : { place, goes: 'expiry' as const, ...until(untilMs) };
}

/** The rows that a commit lists because they could not be indexed. */
function searchSkipped(
  directory: Directory,
  source: Source,
  generation: GenerationState,
  { keys, findings }: GenerationSearch,
): void {
  for (const { key: shown, reason } of source.commit.skipped?.first ?? []) {
    const key = keys.mentionedIn(`${shown ?? ''}\n${reason}`);
    if (key === undefined) continue;
    findings.add({
      ...placeOf(source, generation, true),
      ...(source.pin === null && generation.state === 'live'
        ? { place: 'skipped_row' as const, goes: 'sync' as const }
        : {}),
      key,
      where: findings.shown(directory.path, source.pin?.file ?? 'commit'),
      detail: 'a row that could not be indexed',
    });
  }
}

const KEY_FILE = /^(s\d+)\.(keys|core)$/;
const SEGMENT_FILE = /^(s\d+)\./;

function searchUnreferenced(
  directory: Directory,
  names: readonly string[],
  sources: readonly Source[],
  search: GenerationSearch,
): void {
  const named = new Set(sources.flatMap(({ commit }) => [...filesOf(commit)]));
  const pins = new Set(sources.flatMap(({ pin }) => (pin === null ? [] : [pin.file])));
  const left = names.filter((name) => !named.has(name) && !pins.has(name) && !holdsNoRows(name));
  const judged = new Map<string, boolean>();
  for (const name of names) {
    const segment = KEY_FILE.exec(name)?.[1];
    if (segment === undefined) continue;
    if (!left.includes(name)) judged.set(segment, judged.get(segment) ?? true);
    else judged.set(segment, searchKeyFile(directory, name, search));
  }
  for (const name of left) {
    if (KEY_FILE.test(name)) continue;
    const segment = SEGMENT_FILE.exec(name)?.[1];
    if (segment !== undefined && judged.get(segment) === true) continue;
    addUnreferenced(
      directory,
      name,
      search,
      null,
      'no commit names this file; it may hold the data',
    );
  }
}

/** Of the names that no commit lists: those of paths, positions and times. */
const holdsNoRows = (name: string): boolean =>
  name === VERIFIED_FILE || name === COMMIT_FILE || PAGE_FILE.test(name);

/** True if none of the keys is in the file. */
function searchKeyFile(directory: Directory, name: string, search: GenerationSearch): boolean {
  let found = false;
  try {
    const kind = name.endsWith('.core') ? 'core' : 'keys';
    const framed = openFramed(directory, name, kind);
    try {
      const { payload, path } = framed;
      const keys = kind === 'core' ? CoreKeys.open(payload, path) : PackedKeys.open(payload, path);
      search.keys.find(keys, (key) => {
        found = true;
        addUnreferenced(directory, name, search, key, 'no commit names this file');
      });
    } finally {
      framed.file.release();
    }
  } catch (error) {
    if (!(error instanceof LhsError)) throw error;
    found = true;
    addUnreferenced(directory, name, search, null, `no commit names this file: ${error.message}`);
  }
  return !found;
}

function addUnreferenced(
  directory: Directory,
  name: string,
  { findings }: GenerationSearch,
  key: number | null,
  detail: string,
): void {
  const where = findings.shown(directory.path, name);
  findings.add({ place: 'unreferenced_file', key, where, detail, goes: 'commit' });
}
