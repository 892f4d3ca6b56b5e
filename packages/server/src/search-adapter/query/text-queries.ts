/** `match`, `match_phrase`, `match_phrase_prefix` and `match_bool_prefix`. */
import type { Json, JsonObject } from '@lakehouse-search/contract';
import { boostOf, fieldBody, isObject, optionsOf, scalarOf, shown } from './body.ts';
import { dateTerm } from './date-tree.ts';
import type { TableField } from './field-table.ts';
import { fitsField } from './fitting-value.ts';
import {
  checkAnalyzer,
  checkExpansion,
  editsOf,
  minimumOf,
  operatorOf,
  requireDefault,
  wholeOf,
} from './options.ts';
import { illegal, unserved } from './refusal.ts';
import { boosted, MATCH_NONE, type QueryScope, type Tree } from './scope.ts';
import { anyField, isExact, targetField } from './target.ts';

/** The queries of a text in one field. */
export type TextQuery = 'match' | 'match_phrase' | 'match_phrase_prefix' | 'match_bool_prefix';

const COMMON = ['query', 'analyzer', 'boost', '_name', 'zero_terms_query'];
const FUZZY = [
  ...['fuzziness', 'prefix_length', 'max_expansions', 'fuzzy_rewrite', 'fuzzy_transpositions'],
  ...['lenient', 'operator', 'minimum_should_match', 'auto_generate_synonyms_phrase_query'],
];
const OPTIONS: Readonly<Record<TextQuery, readonly string[]>> = {
  match: [...COMMON, ...FUZZY],
  match_phrase: [...COMMON, 'slop', 'lenient'],
  match_phrase_prefix: [...COMMON, 'slop', 'max_expansions', 'lenient'],
  match_bool_prefix: [...COMMON, ...FUZZY],
};

/** A query of a text in one field, as `{field: text}` or `{field: {query: text, …}}`. */
export function textQuery(json: Json, scope: QueryScope, name: string): Tree {
  const query = name as TextQuery;
  const [fieldName, value] = fieldBody(json, query);
  const options = isObject(value) ? value : { query: value };
  optionsOf(options, query, OPTIONS[query]);
  const text = scalarOf(options.query, query, 'query');
  const field = targetField(scope, fieldName, query);
  const boost = boostOf(options, query);
  const tree = textTree(query, field ?? anyField(fieldName), text, options, query, scope);
  return field === undefined ? MATCH_NONE : boosted(tree, boost);
}

/** The tree of a text in a field. `name`: the query that messages name. Throws RefusedDsl. */
export function textTree(
  query: TextQuery,
  field: TableField,
  text: string,
  options: JsonObject,
  name: string,
  scope: QueryScope,
): Tree {
  checkExpansion(options, name);
  checkAnalyzer(options, name, field);
  if (!isReadable(query, field, text, options, scope)) return MATCH_NONE;
  const zero = { zero_terms: zeroTermsOf(options.zero_terms_query, name) };
  const base = { field: field.name, value: text };
  if (field.type === 'DATE') return dateTerm(field, options.query ?? text, {}, scope);
  if (query === 'match_phrase_prefix') {
    requireDefault(options, name, 'slop', [0, '0']);
    if (field.type === 'TEXT') return { phrase_prefix: { ...base, ...zero } };
    throw illegal(
      `Can only use phrase prefix queries on text fields - not on [${field.name}] which is of ` +
        `type [${field.type.toLowerCase()}]`,
    );
  }
  if (query === 'match_phrase') {
    const slop = wholeOf(options, name, 'slop', 0, 0);
    if (field.type !== 'TEXT') return { match: base };
    return { phrase: { ...base, ...(slop > 0 && { slop }), ...zero } };
  }
  const words = field.type === 'TEXT' ? { ...wordOptions(options, name), ...zero } : {};
  const last: JsonObject = query === 'match_bool_prefix' ? { last_prefix: true } : {};
  return { match: { ...base, ...words, ...fuzzyOptions(options, name), ...last } };
}

/** False: the query is lenient, and its text is no value of the field. */
function isReadable(
  query: TextQuery,
  field: TableField,
  text: string,
  { lenient, fuzziness }: JsonObject,
  scope: QueryScope,
): boolean {
  if (lenient !== true && lenient !== 'true') return true;
  if (query === 'match_phrase_prefix' && field.type !== 'TEXT') return false;
  const hasEdits = fuzziness !== undefined && field.type !== 'TEXT' && !isExact(field);
  return !hasEdits && fitsField(field, text, scope);
}

function wordOptions(options: JsonObject, name: string): JsonObject {
  const operator = operatorOf(options.operator, name);
  const minimum = minimumOf(options.minimum_should_match);
  return {
    ...(operator === 'and' && { operator }),
    ...(minimum !== undefined && { minimum_should_match: minimum }),
  };
}

function fuzzyOptions(options: JsonObject, name: string): JsonObject {
  const { fuzziness } = options;
  const exact = wholeOf(options, name, 'prefix_length', 0, 0);
  if (fuzziness === undefined || fuzziness === null) return {};
  const edits = editsOf(fuzziness, name);
  if (edits === 0) return {};
  return { edits, ...(exact > 0 && { prefix_length: exact }) };
}

function zeroTermsOf(value: Json | undefined, name: string): 'none' | 'all' {
  const text = String(value ?? 'none').toLowerCase();
  if (text === 'none' || text === 'all') return text;
  throw unserved(`[${name}] query with [zero_terms_query] of [${shown(value!)}] is not served`);
}
