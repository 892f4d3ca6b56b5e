import { findTableField, type TableField } from './field-table.ts';
import { clipped, RefusedDsl, unserved } from './refusal.ts';
import type { QueryScope } from './scope.ts';

const KEYWORD_SUFFIX = '.keyword';
const METADATA = new Set(['_index', '_type', '_routing', '_source', '_field_names', '_ignored']);

/**
 * The field of a name; undefined: the index has none, and a query on it finds nothing. `f.keyword`
 * is `f` if that holds exact values. Throws RefusedDsl.
 */
export function targetField(
  scope: QueryScope,
  name: string,
  query: string,
): TableField | undefined {
  if (METADATA.has(name)) throw unserved(`[${query}] query on [${name}] is not served`);
  const isKeyword = name.endsWith(KEYWORD_SUFFIX) && !scope.fields.fields.has(name);
  if (!isKeyword) return findTableField(scope.fields, name);
  const base = findTableField(scope.fields, name.slice(0, -KEYWORD_SUFFIX.length));
  if (base === undefined || base.type !== 'TEXT') return base;
  throw new RefusedDsl({
    status: 400,
    type: 'query_shard_exception',
    reason:
      `[${query}] query on [${clipped(name)}] is not served: [${clipped(base.name)}] is analyzed ` +
      'TEXT, and the index holds no exact values of it',
  });
}

/** Whether a field holds whole texts as terms. */
export const isExact = ({ type }: TableField): boolean => type === 'KEYWORD' || type === 'PATH';

/** In place of a field that the index lacks: options of a query on it are checked as well. */
export const anyField = (name: string): TableField => ({
  name,
  type: 'TEXT',
  indexed: true,
  fast: false,
});
