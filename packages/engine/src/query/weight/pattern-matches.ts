import type { InvertedReader } from '../../inverted/inverted-reader.ts';
import type { TermAutomaton } from '../automaton/automaton.ts';
import { nextPossible } from '../automaton/automaton.ts';

/** Terms that die one after another before the dictionary is asked for the next that may match. */
const DEATHS_BEFORE_SEEK = 12;

/**
 * Sets the bits of all documents with a term that begins with `prefix`. However many terms that
 * are: matches are exact.
 */
export function fillPrefix(reader: InvertedReader, prefix: Uint8Array, bits: Int32Array): void {
  const cursor = reader.terms(prefix);
  while (cursor.next() && startsWith(cursor.bytes(), prefix)) reader.fill(cursor.info(), bits);
}

/** Sets the bits of all documents with a term that the automaton accepts. */
export function fillPattern(
  reader: InvertedReader,
  automaton: TermAutomaton,
  bits: Int32Array,
): void {
  eachTerm(reader, automaton, (info) => reader.fill(info, bits));
}

type Info = Parameters<InvertedReader['fill']>[0];

/**
 * Calls `visit` with every term of the field that the automaton accepts, with its distance. The
 * states reached by the bytes that a term shares with the one before are kept; after a run of terms
 * that no match begins like, the next possible one is sought.
 */
export function eachTerm(
  reader: InvertedReader,
  automaton: TermAutomaton,
  visit: (info: Info, distance: number, bytes: Uint8Array) => void,
): void {
  if (automaton.start < 0) return;
  const { literalPrefix } = automaton;
  const cursor = reader.terms(literalPrefix);
  const states: number[] = [automaton.start];
  let deaths = 0;
  let sought = false;
  while (cursor.next()) {
    const bytes = cursor.bytes();
    if (!startsWith(bytes, literalPrefix)) return;
    // After a seek it is not known what the term shares with the last one that was read.
    const known = sought ? 0 : Math.min(cursor.shared, states.length - 1);
    const state = run(automaton, states, bytes, known);
    sought = false;
    if (state >= 0) {
      deaths = 0;
      if (automaton.accepts(state)) visit(cursor.info(), automaton.distance(state), bytes);
    } else if (++deaths > DEATHS_BEFORE_SEEK) {
      const target = nextPossible(automaton, bytes);
      if (target === undefined) return;
      cursor.seek(target);
      deaths = 0;
      sought = true;
    }
  }
}

/**
 * Steps through bytes[known ..); `states` ends with the last living state. Returns the final state,
 * or -1.
 */
function run(automaton: TermAutomaton, states: number[], bytes: Uint8Array, known: number): number {
  if (known < states.length - 1) states.length = known + 1;
  for (let i = states.length - 1; i < bytes.length; i++) {
    const state = automaton.step(states[i]!, bytes[i]!);
    if (state < 0) return -1;
    states.push(state);
  }
  return states[bytes.length]!;
}

function startsWith(bytes: Uint8Array, prefix: Uint8Array): boolean {
  if (bytes.length < prefix.length) return false;
  for (let i = 0; i < prefix.length; i++) if (bytes[i] !== prefix[i]) return false;
  return true;
}
