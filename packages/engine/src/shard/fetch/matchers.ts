import type { TermAutomaton } from '../../query/automaton/automaton.ts';
import type { Clause, PhraseWord } from '../../query/bind/clause.ts';
import type { TermVisitor } from '../../query/clauses/module.ts';
import { positiveLeaves, visitTerms } from '../../query/clauses/registry.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';

/**
 * A phrase to be marked as a whole (slop 0) or word by word. `words` are numbers in
 * `FieldMatchers.words`.
 */
export interface PhraseMatcher {
  readonly words: readonly number[];
  readonly offsets: readonly number[];
  readonly slop: number;
}

/** A phrase that a word which begins with `prefix` ends; it is marked as a whole. */
export interface OpenPhraseMatcher {
  readonly words: readonly number[];
  readonly offsets: readonly number[];
  readonly prefix: Uint8Array;
  /** Of the last word. */
  readonly offset: number;
}

/** What a query looks for in one TEXT field: all that may be marked there. */
export interface FieldMatchers {
  /** Number of each word, by its term's bytes as Latin-1 text. */
  readonly words: ReadonlyMap<string, number>;
  /** Words that are marked wherever they stand. */
  readonly single: ReadonlySet<number>;
  readonly phrases: readonly PhraseMatcher[];
  readonly openPhrases: readonly OpenPhraseMatcher[];
  readonly prefixes: readonly Uint8Array[];
  readonly automata: readonly TermAutomaton[];
}

/** A term's bytes as a map key. */
export function termText(bytes: Uint8Array, from = 0, to = bytes.length): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('latin1');
}

/**
 * The matchers of `field` in a query; null when the query looks for nothing there. must_not is no
 * reason to mark.
 */
export function fieldMatchers(clause: Clause, field: FieldPlan): FieldMatchers | null {
  const words = new Map<string, number>();
  const single = new Set<number>();
  const phrases: PhraseMatcher[] = [];
  const openPhrases: OpenPhraseMatcher[] = [];
  const prefixes: Uint8Array[] = [];
  const automata: TermAutomaton[] = [];
  const number = (term: Uint8Array): number => {
    const text = termText(term);
    const known = words.get(text) ?? words.size;
    words.set(text, known);
    return known;
  };
  const numbered = (list: readonly PhraseWord[]) => ({
    words: list.map(({ term }) => number(term)),
    offsets: list.map(({ offset }) => offset),
  });
  const visitor: TermVisitor = {
    word: (term) => single.add(number(term)),
    phrase: (list, slop) => phrases.push({ ...numbered(list), slop }),
    openPhrase: (list, { term: prefix, offset }) =>
      openPhrases.push({ ...numbered(list), prefix, offset }),
    prefix: (prefix) => prefixes.push(prefix),
    pattern: (automaton) => automata.push(automaton),
  };
  for (const leaf of positiveLeaves(clause)) {
    if ('field' in leaf && leaf.field.id === field.id) visitTerms(leaf, visitor);
  }
  const some = words.size + prefixes.length + automata.length > 0;
  return some ? { words, single, phrases, openPhrases, prefixes, automata } : null;
}
