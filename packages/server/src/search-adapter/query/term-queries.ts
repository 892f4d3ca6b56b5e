/** Queries of exact values and of patterns: `term`, `terms`, `ids`, `exists`, `prefix` and more. */
import type { Json, JsonObject } from '@lakehouse-search/contract';
import { coordinatesOfId } from '../base/document-id.ts';
import { matches } from '../base/filter-path.ts';
import { boostOf, fieldBody, isObject, objectOf, optionsOf, scalarOf } from './body.ts';
import { dateTerm } from './date-tree.ts';
import type { TableField } from './field-table.ts';
import { isFraction } from './fitting-value.ts';
import { checkExpansion, editsOf, editsOfValue, wholeOf } from './options.ts';
import { caseInsensitive, regexpTree } from './patterns.ts';
import { clipped, illegal, malformed, unserved } from './refusal.ts';
import { boosted, constantOf, MATCH_ALL, MATCH_NONE, type QueryScope, type Tree } from './scope.ts';
import { anyField, isExact, targetField } from './target.ts';

const ID = '_id';
const MOST_VALUES = 65_536;

/** `term`, as `{field: value}` or `{field: {value: …}}`. */
export function termQuery(json: Json, scope: QueryScope): Tree {
  const [name, value] = fieldBody(json, 'term');
  if (Array.isArray(value)) throw malformed('[term] query does not support array of values');
  const options = isObject(value) ? value : { value };
  optionsOf(options, 'term', ['value', 'boost', 'case_insensitive', '_name']);
  if (options.value === null) throw illegal('value cannot be null');
  const text = scalarOf(options.value, 'term', 'value');
  const boost = boostOf(options, 'term');
  if (name === ID) return boosted(idsTree([text], scope), boost);
  const field = targetField(scope, name, 'term');
  if (field === undefined) return MATCH_NONE;
  if (isTrue(options.case_insensitive)) {
    return boosted(caseInsensitive('term', field, text), boost);
  }
  return boosted(termTree(field, options.value!, scope), boost);
}

/** A clause of one value. */
export function termTree(field: TableField, value: Json, scope: QueryScope): Tree {
  if (field.type === 'DATE') return dateTerm(field, value, {}, scope);
  const text = scalarOf(value, 'term', 'value');
  return isFraction(field, text) ? MATCH_NONE : { term: { field: field.name, value: text } };
}

const isTrue = (json: Json | undefined): boolean => json === true || json === 'true';

/** `terms`: one of a list of values. */
export function termsQuery(json: Json, scope: QueryScope): Tree {
  const { boost: _, _name: __, ...fields } = objectOf(json, 'terms');
  const [name, values] = fieldBody(fields, 'terms');
  if (isObject(values)) throw unserved('[terms] query with a terms lookup is not served');
  if (!Array.isArray(values)) throw malformed(`[terms] query does not support [${clipped(name)}]`);
  const list = values as readonly Json[];
  if (list.length > MOST_VALUES) {
    throw illegal(
      `The number of terms [${list.length}] used in the Terms Query request has exceeded the ` +
        `allowed maximum of [${MOST_VALUES}]`,
    );
  }
  const boost = boostOf(objectOf(json, 'terms'), 'terms');
  const texts = list.map((value) => scalarOf(value, 'terms', 'value'));
  if (name === ID) return boosted(idsTree(texts, scope), boost);
  const field = targetField(scope, name, 'terms');
  if (field === undefined || list.length === 0) return MATCH_NONE;
  if (field.type === 'DATE') {
    return boosted(constantOf(list.map((value) => dateTerm(field, value, {}, scope))), boost);
  }
  const whole = texts.filter((text) => !isFraction(field, text));
  if (whole.length === 0) return MATCH_NONE;
  return boosted({ terms: { field: field.name, values: whole } }, boost);
}

/** `ids`. */
export function idsQuery(json: Json, scope: QueryScope): Tree {
  const body = optionsOf(objectOf(json, 'ids'), 'ids', ['values', 'boost', '_name']);
  const { values } = body;
  if (values === undefined || values === null) throw malformed("[ids] requires 'values' to be set");
  const list = Array.isArray(values) ? (values as readonly Json[]) : [values];
  if (list.length > MOST_VALUES) throw illegal(`[ids] query has more than [${MOST_VALUES}] values`);
  const texts = list.map((value) => scalarOf(value, 'ids', 'values'));
  return boosted(idsTree(texts, scope), boostOf(body, 'ids'));
}

