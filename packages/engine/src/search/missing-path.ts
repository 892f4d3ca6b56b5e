import { nearest } from '@lakehouse-search/contract';
import type { Type } from '@lakehouse-search/lake';
import { type FlatPath, findField } from '../query/bind/fields.ts';
import type { Query } from '../query/query.ts';
import { pathField } from '../schema/variant-terms.ts';
import { queryFields } from '../shard/request/query-fields.ts';
import type { Guesser } from './meant.ts';
import { frequentTerms } from './suggest.ts';

/** Terms whose paths are compared, the most frequent first. */
const TERMS = 1000;
/** Paths that a note lists. */
const LISTED = 12;

/** Why a clause finds nothing: no row has its path in a flattened column. */
export async function missingPath(guesser: Guesser, node: Query): Promise<string | undefined> {
  if (!('field' in node)) return undefined;
  const target = findField(queryFields(guesser.context.mapping), node.field);
  if (target?.kind !== 'path') return undefined;
  if ((await guesser.count({ kind: 'exists', field: node.field })) > 0) return undefined;
  const column = node.field.slice(0, node.field.length - target.path.length - 1);
  const paths = await frequentPaths(guesser, column);
  const isOfMap = isPartOfMap(typeOf(guesser, column), target.path.split('.'));
  const near = isOfMap ? undefined : nearest(target.path, paths);
  const all = paths.slice(0, LISTED).map((path) => `${column}.${path}`);
  const more = paths.length > LISTED ? ', …' : '';
  const listed = all.length === 0 ? '' : `; paths: ${all.join(', ')}${more}`;
  const meant = near === undefined ? '' : `, did you mean ${column}.${near}?`;
  const rule = isOfMap ? ': paths of a map are its keys' : '';
  return `no row has ${node.field}${rule}${meant}${listed}`;
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
  return [...new Set(terms.map((term) => term.slice(0, term.indexOf('\0'))))];
}
