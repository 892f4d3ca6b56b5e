/**
 * A deterministic automaton over the UTF-8 bytes of whole terms, for walking a sorted term
 * dictionary: wildcards, regular expressions and edit distances are all one of these. States are
 * small integers; they are made when first reached, so one automaton belongs to one thread. Terms
 * are taken to be valid UTF-8.
 */
export interface TermAutomaton {
  /** The state before the first byte; -1 when nothing can match. */
  readonly start: number;
  /** The bytes with which every accepted term begins. */
  readonly literalPrefix: Uint8Array;
  /** Where it accepts the terms within one or two edits of a word and nothing else. */
  readonly near?: NearWord;
  /**
   * The state after one more byte, or -1: no continuation matches. A state >= 0 always has one that
   * does. Throws limit_exceeded when the pattern grows past LIMITS.automatonStates.
   */
  step(state: number, byte: number): number;
  /** True when a term may end in this state. */
  accepts(state: number): boolean;
  /**
   * Edits between the pattern's word and a term that ends in this state (0 unless fuzzy); -1 when
   * it may not end.
   */
  distance(state: number): number;
  /** The smallest byte >= from that leads on from this state, or -1. */
  nextByte(state: number, from: number): number;
}

/** A word of well-formed Unicode, and how many edits away terms may be: 1 or 2. */
export interface NearWord {
  readonly word: string;
  readonly edits: number;
}

/**
 * The distance of the term bytes[from .. to) (0 for any match that is not fuzzy), or -1 when it
 * does not match.
 */
export function matchTerm(
  automaton: TermAutomaton,
  bytes: Uint8Array,
  from = 0,
  to = bytes.length,
): number {
  let state = automaton.start;
  for (let i = from; i < to && state >= 0; i++) state = automaton.step(state, bytes[i]);
  return state < 0 ? -1 : automaton.distance(state);
}

/**
 * Where to look next in a sorted dictionary: the term itself when it matches, else bytes such that
 * no match lies between the term and them; undefined when no match follows. The bytes need not be a
 * match: seek to the first term >= them and ask again (Lucene's AutomatonTermsEnum works this way).
 * Each answer is larger than the term that was asked.
 */
export function nextPossible(automaton: TermAutomaton, term: Uint8Array): Uint8Array | undefined {
  if (automaton.start < 0) return undefined;
  const states = [automaton.start];
  for (let i = 0; i < term.length; i++) {
    const state = automaton.step(states[i], term[i]);
    if (state < 0) return climb(automaton, term, states, i);
    states.push(state);
  }
  const last = states.at(-1)!;
  if (automaton.accepts(last)) return term;
  return extend(term, term.length, automaton.nextByte(last, 0));
}

/**
 * The first prefix of the term, from the longest, that a larger byte than the term's own leads on
 * from.
 */
function climb(
  automaton: TermAutomaton,
  term: Uint8Array,
  states: readonly number[],
  from: number,
): Uint8Array | undefined {
  for (let i = from; i >= 0; i--) {
    const byte = automaton.nextByte(states[i], term[i] + 1);
    if (byte >= 0) return extend(term, i, byte);
  }
  return undefined;
}

function extend(term: Uint8Array, length: number, byte: number): Uint8Array {
  const out = new Uint8Array(length + 1);
  out.set(term.subarray(0, length));
  out[length] = byte;
  return out;
}
