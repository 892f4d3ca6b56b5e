import type { Json, JsonObject } from '@lakehouse-search/contract';
import { boostOf, numberOf, objectOf, optionsOf, scalarOf, shown } from './body.ts';
import type { TableField } from './field-table.ts';
import { isLenient } from './options.ts';
import { clipped, illegal, malformed, unserved } from './refusal.ts';
import { bestOf, boosted, type QueryScope, type Tree } from './scope.ts';
import { targetField } from './target.ts';
import { type TextQuery, textTree } from './text-queries.ts';

/** A field with the factor of its score. */
export interface WeightedField {
  readonly field: TableField;
  readonly boost: number;
}

const TYPES: Readonly<Record<string, { readonly query: TextQuery; readonly tie: number }>> = {
  best_fields: { query: 'match', tie: 0 },
  most_fields: { query: 'match', tie: 1 },
  phrase: { query: 'match_phrase', tie: 0 },
  phrase_prefix: { query: 'match_phrase_prefix', tie: 0 },
  bool_prefix: { query: 'match_bool_prefix', tie: 1 },
};
const OPTIONS = [
  ...['query', 'fields', 'type', 'tie_breaker', 'boost', '_name', 'analyzer', 'operator'],
  ...['minimum_should_match', 'fuzziness', 'prefix_length', 'max_expansions', 'fuzzy_rewrite'],
  ...['fuzzy_transpositions', 'lenient', 'zero_terms_query', 'slop'],
  'auto_generate_synonyms_phrase_query',
];

/** `multi_match`: a text in several fields. */
export function multiMatch(json: Json, scope: QueryScope): Tree {
  const query = 'multi_match';
  const options = optionsOf(objectOf(json, query), query, OPTIONS);
  const text = scalarOf(options.query, query, 'query');
  const type = String(options.type ?? 'best_fields').toLowerCase();
  if (type === 'cross_fields')
    throw unserved(`[${query}] query of type [cross_fields] is not served`);
  if (!Object.hasOwn(TYPES, type)) {
    throw malformed(`[${query}] query does not support type [${clipped(type)}]`);
  }
  const kind = TYPES[type];
  const own = { ...ownOptions(options, type), lenient: isLenient(options) };
  const trees = weightedFields(options.fields, scope, query).map(({ field, boost }) =>
    boosted(textTree(kind.query, field, text, own, query, scope), boost),
  );
  const tie = options.tie_breaker === undefined ? kind.tie : tieOf(options.tie_breaker, query);
  return boosted(bestOf(trees, tie), boostOf(options, query));
}

/** `slop` belongs to phrases, `fuzziness` to words. */
function ownOptions(options: JsonObject, type: string): JsonObject {
  const { slop, fuzziness } = options;
  const isPhrase = type === 'phrase' || type === 'phrase_prefix';
  if (fuzziness !== undefined && isPhrase) {
    throw malformed(`Fuzziness not allowed for type [${type}]`);
  }
  if (slop !== undefined && slop !== 0 && !isPhrase) {
    throw malformed(`[slop] not allowed for type [${type}]`);
  }
  return options;
}

/** `tie_breaker`, from 0 to 1. Throws RefusedDsl. */
export function tieOf(json: Json, query: string): number {
  const tie = numberOf(json, query, 'tie_breaker');
  if (tie >= 0 && tie <= 1) return tie;
  throw illegal(`[${query}] query: tieBreakerMultiplier must be in [0, 1], found [${tie}]`);
}

const PATTERN_TYPES: ReadonlySet<string> = new Set(['TEXT', 'KEYWORD']);
/** Types of the fields that are searched if none is named. */
const WORD_TYPES: ReadonlySet<string> = new Set([
  ...['TEXT', 'KEYWORD', 'LONG', 'DOUBLE', 'BOOL', 'DATE', 'IP'],
]);

/**
 * The fields of names with `^boost` and `*`; without names, all fields that hold values. Fields
 * that the index does not have are left out. Throws RefusedDsl.
 */
export function weightedFields(
  json: Json | undefined,
  scope: QueryScope,
  query: string,
): readonly WeightedField[] {
  if (json === undefined || json === null) {
    return [...scope.fields.fields.values()]
      .filter(({ type, indexed, fast }) => WORD_TYPES.has(type) && (indexed || fast))
      .map((field) => ({ field, boost: 1 }));
  }
  const list = Array.isArray(json) ? (json as readonly Json[]) : [json];
  return list.flatMap((name) => {
    if (typeof name !== 'string') {
      throw malformed(`[${query}] query needs texts in [fields], found [${shown(name)}]`);
    }
    return namedFields(name, scope, query);
  });
}

function namedFields(text: string, scope: QueryScope, query: string): readonly WeightedField[] {
  const [name, factor, ...others] = text.split('^');
  const boost = factor === undefined ? 1 : numberOf(factor, query, 'fields');
  if (others.length > 0 || boost < 0) {
    throw illegal(`[${query}] query: invalid boost of field [${clipped(text)}]`);
  }
  if (!name.includes('*')) {
    const field = targetField(scope, name, query);
    return field === undefined ? [] : [{ field, boost }];
  }
  const parts = name.split('*').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  const pattern = new RegExp(`^${parts.join('[\\s\\S]*')}$`);
  return [...scope.fields.fields.values()]
    .filter((field) => PATTERN_TYPES.has(field.type) && field.indexed && pattern.test(field.name))
    .map((field) => ({ field, boost }));
}