/** Ids that no key of the index has the form of find nothing. */
function idsTree(ids: readonly string[], scope: QueryScope): Tree {
  const keys = keysOfIds(ids, scope);
  return keys.length === 0 ? MATCH_NONE : { ids: { keys } };
}

/** The keys of ids, without ids that no key of the index has the form of. */
export const keysOfIds = (ids: readonly string[], { fields: { key } }: QueryScope) =>
  ids.flatMap((id) => coordinatesOfId(id, key) ?? []).filter(isText);

const isText = ({
  partition = [],
  identifier,
}: Exclude<ReturnType<typeof coordinatesOfId>, undefined>) =>
  [...partition, ...identifier].every(({ value }) => value.isWellFormed());

/** `exists`. */
export function existsQuery(json: Json, scope: QueryScope): Tree {
  const body = optionsOf(objectOf(json, 'exists'), 'exists', ['field', 'boost', '_name']);
  const name = scalarOf(body.field, 'exists', 'field');
  const boost = boostOf(body, 'exists');
  if (name === ID) return boosted(MATCH_ALL, boost);
  if (name.includes('*')) return boosted(constantOf(existsAny(name, scope)), boost);
  const field = targetField(scope, name, 'exists');
  return field === undefined ? MATCH_NONE : boosted({ exists: { field: field.name } }, boost);
}

/** One clause for each field of a pattern. */
function existsAny(pattern: string, { fields: { fields } }: QueryScope): readonly Tree[] {
  return [...fields.values()]
    .filter(({ name, indexed, fast }) => (indexed || fast) && matches(pattern, name))
    .map(({ name }) => ({ exists: { field: name } }));
}

const PATTERNS: Readonly<Record<string, readonly string[]>> = {
  prefix: ['value', 'rewrite', 'case_insensitive', 'boost', '_name'],
  wildcard: ['value', 'wildcard', 'rewrite', 'case_insensitive', 'boost', '_name'],
  regexp: [
    ...['value', 'flags', 'flags_value', 'max_determinized_states', 'rewrite'],
    ...['case_insensitive', 'boost', '_name'],
  ],
  fuzzy: [
    ...['value', 'fuzziness', 'prefix_length', 'max_expansions', 'transpositions', 'rewrite'],
    ...['boost', '_name'],
  ],
};

/** `prefix`, `wildcard`, `regexp` and `fuzzy`. */
export function patternQuery(json: Json, scope: QueryScope, name: string): Tree {
  const [fieldName, value] = fieldBody(json, name);
  const options = isObject(value) ? value : { value };
  optionsOf(options, name, PATTERNS[name]);
  const text = scalarOf(options.value ?? options.wildcard, name, 'value');
  checkExpansion(options, name);
  const boost = boostOf(options, name);
  const field = targetField(scope, fieldName, name);
  const tree = patternTree(name, field ?? anyField(fieldName), text, options);
  if (field === undefined) return MATCH_NONE;
  const isFolded = isTrue(options.case_insensitive);
  return boosted(isFolded ? caseInsensitive(name, field, text) : tree, boost);
}

function patternTree(name: string, field: TableField, value: string, options: JsonObject): Tree {
  const base = { field: field.name, value };
  if (field.type !== 'TEXT' && !isExact(field)) {
    const type = field.type.toLowerCase();
    throw illegal(
      `Can only use ${name} queries on keyword and text fields - not on [${field.name}] which is ` +
        `of type [${type}]`,
    );
  }
  if (name === 'regexp') return regexpTree(field, value, options);
  if (name !== 'fuzzy') return { [name]: base } as Tree;
  const edits = editsOfValue(editsOf(options.fuzziness ?? 'AUTO', name), value);
  const exact = wholeOf(options, name, 'prefix_length', 0, 0);
  return { fuzzy: { ...base, edits, ...(exact > 0 && { prefix_length: exact }) } };
}
