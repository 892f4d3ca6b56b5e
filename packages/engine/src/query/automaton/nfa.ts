import { LhsError } from '@lakehouse-search/contract';
import { LIMITS } from '../../base/limits.ts';
import { type CodePointRange, EVERY_TAIL, utf8Sequences } from './utf8.ts';

/** A byte transition: bytes lo..hi lead to `to`. */
export interface Edge {
  readonly lo: number;
  readonly hi: number;
  readonly to: number;
}

/** The error for patterns that grow too large. */
export function tooLarge(pattern: string): LhsError {
  const shown = pattern.length > 40 ? `${pattern.slice(0, 40)}…` : pattern;
  const message = `pattern "${shown}" needs more than ${LIMITS.automatonStates} states`;
  return new LhsError('limit_exceeded', message, {
    hint: 'use fewer or smaller repetitions, or a longer literal beginning',
  });
}

/**
 * A nondeterministic automaton under construction: states with byte ranges and empty moves.
 * Transitions on code points are spelled out in UTF-8 bytes. Throws limit_exceeded at
 * LIMITS.automatonStates.
 */
export class Nfa {
  readonly pattern: string;
  readonly edges: Edge[][] = [];
  readonly moves: number[][] = [];
  /** By state: edits of a term that ends here, -1 where none may end. */
  readonly ends: number[] = [];

  constructor(pattern: string) {
    this.pattern = pattern;
  }

  /** A new state. */
  state(): number {
    if (this.edges.length >= LIMITS.automatonStates) throw tooLarge(this.pattern);
    this.edges.push([]);
    this.moves.push([]);
    this.ends.push(-1);
    return this.edges.length - 1;
  }

  /** Terms may end in this state, with that many edits. */
  end(state: number, edits = 0): void {
    this.ends[state] = edits;
  }

  /** A move that reads nothing. */
  move(from: number, to: number): void {
    this.moves[from].push(to);
  }

  /** A move that reads one byte of lo..hi. */
  byte(from: number, lo: number, hi: number, to: number): void {
    this.edges[from].push({ lo, hi, to });
  }

  /** A move that reads one code point of the ranges (sorted, disjoint). */
  points(from: number, ranges: readonly CodePointRange[], to: number): void {
    const tails = new Map<string, number>();
    const tail = (lo: number, hi: number, next: number): number => {
      const key = `${lo}-${hi}-${next}`;
      let state = tails.get(key);
      if (state === undefined) {
        state = this.state();
        tails.set(key, state);
        this.byte(state, lo, hi, next);
      }
      return state;
    };
    for (const [lo, hi] of ranges) {
      const sequences = lo <= 0x80 && hi === 0x10ffff ? everythingFrom(lo) : utf8Sequences(lo, hi);
      for (const bytes of sequences) {
        let next = to;
        for (let i = bytes.length - 1; i > 0; i--) next = tail(bytes[i][0], bytes[i][1], next);
        this.byte(from, bytes[0][0], bytes[0][1], next);
      }
    }
  }

  /** The text as it is. */
  literal(from: number, text: string, to: number): void {
    const bytes = Buffer.from(text);
    if (bytes.length === 0) this.move(from, to);
    let at = from;
    for (let i = 0; i < bytes.length; i++) {
      const next = i === bytes.length - 1 ? to : this.state();
      this.byte(at, bytes[i], bytes[i], next);
      at = next;
    }
  }
}

/**
 * From an ASCII character to the last code point: loose lead bytes do, since terms are valid UTF-8.
 */
function everythingFrom(lo: number): (readonly (readonly [number, number])[])[] {
  return lo < 0x80 ? [[[lo, 0x7f]], ...EVERY_TAIL] : [...EVERY_TAIL];
}
