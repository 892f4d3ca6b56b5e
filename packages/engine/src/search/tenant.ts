import { LhsError } from '@lakehouse-search/contract';
import type { Row, SourceTable } from '@lakehouse-search/lake';
import type { Mapping } from '../schema/mapping.ts';
import { columnText } from '../schema/values/column-text.ts';
import { tenantField } from '../shard/request/tenant-filter.ts';

/** Which rows of the table are a tenant's, as the table is now. */
export interface TenantRows {
  /** Column that has to be read. */
  readonly column: string;
  owns(row: Row): boolean;
}

/**
 * The rows of a tenant; null where the caller has none. Throws schema_changed where the table has
 * lost the column: then no row is shown.
 */
export function tenantRows(
  mapping: Mapping,
  table: SourceTable,
  tenant: string | undefined,
): TenantRows | null {
  if (tenant === undefined) return null;
  const { source } = tenantField(mapping);
  const bound = source.kind === 'columns' ? mapping.columns[source.columns[0]] : undefined;
  const now = table.schema.fields.find(({ id }) => id === bound?.id);
  if (now === undefined) {
    throw new LhsError('schema_changed', `the tenant's column is no longer in ${table.name}`, {
      hint: 'change tenant_field in the definition, then reindex',
    });
  }
  const { name, type } = now;
  const owns = (row: Row): boolean => {
    const value = row[name] ?? null;
    if (value === null) return false;
    if (type.kind !== 'list') return columnText(type, value) === tenant;
    const { element } = type;
    return (value as readonly Row[string][]).some((one) => {
      return one !== null && columnText(element, one) === tenant;
    });
  };
  return { column: name, owns };
}
