import type { ErrorAdvice, LhsError } from '@lakehouse-search/contract';
import { lettersOf, nearest } from '@lakehouse-search/contract/internal';
import type { Definition } from '../../schema/definition.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import type { KeySpec } from '../../schema/keys/key.ts';
import { titleRank } from '../../schema/propose/title-names.ts';
import { pathField } from '../../schema/variant-terms.ts';
import type { Query, Span } from '../query.ts';
import { withOtherNames } from './other-names.ts';
import type { BoundDocs, LikedTerms } from './precomputed.ts';
import { fieldSpan, nodeError, type QueryText } from './scope.ts';
import type { SynonymTable } from './synonyms.ts';

/**
 * What binding knows of an index: its name and its fields, hidden ones (`#` in the name) among
 * them.
 */
export interface QueryFields {
  readonly index: string;
  /** Where the rows of the index are. */
  readonly source?: Definition['source'];
  readonly plans: ReadonlyMap<string, FieldPlan>;
  /** Columns of the key. Absent: `ids` clauses are refused. */
  readonly key?: KeySpec;
  /** Ids of the fields that are declared fast: only those have ranges and sorts. */
  readonly fast: ReadonlySet<number>;
  /** Names of the columns of fields with one column, by the ids of the fields. */
  readonly columns?: ReadonlyMap<number, string>;
  /** Names of fast KEYWORD fields by the ids of other fields with the same columns. */
  readonly exact?: ReadonlyMap<number, string>;
  /** Ids of the fields with `indexed: false`: their values are not looked up. */
  readonly unindexed?: ReadonlySet<number>;
  /** Results that were found before binding, by the names of their nodes (nearest.ts). */
  readonly precomputed?: ReadonlyMap<string, BoundDocs | LikedTerms>;
  /** The synonyms of TEXT fields. Absent: no field has any. */
  readonly synonyms?: (plan: FieldPlan) => SynonymTable | undefined;
  /** Paths of the values in flattened STRUCT columns. */
  readonly leaves?: readonly string[];
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

/** The fields whose names a user may write, in the mapping's order. */
export const visiblePlans = ({ plans }: QueryFields): readonly FieldPlan[] =>
  [...plans.values()].filter(({ name }) => !name.includes('#'));

const visibleNames = (fields: QueryFields): readonly string[] =>
  visiblePlans(fields).map(({ name }) => name);

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

/** Whether a name is that of a TEXT field. */
export function isTextField(fields: QueryFields, name: string): boolean {
  const target = findField(fields, name);
  return target?.kind === 'field' && target.plan.type === 'TEXT';
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
  throw unknownField(fields, node.field, text, fieldSpan(node));
}

/** The error of a name that is no field. */
export function unknownField(
  fields: QueryFields,
  name: string,
  text: QueryText,
  span: Span | undefined,
): LhsError {
  const message = `field "${name}" is not in index "${fields.index}"`;
  return nodeError(text, span, message, unknownFieldHint(fields, name));
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
export const unknownFieldHint = (fields: QueryFields, name: string): ErrorAdvice =>
  unknownFieldsHint(fields, [name]);

/** As `unknownFieldHint`, of several names. */
export function unknownFieldsHint(fields: QueryFields, names: readonly string[]): ErrorAdvice {
  const all = `fields: ${listed(visibleNames(fields))}`;
  const meant = names.flatMap((name) => {
    const near = nearestFieldName(fields, name);
    return near === undefined ? [] : [`"${near}"${names.length === 1 ? '' : ` for "${name}"`}`];
  });
  const hint = meant.length === 0 ? all : `did you mean ${meant.join(', ')}?\n${all}`;
  return { hint, next: [{ step: 'describe_index', index: fields.index }] };
}

/** Whether a field has an order and groups. */
export const isFast = (plan: FieldPlan, { fast }: QueryFields): boolean =>
  plan.column !== null && fast.has(plan.id);

/**
 * The field if it has an order and groups, else the one with its whole values; undefined: there is
 * none.
 */
export function fastField(plan: FieldPlan, fields: QueryFields): FieldPlan | undefined {
  if (isFast(plan, fields)) return plan;
  const other = fields.exact?.get(plan.id);
  return other === undefined ? undefined : fields.plans.get(other);
}

/** The fields that have an order and groups, those of texts first; of some types or of all. */
export function fastNames(fields: QueryFields, types?: readonly string[]): string {
  const able = visiblePlans(fields).filter(
    (plan) => isFast(plan, fields) && types?.includes(plan.type) !== false,
  );
  const rank = ({ type }: FieldPlan) => Number(type === 'KEYWORD');
  const names = able.toSorted((a, b) => rank(b) - rank(a)).map(({ name }) => name);
  const which = types === undefined ? 'with an order' : `of ${types.join(', ')}`;
  return names.length === 0 ? `there are no fields ${which}` : `fields ${which}: ${listed(names)}`;
}

/**
 * The field whose last words are `name`, else that with the nearest name, with most of its words,
 * or the first DATE or title if the name means one; undefined: none.
 */
export function nearestFieldName(fields: QueryFields, name: string): string | undefined {
  const names = visibleNames(fields);
  const end = `.${wordsOf(name).join('.')}`;
  const all = [...names, ...(fields.leaves ?? [])];
  const ending =
    all.find((one) => one.endsWith(`.${name}`)) ??
    all.find((one) => `.${wordsOf(one).join('.')}`.endsWith(end));
  const near = ending ?? columnPath(fields, name) ?? nearest(name, names);
  return near ?? likeWords(name, names) ?? firstDate(fields, name) ?? titleField(name, names);
}

/** The name of a field that is written so, else of the same letters or meaning; undefined: none. */
export const fieldNamed = (fields: QueryFields, name: string): string | undefined =>
  findField(fields, name) === undefined ? namesByLetters(fields).get(lettersOf(name)) : name;

/** Whether a name is no field, or a path that the index declares in another case. */
export function isMisnamed(fields: QueryFields, name: string): boolean {
  const target = findField(fields, name);
  if (target?.kind !== 'path') return target === undefined;
  return (namesByLetters(fields).get(lettersOf(name)) ?? name) !== name;
}

const namesOfPlans = new WeakMap<QueryFields['plans'], ReadonlyMap<string, string>>();

/** The first name of each letters. */
function namesByLetters(fields: QueryFields): ReadonlyMap<string, string> {
  let names = namesOfPlans.get(fields.plans);
  if (names === undefined) {
    const all = [...visibleNames(fields), ...(fields.leaves ?? [])];
    names = withOtherNames(new Map(all.toReversed().map((name) => [lettersOf(name), name])));
    namesOfPlans.set(fields.plans, names);
  }
  return names;
}

const wordsOfPlans = new WeakMap<QueryFields['plans'], readonly (readonly [string, string])[]>();

/** The only field whose name begins or ends with the words of another; undefined: none, several. */
export function onlyFieldWith(fields: QueryFields, name: string): string | undefined {
  let names = wordsOfPlans.get(fields.plans);
  if (names === undefined) {
    const copies = new Set(fields.exact?.values());
    const own = visibleNames(fields).filter((one) => !copies.has(one));
    names = own.map((one) => [one, ` ${wordsOf(one).join(' ')} `]);
    wordsOfPlans.set(fields.plans, names);
  }
  const part = ` ${wordsOf(name).join(' ')} `;
  const found = names.filter(([, words]) => words.startsWith(part) || words.endsWith(part));
  return found.length === 1 ? found[0][0] : undefined;
}

/** The nearest name, then the nearest of the others, at most three. */
export function nearestFieldNames(fields: QueryFields, name: string): readonly string[] {
  const found: string[] = [];
  for (let rest = fields; found.length < 3; ) {
    const near = nearestFieldName(rest, name);
    if (near === undefined) break;
    found.push(near);
    const isOther = (one: string) => one !== near;
    const plans = new Map([...rest.plans].filter(([one]) => isOther(one)));
    rest = { ...rest, plans, leaves: rest.leaves?.filter(isOther) ?? [] };
  }
  return found;
}

/** The first title of rows, for another name of titles. */
const titleField = (name: string, names: readonly string[]): string | undefined =>
  titleRank(name) === 0 ? names.find((one) => titleRank(one) === 0) : undefined;

/** The path in the flattened column with the nearest name. */
function columnPath({ plans }: QueryFields, name: string): string | undefined {
  const dot = name.indexOf('.');
  const columns = [...plans.keys()].filter((one) => plans.has(pathField(one)));
  const column = dot < 1 ? undefined : nearest(name.slice(0, dot), columns);
  return column && column + name.slice(dot);
}

/** The words of a name in small letters: `f_IMDB_Rating`, `imdbRating`. */
const wordsOf = (name: string): readonly string[] =>
  name
    .replace(/(?<=[a-z])(?=[A-Z])/g, '_')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

/** Letters of a word that others begin with: `lat` of `latitude`. */
const STEM = 3;

/** The first name with most of the words of another. */
function likeWords(name: string, names: readonly string[]): string | undefined {
  const alike = (a: string, b: string) =>
    a === b || (Math.min(a.length, b.length) >= STEM && (a.startsWith(b) || b.startsWith(a)));
  const shared = names.map((one) => {
    const others = wordsOf(one);
    return wordsOf(name).filter((word) => others.some((other) => alike(word, other))).length;
  });
  const most = Math.max(0, ...shared);
  return most === 0 ? undefined : names[shared.indexOf(most)];
}

const DATES = ['date', 'datetime', 'day', 'time', 'timestamp', 'ts', 'when'];

const firstDate = ({ plans }: QueryFields, name: string): string | undefined =>
  wordsOf(name).some((word) => DATES.includes(word))
    ? [...plans.values()].find(({ type }) => type === 'DATE')?.name
    : undefined;

/** What to do if the definition lacks a setting. */
export const changeHint = (change: string, index: string): string =>
  `${change} in the definition, then alter index "${index}" with it`;
