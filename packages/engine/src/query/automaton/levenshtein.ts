import { LhsError } from '@lakehouse-search/contract';
import { LIMITS } from '../../base/limits.ts';
import type { NearWord, TermAutomaton } from './automaton.ts';
import { determinise } from './dfa.ts';
import { Nfa } from './nfa.ts';
import { EVERY_POINT } from './utf8.ts';
import { refuseLong } from './wildcard.ts';

/**
 * The automaton of all terms within `edits` edits of the word: a code point inserted, deleted,
 * replaced, or two neighbours swapped (optimal string alignment: no part is edited twice).
 * `distance` tells how many edits it took. A state of the construction says how much of the word is
 * read and how many edits are spent (Schulz and Mihov, "Fast string correction with Levenshtein
 * automata", 2002). Throws limit_exceeded for more than LIMITS.fuzzyEdits edits.
 */
export function compileFuzzy(word: string, edits: number): TermAutomaton {
  refuseLong(word);
  if (!Number.isInteger(edits) || edits < 0 || edits > LIMITS.fuzzyEdits) {
    const most = LIMITS.fuzzyEdits;
    const message = `an edit distance of ${edits} cannot be searched: 0 to ${most} can`;
    throw new LhsError('limit_exceeded', message);
  }
  const points = Array.from(word.toWellFormed());
  if (edits === 0) return oneTerm(encoder.encode(points.join('')));
  return points.length <= LONGEST_NEAR ? new Near(points, edits) : build(points, edits);
}

const encoder = new TextEncoder();

/** The automaton of one term. */
function oneTerm(bytes: Uint8Array): TermAutomaton {
  const { length } = bytes;
  return {
    start: 0,
    literalPrefix: bytes,
    step: (state, byte) => (bytes[state] === byte ? state + 1 : -1),
    accepts: (state) => state === length,
    distance: (state) => (state === length ? 0 : -1),
    nextByte: (state, from) => (state < length && bytes[state] >= from ? bytes[state] : -1),
  };
}

function build(points: readonly string[], edits: number): TermAutomaton {
  const nfa = new Nfa(points.join(''));
  const grid = Array.from({ length: edits + 1 }, () =>
    Array.from({ length: points.length + 1 }, () => nfa.state()),
  );
  for (let spent = 0; spent <= edits; spent++) {
    for (const [i, point] of points.entries()) {
      nfa.literal(grid[spent][i], point, grid[spent][i + 1]);
    }
    nfa.end(grid[spent][points.length], spent);
    if (spent < edits) addEdits(nfa, points, grid[spent], grid[spent + 1]);
  }
  return determinise(nfa, grid[0][0]);
}

/** Longer words are compiled at once, so that those too long for an automaton are refused here. */
const LONGEST_NEAR = 64;

/**
 * The terms within one or two edits: most are found by tables (inverted/pattern/near.ts). The
 * automaton is built when it is first asked for a state.
 */
class Near implements TermAutomaton {
  readonly near: NearWord;
  readonly #points: readonly string[];
  #built: TermAutomaton | null = null;

  constructor(points: readonly string[], edits: number) {
    this.near = { word: points.join(''), edits };
    this.#points = points;
  }

  get start(): number {
    return this.#automaton.start;
  }

  get literalPrefix(): Uint8Array {
    return this.#automaton.literalPrefix;
  }

  step(state: number, byte: number): number {
    return this.#automaton.step(state, byte);
  }

  accepts(state: number): boolean {
    return this.#automaton.accepts(state);
  }

  distance(state: number): number {
    return this.#automaton.distance(state);
  }

  nextByte(state: number, from: number): number {
    return this.#automaton.nextByte(state, from);
  }

  get #automaton(): TermAutomaton {
    this.#built ??= build(this.#points, this.near.edits);
    return this.#built;
  }
}

/** One edit more: from the row of states with fewer edits to the row with one more. */
function addEdits(
  nfa: Nfa,
  points: readonly string[],
  row: readonly number[],
  more: readonly number[],
): void {
  for (let i = 0; i <= points.length; i++) {
    nfa.points(row[i], EVERY_POINT, more[i]);
    if (i === points.length) continue;
    nfa.points(row[i], EVERY_POINT, more[i + 1]);
    nfa.move(row[i], more[i + 1]);
    if (i + 1 < points.length && points[i] !== points[i + 1]) {
      nfa.literal(row[i], points[i + 1] + points[i], more[i + 2]);
    }
  }
}
