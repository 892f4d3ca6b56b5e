import type { Json, JsonObject } from '@lakehouse-search/contract';
import { boostOf, fieldBody, objectOf, optionsOf, scalarOf } from './body.ts';
import { dateBounds } from './date-tree.ts';
import type { TableField } from './field-table.ts';
import { isFraction } from './fitting-value.ts';
import { requireDefault } from './options.ts';
import { illegal, unserved } from './refusal.ts';
import { boosted, MATCH_NONE, type QueryScope, type Tree } from './scope.ts';
import { targetField } from './target.ts';

const BOUNDS = ['gt', 'gte', 'lt', 'lte'] as const;
const LEGACY = ['from', 'to', 'include_lower', 'include_upper'];
const OPTIONS = [...BOUNDS, ...LEGACY, 'format', 'time_zone', 'relation', 'boost', '_name'];

/** `range`; a bound of null is open. */
export function rangeQuery(json: Json, scope: QueryScope): Tree {
  const [name, value] = fieldBody(json, 'range');
  const options = optionsOf(objectOf(value, 'range'), 'range', OPTIONS);
  const legacy = LEGACY.find((key) => options[key] !== undefined);
  if (legacy !== undefined) {
    throw unserved(`[range] query with [${legacy}] is not served: use gt, gte, lt and lte`);
  }
  requireDefault(options, 'range', 'relation', ['INTERSECTS', 'intersects']);
  const boost = boostOf(options, 'range');
  if (name === '_id') throw illegal('Field [_id] of type [_id] does not support range queries');
  const field = targetField(scope, name, 'range');
  if (field === undefined) return MATCH_NONE;
  if (field.type === 'TEXT')
    throw unserved(`[range] query on [${name}], analyzed TEXT, is not served`);
  const bounds: JsonObject = Object.fromEntries(
    BOUNDS.flatMap((key) => {
      const bound = options[key];
      return bound === undefined || bound === null ? [] : [[key, bound] as const];
    }),
  );
  if (Object.keys(bounds).length === 0) return boosted({ exists: { field: field.name } }, boost);
  const reading = { format: textOf(options, 'format'), timeZone: textOf(options, 'time_zone') };
  const written =
    field.type === 'DATE' ? dateBounds(field, bounds, reading, scope) : plainBounds(bounds, field);
  return boosted({ range: { field: field.name, ...written } }, boost);
}

function plainBounds(bounds: JsonObject, field: TableField): JsonObject {
  const entries = Object.entries(bounds).map(([key, bound]) => {
    const text = scalarOf(bound, 'range', key);
    return isFraction(field, text) ? wholeBound(key, text) : ([key, text] as const);
  });
  return Object.fromEntries(entries);
}

/** A bound of whole numbers that is between two of them. */
function wholeBound(key: string, text: string): readonly [key: string, text: string] {
  const isLower = key.startsWith('gt');
  const number = Number(text);
  return [isLower ? 'gte' : 'lte', String(isLower ? Math.ceil(number) : Math.floor(number))];
}

function textOf(options: JsonObject, name: string): string | undefined {
  const value = options[name];
  return value === undefined || value === null ? undefined : scalarOf(value, 'range', name);
}
