/** The terms of a search in the segments of an arena, looked up by the kernel or for it. */
import { blameIndex } from '../../postings/damage.ts';
import { BIG, type TermInfo, termOfRef, termRef } from '../../postings/term-info.ts';
import type { Arena } from '../../storage/directory.ts';
import type { QueryTerm, ScoringSegment, SegmentTerms, TermSearch } from '../request.ts';
import { type Workspace, workspacesOf } from '../workspace.ts';
import { sampleStep } from './dictionary-samples.ts';
import { ENTRY, ENTRY_BYTES, QUERY, QUERY_SEGMENTS, QUERY_TEXT } from './kernel-memory.ts';

/** True when the segments are of one arena and no more than a call takes. */
export function isOnePart({ segments }: TermSearch): boolean {
  const { length } = segments;
  for (let s = 1; s < length; s++) {
    if (segments[s].reader.arena !== segments[0].reader.arena) return false;
  }
  return length > 0 && length <= QUERY_SEGMENTS;
}

/**
 * Writes the terms, describes the segments and looks the terms up in them. The kernel does it,
 * except in cold ones, where postings are demanded first, and for terms that are too long for it.
 */
export function lookUp(
  search: TermSearch,
  asked: number,
  averageLength: number,
  workspace: Workspace,
): void {
  const fits = writeTerms(search, asked, workspace.arena);
  if (!(fits && lookUpIn(search, asked, averageLength, workspace, false))) {
    lookUpIn(search, asked, averageLength, workspace, true);
  }
}

/**
 * `known`: all terms are looked up for the kernel. False where a dictionary has a term that is too
 * long for it.
 */
function lookUpIn(
  { segments, terms, statistics }: TermSearch,
  asked: number,
  averageLength: number,
  workspace: Workspace,
  known: boolean,
): boolean {
  const { arena, kernel, samples } = workspace;
  samples.begin();
  for (let s = 0; s < segments.length; s++) {
    const { reader } = segments[s];
    const entry = QUERY.segments + ENTRY_BYTES * s;
    const isKnown = known || reader.cold;
    describe(segments[s], entry, asked, averageLength, arena);
    arena.i32[(entry + ENTRY.known) >> 2] = isKnown ? 1 : 0;
    if (isKnown) writeFound(segments[s], terms, asked, s, arena);
    else arena.i32[(entry + ENTRY.samples) >> 2] = samples.of(reader, entry, kernel);
  }
  const given = statistics === undefined ? 0 : 1;
  return blameIndex(() => kernel.lookup(segments.length, asked, given)) !== 0;
}

/** Describes a segment of a search of `asked` terms to the kernel, at `entry`. */
function describe(
  { reader, ranks, blocked, living }: ScoringSegment,
  entry: number,
  asked: number,
  averageLength: number,
  { i32, f64 }: Arena,
): void {
  const { addresses } = reader;
  for (let i = 0; i < addresses.length; i++) i32[(entry >> 2) + i] = addresses[i];
  f64[(entry + ENTRY.scale) >> 3] = averageLength / reader.averageLength;
  i32[(entry + ENTRY.ranks) >> 2] = ranks === null ? 0 : ranks.byteOffset;
  i32[(entry + ENTRY.blocked) >> 2] = blocked === null ? 0 : blocked.byteOffset;
  i32[(entry + ENTRY.exact) >> 2] = blocked === null || living !== null ? 1 : 0;
  i32[(entry + ENTRY.step) >> 2] = sampleStep(reader);
  for (let k = 0; k < asked; k++) i32[((entry + ENTRY.living) >> 2) + k] = -1;
}

/** Puts the terms where the kernel reads them; false where one is too long. */
function writeTerms({ terms }: TermSearch, asked: number, { u8, i32, f64 }: Arena): boolean {
  let fits = true;
  for (let k = 0; k < asked; k++) {
    const { bytes, boost } = terms[k];
    const { length } = bytes;
    f64[(QUERY.boosts >> 3) + k] = boost;
    if (length > QUERY_TEXT) {
      fits = false;
      continue;
    }
    const at = QUERY.text + (k << 8);
    for (let i = 0; i < length; i++) u8[at + i] = bytes[i];
    for (let i = length; i < 8; i++) u8[at + i] = 0;
    i32[(QUERY.lengths >> 2) + k] = length;
  }
  return fits;
}

/** Writes where a segment has the terms; their postings may be read then. */
function writeFound(
  { reader }: ScoringSegment,
  terms: readonly QueryTerm[],
  asked: number,
  s: number,
  { i32 }: Arena,
): void {
  for (let k = 0; k < asked; k++) {
    const info = reader.lookup(terms[k].bytes);
    if (info?.kind === BIG) reader.big(info);
    const at = foundAt(s, k);
    i32[at] = info?.df ?? 0;
    i32[at + 1] = info === null ? 0 : termRef(info);
  }
}

/**
 * The terms of a phrase in several segments, looked up by the kernel, which reads tables of their
 * postings ahead; null where it cannot, and for one segment, which gains nothing.
 */
export function lookUpByKernel(search: TermSearch): readonly SegmentTerms[] | null {
  const { segments, terms } = search;
  if (segments.length < 2 || !isOnePart(search)) return null;
  return workspacesOf(segments[0].reader.arena).lend((workspace) => {
    lookUp(search, terms.length, 1, workspace);
    workspace.kernel.readAhead(0, segments.length, terms.length, 0);
    return segments.map((_, s) => foundIn(s, terms.length, workspace.arena));
  });
}

/** The word with the documents of term `k` in segment `s`; its reference follows. */
const foundAt = (s: number, k: number): number =>
  ((QUERY.segments + ENTRY_BYTES * s + ENTRY.found) >> 2) + 2 * k;

/** The terms that the kernel found in segment `s`. */
function foundIn(s: number, asked: number, { i32 }: Arena): SegmentTerms {
  const found: (TermInfo | null)[] = [];
  for (let k = 0; k < asked; k++) {
    const at = foundAt(s, i32[(QUERY.firsts >> 2) + k]);
    found.push(i32[at] === 0 ? null : termOfRef(i32[at], i32[at + 1]));
  }
  return found;
}
