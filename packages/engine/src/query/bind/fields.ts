import { type ErrorAdvice, nearest } from '@lakehouse-search/contract';
import type { FieldPlan } from '../../schema/field-plan.ts';
import type { KeySpec } from '../../schema/key.ts';
import { pathField } from '../../schema/variant-terms.ts';
import type { Query } from '../query.ts';
import type { BoundDocs } from './precomputed.ts';
import { fieldSpan, nodeError, type QueryText } from './scope.ts';
import type { SynonymTable } from './synonyms.ts';

/**
 * What binding knows of an index: its name and its fields, hidden ones (`#` in the name) among
 * them.
 */
export interface QueryFields {
  readonly index: string;
  readonly plans: ReadonlyMap<string, FieldPlan>;
  /** Columns of the key. Absent: `ids` clauses are refused. */
  readonly key?: KeySpec;
  /** Ids of the fields that are declared fast: only those have ranges and sorts. */
  readonly fast: ReadonlySet<number>;
  /** Names of fast KEYWORD fields by the ids of other fields with the same columns. */
  readonly exact?: ReadonlyMap<number, string>;
  /** Ids of the fields with `indexed: false`: their values are not looked up. */
  readonly unindexed?: ReadonlySet<number>;
  /** The documents of `knn` nodes by what they ask for (nearest.ts), where they were looked for. */
  readonly precomputed?: ReadonlyMap<string, BoundDocs>;
  /** The synonyms of TEXT fields. Absent: no field has any. */
  readonly synonyms?: (plan: FieldPlan) => SynonymTable | undefined;
  /** Declared paths of flattened variants by the id of their field. */
  readonly declared?: ReadonlyMap<number, FlatPath>;
}

/** A path inside a flattened variant column, and the field that holds the column's path terms. */
export interface FlatPath {
  readonly plan: FieldPlan;
  readonly path: string;
}

/**
 * A field of the mapping, or a path inside a flattened variant column (then `plan` is the column's
 * path terms).
 */
export type FieldTarget =
  | { readonly kind: 'field'; readonly plan: FieldPlan }
  | ({ readonly kind: 'path' } & FlatPath);

/** Whether single values of a field are looked up: by its terms, or in its column. */
export function hasValues({ unindexed }: QueryFields, plan: FieldPlan): boolean {
  if (plan.type === 'TEXT' || plan.type === 'KEYWORD') return plan.inverted !== null;
  return plan.column !== null && unindexed?.has(plan.id) !== true;
}

/** The names that a user may write, in the mapping's order. */
function visibleNames(fields: QueryFields): readonly string[] {
  return [...fields.plans.keys()].filter((name) => !name.includes('#'));
}

/**
 * Resolves a name, or undefined: an exact field first, then the longest variant column that begins
 * it.
 */
export function findField(fields: QueryFields, name: string): FieldTarget | undefined {
  const plan = fields.plans.get(name);
  if (plan !== undefined && !name.includes('#')) return { kind: 'field', plan };
  for (let dot = name.lastIndexOf('.'); dot > 0; dot = name.lastIndexOf('.', dot - 1)) {
    const paths = fields.plans.get(pathField(name.slice(0, dot)));
    if (paths !== undefined) return { kind: 'path', plan: paths, path: name.slice(dot + 1) };
  }
  return undefined;
}

/** The flattened column that holds the path of a name; empty: the name is no such path. */
export function flattenedColumn(fields: QueryFields, name: string): readonly string[] {
  const target = findField(fields, name);
  const flat = target?.kind === 'path' ? target : fields.declared?.get(target?.plan.id ?? -1);
  return flat === undefined ? [] : [name.slice(0, -flat.path.length - 1)];
}

/** As `findField`; throws invalid_query that names the nearest field and all fields. */
export function resolveField(
  fields: QueryFields,
  node: Query & { readonly field: string },
  text: QueryText,
): FieldTarget {
  const found = findField(fields, node.field);
  if (found !== undefined) return found;
  const message = `field "${node.field}" is not in index "${fields.index}"`;
  throw nodeError(text, fieldSpan(node), message, unknownFieldHint(fields, node.field));
}

const LISTED_FIELDS = 8;

/** The first of some names, and the number of the others. */
function listed(names: readonly string[]): string {
  const more = names.length - LISTED_FIELDS;
  return names.slice(0, LISTED_FIELDS).join(', ') + (more > 0 ? `, … ${more} more` : '');
}

/**
 * What to write instead of an unknown field: the nearest name, then the first names, and the
 * operation that shows all.
 */
export function unknownFieldHint(fields: QueryFields, name: string): ErrorAdvice {
  const names = visibleNames(fields);
  const near = nearestFieldName(fields, name);
  const all = `fields: ${listed(names)}`;
  const hint = near === undefined ? all : `did you mean "${near}"?\n${all}`;
  return { hint, next: [{ step: 'describe_index', index: fields.index }] };
}

/** The fields that have an order and groups, those of texts first. */
export function fastNames({ plans, fast }: QueryFields): string {
  const able = [...plans.values()].filter(({ id, name }) => fast.has(id) && !name.includes('#'));
  const rank = ({ type }: FieldPlan) => Number(type === 'KEYWORD');
  const names = able.toSorted((a, b) => rank(b) - rank(a)).map(({ name }) => name);
  return names.length === 0 ? 'no field has an order' : `fields with an order: ${listed(names)}`;
}

/** The field whose last words are `name`, else that with the nearest name; undefined: none. */
export function nearestFieldName(fields: QueryFields, name: string): string | undefined {
  const names = visibleNames(fields);
  const words = (text: string) => text.replace(/[._]+/g, '.').toLowerCase();
  const end = words(`.${name}`);
  return names.find((one) => words(`.${one}`).endsWith(end)) ?? nearest(name, names);
}

/** What to do if the definition lacks a setting. */
export const changeHint = (change: string, index: string): string =>
  `${change} in the definition, then alter index "${index}" with it`;
