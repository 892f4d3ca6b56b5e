import { LIMITS } from '../../base/limits.ts';
import type { TermAutomaton } from './automaton.ts';
import { determinise } from './dfa.ts';
import { Nfa, tooLarge } from './nfa.ts';
import { merge, type RegexNode } from './regex-node.ts';
import { RegexParser } from './regex-parser.ts';
import type { CodePointRange } from './utf8.ts';
import type { Normalize } from './wildcard.ts';

/**
 * The automaton of a regular expression over whole terms (Thompson's construction). With
 * `normalize`, single characters of the pattern are folded as the field's words are, and sets take
 * the folded forms of their members too, as far as those are single characters. Throws
 * invalid_query, or limit_exceeded for patterns that are too long or grow too large.
 */
export function compileRegex(pattern: string, normalize?: Normalize): TermAutomaton {
  const node = new RegexParser(pattern).parse();
  const nfa = new Nfa(pattern);
  const start = nfa.state();
  const end = nfa.state();
  nfa.end(end);
  new Builder(nfa, normalize).build(node, start, end);
  return determinise(nfa, start);
}

class Builder {
  private readonly nfa: Nfa;
  private readonly normalize: Normalize | undefined;
  private built = 0;
  /** Folded sets by their ranges: a pattern often repeats a set. */
  private readonly sets = new Map<string, readonly CodePointRange[]>();

  constructor(nfa: Nfa, normalize: Normalize | undefined) {
    this.nfa = nfa;
    this.normalize = normalize;
  }

  /**
   * Makes the node lead from one state to another. Empty parts count too: `(){1000}` repeated is
   * work as well.
   */
  build(node: RegexNode, from: number, to: number): void {
    if (++this.built > 4 * LIMITS.automatonStates) throw tooLarge(this.nfa.pattern);
    switch (node.kind) {
      case 'point': {
        const text = String.fromCodePoint(node.point);
        this.nfa.literal(from, this.normalize?.(text) ?? text, to);
        return;
      }
      case 'set':
        this.nfa.points(from, this.foldedOnce(node.ranges), to);
        return;
      case 'sequence':
        this.sequence(node.parts, from, to);
        return;
      case 'choice':
        for (const part of node.parts) this.build(part, from, to);
        return;
      case 'repeat':
        this.repeat(node, from, to);
        return;
    }
  }

  private sequence(parts: readonly RegexNode[], from: number, to: number): void {
    let at = from;
    for (const part of parts) at = this.after(part, at);
    this.nfa.move(at, to);
  }

  private after(part: RegexNode, from: number): number {
    const next = this.nfa.state();
    this.build(part, from, next);
    return next;
  }

  private repeat(node: RegexNode & { readonly kind: 'repeat' }, from: number, to: number): void {
    let at = from;
    for (let i = 0; i < node.min; i++) at = this.after(node.part, at);
    if (node.max === undefined) {
      const loop = this.nfa.state();
      this.nfa.move(at, loop);
      this.build(node.part, loop, loop);
      at = loop;
    } else {
      for (let i = node.min; i < node.max; i++) {
        this.nfa.move(at, to);
        at = this.after(node.part, at);
      }
    }
    this.nfa.move(at, to);
  }

  private foldedOnce(ranges: readonly CodePointRange[]): readonly CodePointRange[] {
    const name = ranges.join();
    const known = this.sets.get(name) ?? this.folded(ranges);
    this.sets.set(name, known);
    return known;
  }

  /** The set with the folded forms of its members, where the set is small enough to be listed. */
  private folded(ranges: readonly CodePointRange[]): readonly CodePointRange[] {
    const { normalize } = this;
    const size = ranges.reduce((sum, [lo, hi]) => sum + hi - lo + 1, 0);
    if (normalize === undefined || size > FOLD_MAX) return ranges;
    const points = ranges.flatMap(([lo, hi]) =>
      Array.from({ length: hi - lo + 1 }, (_, i) => lo + i),
    );
    const more = points.flatMap((point) => {
      const text = normalize(String.fromCodePoint(point));
      const other = text.codePointAt(0);
      const single = other !== undefined && text.length === (other > 0xffff ? 2 : 1);
      return single ? [[other, other] as const] : [];
    });
    return merge([...ranges, ...more]);
  }
}

/** Larger sets are negated ones or whole scripts: they hold the folded forms anyway. */
const FOLD_MAX = 512;
