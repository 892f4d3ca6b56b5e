/**
 * A nondeterministic automaton made deterministic while it is used (lazy subset construction):
 *
 * 1. States that cannot reach an end are dropped, so that every state that is left has a match
 *    ahead.
 * 2. Bytes that no edge tells apart share a column of the transition table.
 * 3. A deterministic state is a sorted set of states; its row is filled cell by cell when a step
 *    first needs it.
 *
 * The number of states and the sum of their sets are capped, so neither time nor memory can
 * explode.
 */
import { LIMITS } from '../../base/limits.ts';
import type { TermAutomaton } from './automaton.ts';
import { type Nfa, tooLarge } from './nfa.ts';

const UNKNOWN = -2;
/** Members of all state sets together: 8 MB. */
const MEMBERS_MAX = 4_000_000;
const SMALL = 64;

/** The automaton that accepts what the nondeterministic one accepts from its state `start`. */
export function determinise(nfa: Nfa, start: number): TermAutomaton {
  return new LazyDfa(nfa, start);
}

class LazyDfa implements TermAutomaton {
  readonly start: number;
  private readonly nfa: Nfa;
  private readonly live: Uint8Array;
  private readonly classes: Uint8Array;
  /** By class: its first byte; then 256. */
  private readonly firstByte: number[];
  private table: Int32Array;
  private readonly sets: Uint16Array[] = [];
  private readonly distances: number[] = [];
  private readonly numbers = new Map<string, number>();
  private members = 0;
  private readonly mark: Int32Array;
  private stamp = 0;
  private prefix: Uint8Array | undefined;

  constructor(nfa: Nfa, start: number) {
    this.nfa = nfa;
    this.live = liveStates(nfa);
    [this.classes, this.firstByte] = byteClasses(nfa);
    this.table = new Int32Array(16 * this.width).fill(UNKNOWN);
    this.mark = new Int32Array(nfa.edges.length);
    this.start = this.number([start]);
  }

  get literalPrefix(): Uint8Array {
    this.prefix ??= this.findPrefix();
    return this.prefix;
  }

  step(state: number, byte: number): number {
    const cell = state * this.width + this.classes[byte];
    const known = this.table[cell];
    return known === UNKNOWN ? this.fill(state, byte, cell) : known;
  }

  accepts(state: number): boolean {
    return this.distances[state] >= 0;
  }

  distance(state: number): number {
    return this.distances[state];
  }

  nextByte(state: number, from: number): number {
    if (from > 255) return -1;
    if (this.step(state, from) >= 0) return from;
    for (let c = this.classes[from] + 1; c < this.width; c++) {
      const byte = this.firstByte[c];
      if (this.step(state, byte) >= 0) return byte;
    }
    return -1;
  }

  private get width(): number {
    return this.firstByte.length - 1;
  }

  private fill(state: number, byte: number, cell: number): number {
    const targets: number[] = [];
    for (const member of this.sets[state]) {
      for (const edge of this.nfa.edges[member]) {
        if (edge.lo <= byte && byte <= edge.hi) targets.push(edge.to);
      }
    }
    const next = this.number(targets);
    this.table[cell] = next;
    return next;
  }

  /** The number of the state that the targets and their empty moves make; -1 for the empty set. */
  private number(targets: readonly number[]): number {
    const set = this.close(targets);
    if (set.length === 0) return -1;
    // State numbers fit UTF-16 units: LIMITS.automatonStates is far below 65,536.
    const key = Buffer.from(set.buffer).toString('utf16le');
    const known = this.numbers.get(key);
    if (known !== undefined) return known;
    this.members += set.length;
    if (this.sets.length >= LIMITS.automatonStates || this.members > MEMBERS_MAX) {
      throw tooLarge(this.nfa.pattern);
    }
    this.numbers.set(key, this.sets.length);
    this.sets.push(set);
    this.distances.push(leastEnd(this.nfa, set));
    this.grow();
    return this.sets.length - 1;
  }

  private grow(): void {
    if (this.sets.length * this.width <= this.table.length) return;
    const table = new Int32Array(this.table.length * 2).fill(UNKNOWN);
    table.set(this.table);
    this.table = table;
  }

  /**
   * The targets and all that their empty moves reach, as far as it reads a byte or ends; sorted.
   */
  private close(targets: readonly number[]): Uint16Array {
    const { mark, nfa, live } = this;
    const stamp = ++this.stamp;
    const work = [...targets];
    const set: number[] = [];
    for (let state = work.pop(); state !== undefined; state = work.pop()) {
      if (live[state] === 0 || mark[state] === stamp) continue;
      const counts = nfa.edges[state].length > 0 || nfa.ends[state] >= 0;
      mark[state] = stamp;
      if (counts) set.push(state);
      for (const to of nfa.moves[state]) if (mark[to] !== stamp) work.push(to);
    }
    const out = Uint16Array.from(set);
    return out.length < SMALL ? out.sort() : this.sortByMarks(out);
  }

  /** Large sets are cheaper to sort by walking all states than by comparing. */
  private sortByMarks(set: Uint16Array): Uint16Array {
    const inside = new Uint8Array(this.mark.length);
    for (const state of set) inside[state] = 1;
    let n = 0;
    for (let state = 0; state < inside.length; state++) if (inside[state] === 1) set[n++] = state;
    return set;
  }

  private findPrefix(): Uint8Array {
    const bytes: number[] = [];
    let state = this.start;
    while (state >= 0 && !this.accepts(state) && bytes.length < LIMITS.keywordBytes) {
      const byte = this.nextByte(state, 0);
      if (this.nextByte(state, byte + 1) >= 0) break;
      bytes.push(byte);
      state = this.step(state, byte);
    }
    return Uint8Array.from(bytes);
  }
}

function leastEnd(nfa: Nfa, set: Uint16Array): number {
  let least = -1;
  for (const state of set) {
    const edits = nfa.ends[state];
    if (edits >= 0 && (least < 0 || edits < least)) least = edits;
  }
  return least;
}

/** 1 for every state from which an end can be reached. */
function liveStates(nfa: Nfa): Uint8Array {
  const back: number[][] = nfa.edges.map(() => []);
  nfa.edges.forEach((edges, from) => {
    for (const { to } of edges) back[to].push(from);
    for (const to of nfa.moves[from]) back[to].push(from);
  });
  const live = new Uint8Array(nfa.edges.length);
  const work = nfa.ends.flatMap((edits, state) => (edits >= 0 ? [state] : []));
  for (let state = work.pop(); state !== undefined; state = work.pop()) {
    if (live[state] === 1) continue;
    live[state] = 1;
    for (const from of back[state]) work.push(from);
  }
  return live;
}

/** The class of each byte, and the first byte of each class with 256 behind. */
function byteClasses(nfa: Nfa): [Uint8Array, number[]] {
  const cuts = new Uint8Array(257);
  cuts[0] = 1;
  for (const edges of nfa.edges) {
    for (const { lo, hi } of edges) {
      cuts[lo] = 1;
      cuts[hi + 1] = 1;
    }
  }
  const classes = new Uint8Array(256);
  const first: number[] = [];
  for (let byte = 0; byte < 256; byte++) {
    if (cuts[byte] === 1) first.push(byte);
    classes[byte] = first.length - 1;
  }
  return [classes, [...first, 256]];
}
