/** `match`: the words of a text, exact or with edits, the last of them perhaps a prefix. */
import { LIMITS } from '../../base/limits.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import { requiredOf } from '../minimum.ts';
import type { Query } from '../query.ts';
import { allOf, anyOf, type Clause, NONE, type PhraseWord } from './clause.ts';
import { fuzzyAfter, type PatternNode, placedErrors } from './patterns.ts';
import { type BindScope, countLeaf } from './scope.ts';
import { type Stretch, stretchesOf } from './synonyms.ts';
import { phraseOf } from './words.ts';

export type MatchNode = Query & { readonly kind: 'match' };

const decoder = new TextDecoder();

/**
 * Every word apart; words of one position are alternatives, and so are synonyms. null: there are
 * no words.
 */
export function matchWords(
  node: MatchNode,
  field: FieldPlan,
  words: readonly PhraseWord[],
  boost: number,
  scope: BindScope,
): Clause | null {
  if (words.length === 0) return null;
  const { offset: last } = words[words.length - 1];
  const isWhole = ({ offset }: PhraseWord) => node.last_prefix !== true || offset !== last;
  const stretches = stretchesOf(words.filter(isWhole), scope.fields.synonyms?.(field));
  const parts = stretches.flatMap((stretch) => stretchParts(node, field, stretch, boost, scope));
  const open = words.filter((word) => !isWhole(word));
  if (open.length > 0) {
    parts.push(anyOf(open.map(({ term }) => ({ kind: 'prefix', boost, field, prefix: term }))));
  }
  return node.operator === 'or' ? enoughOf(parts, node) : allOf(parts);
}

/** The clauses of a stretch: its words, and its synonyms if it has some. */
function stretchParts(
  node: MatchNode,
  field: FieldPlan,
  { words, keeps = true, others }: Stretch,
  boost: number,
  scope: BindScope,
): readonly Clause[] {
  const own = words.map(({ term }) => wordClause(node, field, term, boost, scope));
  if (others === undefined) return [anyOf(own)];
  const phrases = others.flatMap((other) => {
    countLeaf(node, scope);
    return phraseOf(field, other.words, 0, boost) ?? [];
  });
  const isLoose = node.operator === 'or' && node.minimum_should_match === undefined;
  if (isLoose) return [...(keeps ? own : []), ...phrases];
  return [anyOf([...(keeps ? [allOf(own)] : []), ...phrases])];
}

function enoughOf(parts: readonly Clause[], { minimum_should_match: wanted }: MatchNode): Clause {
  if (wanted === undefined || parts.length === 1) return anyOf(parts);
  const required = typeof wanted === 'string' ? requiredOf(wanted, parts.length) : wanted;
  if (required <= 1) return anyOf(parts);
  if (required > parts.length) return NONE;
  return { kind: 'bool', must: [], should: parts, mustNot: [], filter: [], minimum: required };
}

function wordClause(
  node: MatchNode,
  field: FieldPlan,
  term: Uint8Array,
  boost: number,
  scope: BindScope,
): Clause {
  if (node.edits === undefined || node.edits === 0) return { kind: 'term', boost, field, term };
  const word = decoder.decode(term);
  const edits = editsOf(node, word);
  if (edits === 0) return { kind: 'term', boost, field, term };
  const exact = node.prefix_length ?? 0;
  const build = (most: number) =>
    placedErrors(node, scope.text, () => fuzzyAfter(word, most, exact));
  const [automaton, source] = [build(edits), ['fuzzy', word, `${edits}/${exact}`]];
  const nearer = Array.from({ length: edits }, (_, fewer) => build(fewer));
  return { kind: 'pattern', boost, field, source, automaton, nearer };
}

/** The edits of a word: under `auto` none for up to 2 characters, 1 for up to 5, else 2. */
function editsOf({ edits = 0 }: MatchNode, word: string): number {
  if (edits !== 'auto') return edits;
  const { length } = Array.from(word);
  return length < 3 ? 0 : length < 6 ? 1 : LIMITS.fuzzyEdits;
}

/** What a `match` with edits or a prefix asks of whole values; null: it asks for equal values. */
export function valuePattern(node: MatchNode): PatternNode | null {
  const { field, value, span } = node;
  const place = span === undefined ? {} : { span };
  if (node.last_prefix === true) return { kind: 'prefix', field, value, ...place };
  const edits = editsOf(node, value);
  if (edits === 0) return null;
  return { kind: 'fuzzy', field, value, edits, prefix_length: node.prefix_length ?? 0, ...place };
}
