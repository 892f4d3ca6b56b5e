import { LhsError } from '@lakehouse-search/contract';
import type { FieldPlan } from '../../schema/field-plan.ts';
import { comparedText } from '../../schema/values/folded-keyword.ts';
import { pathPrefix } from '../../schema/variant-terms.ts';
import type { TermAutomaton } from '../automaton/automaton.ts';
import { compileFuzzy } from '../automaton/levenshtein.ts';
import { compileRegex } from '../automaton/regex.ts';
import { compileWildcard } from '../automaton/wildcard.ts';
import type { Query } from '../query.ts';
import type { Clause } from './clause.ts';
import { nodeError, type QueryText } from './scope.ts';

const encoder = new TextEncoder();

/** A node that is matched against terms as they stand in the dictionary. */
export type PatternNode = Query & { readonly kind: 'prefix' | 'wildcard' | 'regex' | 'fuzzy' };

/**
 * A pattern on a field with terms. On TEXT it is folded as the analyzer folds (never stemmed or
 * split), on a folded KEYWORD as its values are.
 */
export function bindPattern(
  field: FieldPlan,
  node: PatternNode,
  boost: number,
  text: QueryText,
): Clause {
  const analyzer = field.inverted?.kind === 'text' ? field.inverted.analyzer : null;
  const fold = (part: string) => analyzer?.normalize(part) ?? comparedText(field, part);
  if (node.kind === 'prefix') {
    return { kind: 'prefix', boost, field, prefix: encoder.encode(fold(node.value)) };
  }
  const build = (word: PatternNode) => compile(word as CompiledNode, fold);
  const automaton = placedErrors(node, text, () => build(node));
  const nearer = nearerTerms(node, build);
  return { kind: 'pattern', boost, field, source: sourceOf(node), automaton, ...nearer };
}

/** The same on the values of one path inside a flattened variant. */
export function bindPathPattern(
  field: FieldPlan,
  node: PatternNode,
  path: string,
  boost: number,
  text: QueryText,
): Clause {
  const head = encoder.encode(pathPrefix(path));
  if (node.kind === 'prefix') {
    const prefix = Buffer.concat([head, encoder.encode(node.value)]);
    return { kind: 'prefix', boost, field, prefix };
  }
  const build = (word: PatternNode) =>
    prefixed(
      head,
      compile(word as CompiledNode, (part) => part),
    );
  const automaton = placedErrors(node, text, () => build(node));
  const source = [path, ...sourceOf(node)];
  return { kind: 'pattern', boost, field, source, automaton, ...nearerTerms(node, build) };
}

/** The terms of a fuzzy word with fewer edits than it allows. */
function nearerTerms(
  node: PatternNode,
  build: (node: PatternNode) => TermAutomaton,
): Pick<PatternLeaf, 'nearer'> {
  if (node.kind !== 'fuzzy' || node.edits === 0) return {};
  return { nearer: Array.from({ length: node.edits }, (_, edits) => build({ ...node, edits })) };
}

const sourceOf = (node: PatternNode): readonly string[] => [
  node.kind,
  node.value,
  node.kind === 'fuzzy' ? `${node.edits}/${node.prefix_length ?? 0}` : '',
];

type CompiledNode = PatternNode & { readonly kind: 'wildcard' | 'regex' | 'fuzzy' };
type PatternLeaf = Clause & { readonly kind: 'pattern' };

function compile(node: CompiledNode, fold: (part: string) => string): TermAutomaton {
  if (node.kind === 'wildcard') return compileWildcard(node.value, fold);
  if (node.kind === 'regex') return compileRegex(node.value, fold);
  return fuzzyAfter(fold(node.value), node.edits, node.prefix_length ?? 0);
}

/**
 * The automaton of all terms within `edits` edits of a word, whose first `exact` characters are
 * equal.
 */
export function fuzzyAfter(word: string, edits: number, exact: number): TermAutomaton {
  if (exact === 0) return compileFuzzy(word, edits);
  const points = Array.from(word);
  const tail = compileFuzzy(points.slice(exact).join(''), edits);
  return prefixed(encoder.encode(points.slice(0, exact).join('')), tail);
}

/**
 * Errors of a pattern's compiler get the place of the clause, where they have none in the query.
 */
export function placedErrors(
  node: Query,
  text: QueryText,
  build: () => TermAutomaton,
): TermAutomaton {
  try {
    return build();
  } catch (error) {
    if (!(error instanceof LhsError) || error.place?.text === text) throw error;
    throw nodeError(text, node.span, error.message, error.hint, error.code);
  }
}

/**
 * The automaton of `head` followed by what `tail` accepts. States below head.length stand inside
 * the head.
 */
function prefixed(head: Uint8Array, tail: TermAutomaton): TermAutomaton {
  const length = head.length;
  const after = (state: number) => (state < 0 ? -1 : state + length);
  return {
    start: tail.start < 0 ? -1 : 0,
    literalPrefix: Buffer.concat([head, tail.literalPrefix]),
    step(state, byte) {
      if (state >= length) return after(tail.step(state - length, byte));
      if (head[state] !== byte) return -1;
      return state + 1 === length ? after(tail.start) : state + 1;
    },
    accepts: (state) => state >= length && tail.accepts(state - length),
    distance: (state) => (state >= length ? tail.distance(state - length) : -1),
    nextByte(state, from) {
      if (state >= length) return tail.nextByte(state - length, from);
      return head[state] >= from ? head[state] : -1;
    },
  };
}
