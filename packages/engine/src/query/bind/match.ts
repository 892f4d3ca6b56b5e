/** `match`: the words of a text, exact or with edits, the last of them perhaps a prefix. */
import { LIMITS } from '../../base/limits.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import { requiredOf } from '../minimum.ts';
import type { Query } from '../query.ts';
import type { Clause, PhraseWord } from './clause.ts';
import { allOf, anyOf, NONE } from './clause.ts';
import { fuzzyAfter, type PatternNode, placedErrors } from './patterns.ts';
import type { BindScope } from './scope.ts';

export type MatchNode = Query & { readonly kind: 'match' };

const decoder = new TextDecoder();

/**
 * Every word apart; words of one position (synonyms) are alternatives. null: there are no words.
 */
export function matchWords(
  node: MatchNode,
  field: FieldPlan,
  words: readonly PhraseWord[],
  boost: number,
  scope: BindScope,
): Clause | null {
  if (words.length === 0) return null;
  const last = words[words.length - 1].offset;
  const groups = new Map<number, Clause[]>();
  for (const { term, offset } of words) {
    const group = groups.get(offset) ?? [];
    group.push(
      node.last_prefix === true && offset === last
        ? { kind: 'prefix', boost, field, prefix: term }
        : wordClause(node, field, term, boost, scope),
    );
    groups.set(offset, group);
  }
  const parts = [...groups.values()].map((group) => anyOf(group));
  return node.operator === 'or' ? enoughOf(parts, node) : allOf(parts);
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
  const build = () => fuzzyAfter(word, edits, exact);
  const automaton = placedErrors(node, scope.text, build);
  return { kind: 'pattern', boost, field, source: ['fuzzy', word, `${edits}/${exact}`], automaton };
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
