import type { FieldPlan } from '../../schema/field-plan.ts';
import type { TermAutomaton } from '../automaton/automaton.ts';
import type { BoundDocs } from './precomputed.ts';

/** A word of a phrase: its term, and how many positions after the phrase's first word it stands. */
export interface PhraseWord {
  readonly term: Uint8Array;
  readonly offset: number;
}
/** Inclusive bounds in the order-preserving 64-bit space of a numeric column. */
export interface NumberRange {
  readonly lower: bigint;
  readonly upper: bigint;
}
/** One end of a range over a sorted dictionary; absent means open. */
export interface ByteBound {
  readonly bytes: Uint8Array;
  readonly inclusive: boolean;
}

/**
 * A clause without parts. `boost` is the product of all boosts above it; every leaf but term,
 * phrase, phrase_prefix, precomputed and a fuzzy pattern scores just that.
 */
export type Leaf =
  | { readonly kind: 'all'; readonly boost: number }
  | {
      /** BM25 on TEXT; idf / (1 + k1) on KEYWORD. */
      readonly kind: 'term';
      readonly boost: number;
      readonly field: FieldPlan;
      readonly term: Uint8Array;
    }
  | {
      readonly kind: 'phrase';
      readonly boost: number;
      readonly field: FieldPlan;
      /** Two or more, by rising offset. */
      readonly words: readonly PhraseWord[];
      readonly slop: number;
    }
  | {
      /** Complete words, and after them a word that begins with `last`. */
      readonly kind: 'phrase_prefix';
      readonly boost: number;
      readonly field: FieldPlan;
      /** One or more, by rising offset; those of the scores. */
      readonly words: readonly PhraseWord[];
      /** `term`: the beginning of the word. */
      readonly last: PhraseWord;
    }
  | {
      /** Any of these terms. Sorted, without duplicates. */
      readonly kind: 'set';
      readonly boost: number;
      readonly field: FieldPlan;
      readonly terms: readonly Uint8Array[];
    }
  | {
      /** Every term that the automaton accepts. */
      readonly kind: 'pattern';
      readonly boost: number;
      readonly field: FieldPlan;
      /** What the automaton was made of: on one field the same patterns have the same texts. */
      readonly source: readonly string[];
      readonly automaton: TermAutomaton;
      /** Of a fuzzy word: its terms of 0 edits, and up to those of one edit less. */
      readonly nearer?: readonly TermAutomaton[];
    }
  | {
      /** Every term that begins with these bytes. */
      readonly kind: 'prefix';
      readonly boost: number;
      readonly field: FieldPlan;
      readonly prefix: Uint8Array;
    }
  | {
      /** Any value of the numeric column in any of the ranges. */
      readonly kind: 'numbers';
      readonly boost: number;
      readonly field: FieldPlan;
      readonly ranges: readonly NumberRange[];
    }
  | {
      /** Any value of a KEYWORD or IP between the bounds, compared as bytes. */
      readonly kind: 'span';
      readonly boost: number;
      readonly field: FieldPlan;
      readonly lower?: ByteBound;
      readonly upper?: ByteBound;
    }
  | { readonly kind: 'exists'; readonly boost: number; readonly field: FieldPlan }
  | {
      /** Encoded keys (schema/keys/key.ts). Sorted, without duplicates. */
      readonly kind: 'keys';
      readonly boost: number;
      readonly keys: readonly Uint8Array[];
    }
  | {
      /** Documents that were found before, with scores of their own. */
      readonly kind: 'precomputed';
      readonly boost: number;
      readonly precomputed: BoundDocs;
    };

/**
 * Matches when every `must` and `filter`, no `mustNot` and at least `minimum` of `should` match.
 * Scores must + should.
 */
export interface BoolClause {
  readonly kind: 'bool';
  readonly must: readonly Clause[];
  readonly should: readonly Clause[];
  readonly mustNot: readonly Clause[];
  readonly filter: readonly Clause[];
  readonly minimum: number;
}

/** Matches what any part matches. Scores the best part, and the others times `tie`. */
export interface MaxClause {
  readonly kind: 'max';
  readonly parts: readonly Clause[];
  /** 0 to 1. */
  readonly tie: number;
}

/** Matches what `part` matches. Scores of documents that match `negative` are multiplied. */
export interface DemotedClause {
  readonly kind: 'demoted';
  readonly part: Clause;
  readonly negative: Clause;
  readonly factor: number;
}

/** A clause with parts. */
export type CompoundClause = BoolClause | MaxClause | DemotedClause;

/**
 * A query bound to an index: fields resolved, values coerced, words analysed, patterns compiled,
 * boosts pushed down to the leaves. It knows nothing of segments, and is made once a query.
 */
export type Clause = Leaf | CompoundClause | { readonly kind: 'none' };

/** Matches nothing. */
export const NONE: Clause = Object.freeze({ kind: 'none' });

/** `a OR b`: the one part where there is one, `none` where there is none. */
export function anyOf(should: readonly Clause[]): Clause {
  if (should.length === 0) return NONE;
  if (should.length === 1) return should[0];
  return { kind: 'bool', must: [], should, mustNot: [], filter: [], minimum: 1 };
}

/** `a AND b` of one part or more. */
export function allOf(must: readonly Clause[]): Clause {
  if (must.length === 1) return must[0];
  return { kind: 'bool', must, should: [], mustNot: [], filter: [], minimum: 0 };
}

/** The matches of `clause`, each with the score `boost`. */
export function constant(clause: Clause, boost: number): Clause {
  if (clause.kind === 'none') return NONE;
  const must: Clause[] = [{ kind: 'all', boost }];
  return { kind: 'bool', must, should: [], mustNot: [], filter: [clause], minimum: 0 };
}

/** True for a leaf that gives all its matches one score. */
export function isConstant(clause: Clause): clause is Leaf {
  switch (clause.kind) {
    case 'term':
      return clause.field.type !== 'TEXT';
    case 'pattern':
      return (clause.nearer ?? []).length === 0;
    default:
      return CONSTANT.has(clause.kind);
  }
}

const CONSTANT: ReadonlySet<Clause['kind']> = new Set<Clause['kind']>([
  ...(['all', 'set', 'prefix', 'numbers', 'span', 'exists', 'keys'] as const),
]);

/** Byte strings in order, each once. */
export function sortedTerms(terms: readonly Uint8Array[]): readonly Uint8Array[] {
  const sorted = terms.toSorted(Buffer.compare);
  return sorted.filter((term, i) => i === 0 || Buffer.compare(term, sorted[i - 1]) !== 0);
}

/** The score of a document whose nearest term is so many edits away: each edit halves it. */
export const fuzzyScore = (boost: number, edits: number): number => boost / 2 ** edits;
