import { type Deadline, NO_DEADLINE } from '../../base/time/deadline.ts';
import type { InvertedReader } from '../../inverted/inverted-reader.ts';
import { demandBig, markAll } from '../../inverted/pattern/documents.ts';
import { type FoundTerms, foundTerms } from '../../inverted/pattern/found-terms.ts';
import { findNearTerms, findWithinEdits } from '../../inverted/pattern/near.ts';
import { possibleBlocks } from '../../inverted/pattern/possible-blocks.ts';
import { type BlockRange, blocksOf, findPrefix } from '../../inverted/pattern/prefix.ts';
import type { TermCursor } from '../../inverted/term-cursor.ts';
import { BIG, type TermInfo } from '../../postings/term-info.ts';
import { collectDemands } from '../../storage/cold-file.ts';
import { type NearWord, nextPossible, type TermAutomaton } from '../automaton/automaton.ts';

/** The clock is looked at once per so many terms + 1. */
const TERMS_A_CHECK = 0xfff;
/** Terms that die one after another before the dictionary is asked for the next that may match. */
const DEATHS_BEFORE_SEEK = 12;

/**
 * Sets the bits of all documents with a term that begins with `prefix`. However many terms that
 * are: matches are exact.
 */
export function fillPrefix(
  reader: InvertedReader,
  prefix: Uint8Array,
  bits: Int32Array,
  deadline: Deadline,
): void {
  foundTerms.lend((found) => {
    found.clear();
    findPrefix(reader, prefix, found, deadline);
    markAll(reader, found, bits, deadline);
  });
}

/** Sets the bits of all documents with a term that the automaton accepts. */
export function fillPattern(
  reader: InvertedReader,
  automaton: TermAutomaton,
  bits: Int32Array,
  deadline: Deadline,
): void {
  foundTerms.lend((found) => {
    found.clear();
    findPattern(reader, automaton, found, deadline);
    markAll(reader, found, bits, deadline);
  });
}

/** Demands the postings of all terms that `find` adds, once the dictionary is here. */
export function demandFound(
  reader: InvertedReader | null,
  find: (reader: InvertedReader, into: FoundTerms) => void,
): void {
  if (reader === null) return;
  foundTerms.lend((found) => {
    found.clear();
    find(reader, found);
    demandBig(reader, found);
  });
}

/** Adds all terms that the automaton accepts: by tables, where these are near a word. */
export function findPattern(
  reader: InvertedReader,
  automaton: TermAutomaton,
  into: FoundTerms,
  deadline: Deadline,
): void {
  if (automaton.near && findNear(reader, automaton.near, into)) return;
  const add = ({ df, kind, at }: TermInfo) => into.add(df, kind === BIG ? -1 - at : at);
  if (reader.cold) collectDemands(() => eachTerm(reader, automaton, () => {}, deadline));
  eachTerm(reader, automaton, add, deadline);
}

function findNear(reader: InvertedReader, near: NearWord, into: FoundTerms): boolean {
  if (near.edits === 1) return findNearTerms(reader, Buffer.from(near.word), into);
  return findWithinEdits(reader, near, into);
}

/** Told of a term: where its postings are, its distance, and the cursor that stands on it. */
export type OnTerm = (info: TermInfo, distance: number, cursor: TermCursor) => void;

/**
 * Calls `visit` with every term of the field that the automaton accepts. The states reached by the
 * bytes that a term shares with the one before are kept; after a run of terms that no match begins
 * like, the next possible one is sought.
 */
export function eachTerm(
  reader: InvertedReader,
  automaton: TermAutomaton,
  visit: OnTerm,
  deadline: Deadline = NO_DEADLINE,
): void {
  if (automaton.start < 0) return;
  const ranges = rangesOf(reader, automaton);
  const cursor = reader.termsIn(ranges);
  const path = new StatePath(automaton);
  let deaths = 0;
  let sought = false;
  let terms = 0;
  for (const { from, to } of ranges) {
    cursor.enter(from, to + 1);
    while (cursor.next()) {
      if ((++terms & TERMS_A_CHECK) === 0) deadline.check();
      // After a seek it is not known what the term shares with the last one that was read.
      const state = path.follow(cursor.source, cursor.length, sought ? 0 : cursor.shared);
      sought = false;
      if (state >= 0) {
        deaths = 0;
        if (automaton.accepts(state)) visit(cursor.info(), automaton.distance(state), cursor);
      } else if (++deaths > DEATHS_BEFORE_SEEK) {
        const target = nextPossible(automaton, cursor.bytes());
        if (target === undefined) return;
        cursor.seek(target);
        deaths = 0;
        sought = true;
      }
    }
  }
}

/** The blocks that may hold terms that the automaton accepts. */
const rangesOf = (reader: InvertedReader, automaton: TermAutomaton): readonly BlockRange[] =>
  reader.cold
    ? possibleBlocks(reader, (term) => nextPossible(automaton, term))
    : [blocksOf(reader, automaton.literalPrefix)];

/** The states that the bytes of the last term led through, as far as they live. */
class StatePath {
  readonly #automaton: TermAutomaton;
  #states = new Int32Array(64);
  #living = 1;

  constructor(automaton: TermAutomaton) {
    this.#automaton = automaton;
    this.#states[0] = automaton.start;
  }

  /** The state after a term that shares `shared` bytes with the last one; -1: it is no match. */
  follow(bytes: Uint8Array, length: number, shared: number): number {
    if (length >= this.#states.length) this.#grow(length);
    const states = this.#states;
    let at = Math.min(shared, this.#living - 1);
    let state = states[at];
    while (at < length) {
      state = this.#automaton.step(state, bytes[at]);
      if (state < 0) break;
      states[++at] = state;
    }
    this.#living = at + 1;
    return state;
  }

  #grow(length: number): void {
    const states = new Int32Array(2 * length);
    states.set(this.#states);
    this.#states = states;
  }
}
