import type { ClauseElsewhere } from '@lakehouse-search/contract';
import { nearest } from '@lakehouse-search/contract/internal';
import type { Type } from '@lakehouse-search/lake';
import { type FlatPath, findField } from '../../query/bind/fields.ts';
import type { Query } from '../../query/query.ts';
import { printQuery } from '../../query/syntax/print.ts';
import { partsOfTerm, pathField, pathPrefix } from '../../schema/variant-terms.ts';
import { queryFields } from '../../shard/request/query-fields.ts';
import { asIndexed } from '../context.ts';
import { frequentTerms, matchingTerms } from '../suggest.ts';
import { countIfValid } from './count-if-valid.ts';
import type { Guesser } from './guesser.ts';
import { likePattern } from './like-pattern.ts';

/** Terms whose paths are compared, the most frequent first. */
const TERMS = 1000;
/** Paths that a note lists. */
const LISTED = 12;

/** Why a clause finds nothing: no row has its path in a flattened column. */
export async function missingPath(guesser: Guesser, node: Query): Promise<string | undefined> {
  if (!('field' in node)) return undefined;
  const missing = await lookUpPath(guesser, node.field);
  if (missing === undefined) return undefined;
  const { column, paths, isOfMap, near } = missing;
  const all = paths.slice(0, LISTED).map((path) => `${column}.${path}`);
  const more = paths.length > LISTED ? ', …' : '';
  const listed = all.length === 0 ? '' : `; paths: ${all.join(', ')}${more}`;
  const meant = near === undefined ? '' : `, did you mean ${column}.${near}?`;
  const rule = isOfMap ? ': paths of a map are its keys' : '';
  const has = `no row has ${node.field}${await asIndexed(guesser.context)}`;
  return `${has}${rule}${meant}${listed}`;
}

/** The path that a name of no row was meant for; undefined: rows have it, or there is none. */
export async function meantPath(guesser: Guesser, name: string): Promise<string | undefined> {
  const missing = await lookUpPath(guesser, name);
  return missing?.near && `${missing.column}.${missing.near}`;
}

/** The paths of a flattened column, and the nearest one; undefined: rows have the path `name`. */
async function lookUpPath(guesser: Guesser, name: string) {
  const target = findField(queryFields(guesser.context.mapping), name);
  if (target?.kind !== 'path') return undefined;
  if ((await guesser.count({ kind: 'exists', field: name })) > 0) return undefined;
  const column = name.slice(0, name.length - target.path.length - 1);
  const paths = await frequentPaths(guesser, column);
  const isOfMap = isPartOfMap(typeOf(guesser, column), target.path.split('.'));
  if (isOfMap) return { column, paths, isOfMap };
  const [ending] = await pathsEnding(guesser, column, target.path);
  return { column, paths, isOfMap, near: ending ?? nearest(target.path, paths) };
}

/** Clauses for the rows with a true column, or a key of a flattened one, the most frequent first. */
export async function meantKeys(
  guesser: PathGuesser,
  columns: Iterable<string>,
  key: string,
): Promise<readonly ClauseElsewhere[]> {
  const found = await keyPaths(guesser, columns, key);
  return found.flatMap(({ query, total }) => {
    const clause = printQuery(query);
    return clause === undefined ? [] : [{ clause, total }];
  });
}

/** The path that most rows have of those that end with a name; undefined: there is none. */
export async function pathNamed(guesser: PathGuesser, name: string): Promise<string | undefined> {
  const { plans } = queryFields(guesser.context.mapping);
  return (await keyPaths(guesser, plans.keys(), name))[0]?.query.field;
}

type PathGuesser = Pick<Guesser, 'context' | 'fan' | 'count'>;

async function keyPaths(guesser: PathGuesser, columns: Iterable<string>, key: string) {
  const { plans } = queryFields(guesser.context.mapping);
  const found = [];
  for (const column of columns) {
    if (plans.get(column)?.type === 'BOOL' && column.toLowerCase() === key.toLowerCase()) {
      const query = { kind: 'term', field: column, value: 'true' } as const;
      found.push({ query, total: (await countIfValid(guesser.count, query)) ?? 0 });
    }
    if (!plans.has(pathField(column))) continue;
    const [path] = await pathsEnding(guesser, column, key);
    if (path === undefined) continue;
    const query = { kind: 'exists', field: `${column}.${path}` } as const;
    found.push({ query, total: await guesser.count(query) });
  }
  return found.filter(({ total }) => total > 0).toSorted((a, b) => b.total - a.total);
}

/** Paths of a flattened column that end with a name in any spelling, or of objects in it. */
async function pathsEnding(
  { context, fan }: PathGuesser,
  column: string,
  name: string,
): Promise<readonly FlatPath['path'][]> {
  const like = likePattern(name, false);
  if (like === undefined) return [];
  const ends = `(.*\\.)?${like}`;
  const named = async (rest: string) => {
    const pattern = `${ends}${rest}${pathPrefix('')}(.|\\n)*`;
    return matchingTerms(context, fan, pathField(column), { pattern });
  };
  const leaves = await named('');
  const terms = leaves.length > 0 ? leaves : await named('\\..*');
  const whole = new RegExp(`^${ends}(?=\\.|$)`, 'su');
  return [...new Set(terms.flatMap((term) => whole.exec(partsOfTerm(term).path)?.[0] ?? []))];
}

const typeOf = ({ context }: Guesser, column: string): Type | undefined =>
  context.mapping.columns.find(({ name }) => name === column)?.type;

/** True for `key` and `value` of the entries of a map, which rows have and paths lack. */
function isPartOfMap(type: Type | undefined, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined || type === undefined) return false;
  if (type.kind === 'list') return isPartOfMap(type.element, [name, ...rest]);
  if (type.kind === 'map') {
    return name === 'key' || name === 'value' || isPartOfMap(type.value, rest);
  }
  if (type.kind !== 'struct') return false;
  return isPartOfMap(type.fields.find((field) => field.name === name)?.type, rest);
}

/** The paths of the most frequent values of a flattened column. */
async function frequentPaths(
  { context, fan }: Guesser,
  column: string,
): Promise<readonly FlatPath['path'][]> {
  const terms = await frequentTerms(context, fan, pathField(column), TERMS);
  return [...new Set(terms.map((term) => partsOfTerm(term).path))];
}
