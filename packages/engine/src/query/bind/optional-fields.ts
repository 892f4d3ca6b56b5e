import { innerQueries, mapLeaves, type Query } from '../query.ts';
import { findField, nearestFieldName, type QueryFields } from './fields.ts';

type Names = readonly string[] | undefined;

/** The optional fields that the index lacks. */
const missing = (names: Names, fields: QueryFields): readonly string[] =>
  (names ?? []).filter((name) => findField(fields, name) === undefined);

/** The query without clauses of optional fields that the index lacks: they match nothing. */
export function withoutMissing(query: Query, fields: QueryFields, optional: Names): Query {
  const names = missing(optional, fields);
  if (names.length === 0) return query;
  const isMissing = (leaf: Query) => 'field' in leaf && names.includes(leaf.field);
  return mapLeaves(query, (leaf) => {
    const { span, fieldSpan } = leaf;
    if (!isMissing(leaf)) return leaf;
    return { kind: 'match_none', ...(span && { span }), ...(fieldSpan && { fieldSpan }) };
  });
}

/**
 * A note for each optional field that the index lacks, with the name that may be meant. A field of
 * an OR that names a field of the index in another arm has none.
 */
export function missingNotes(
  optional: Names,
  fields: QueryFields,
  trees: () => readonly Query[],
): readonly string[] {
  const names = missing(optional, fields);
  if (names.length === 0) return [];
  const read = trees();
  const isNamed = (name: string) => read.some((tree) => leavesOf(tree).some(hasField(name)));
  const noted = names.filter(
    (name) => !isNamed(name) || read.some((tree) => isNeeded(tree, name, names)),
  );
  return noted.map((name) => {
    const near = nearestFieldName(fields, name);
    const meant = near === undefined ? '' : `; did you mean "${near}"?`;
    return `field "${name}" is not in index "${fields.index}": its clauses match nothing${meant}`;
  });
}

const hasField = (name: string) => (leaf: Query) => 'field' in leaf && leaf.field === name;

function leavesOf(query: Query): readonly Query[] {
  const inner = innerQueries(query);
  return inner.length === 0 ? [query] : inner.flatMap(leavesOf);
}

/** Whether the field has a clause that no other arm of an OR replaces. */
function isNeeded(query: Query, name: string, names: readonly string[]): boolean {
  const inner = innerQueries(query);
  if (inner.length === 0) return hasField(name)(query);
  const arms = query.kind === 'bool' ? query.should : [];
  const isCovered = arms.some((arm) => {
    const leaves = leavesOf(arm);
    const isMissing = leaves.some((leaf) => names.some((one) => hasField(one)(leaf)));
    return !isMissing && leaves.some(({ fieldSpan }) => fieldSpan !== undefined);
  });
  const others = isCovered ? inner.filter((part) => !arms.includes(part)) : inner;
  return others.some((part) => isNeeded(part, name, names));
}
