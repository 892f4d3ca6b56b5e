/**
 * Tenants: where a definition names a `tenant_field`, a caller of one tenant sees the documents and
 * the rows that have its name there, and no request can say otherwise. The guard is a bound clause,
 * made of the value itself (nothing is parsed), that every search of a context ANDs to its own.
 */
import type { Row, SourceTable } from '@lakehouse-search/lake';
import { LhsError } from '../base/errors.ts';
import type { Clause } from '../query/bind/clause.ts';
import { columnText } from '../schema/column-text.ts';
import type { MappedField, Mapping } from '../schema/mapping.ts';

/** The clause that documents of a tenant match; null for indexes without a `tenant_field`. */
export function tenantGuard(mapping: Mapping, tenant: string): Clause | null {
  const field = tenantField(mapping);
  if (field === null) return null;
  return { kind: 'term', boost: 1, field: field.plan, term: Buffer.from(tenant) };
}

/** Which rows of the table are a tenant's, as the table says now. */
export interface TenantRows {
  /** Column that has to be read. */
  readonly column: string;
  owns(row: Row): boolean;
}

/**
 * The rows of a tenant; null for indexes without a `tenant_field`. Throws schema_changed where the
 * table has lost the column: then nobody's rows are shown.
 */
export function tenantRows(
  mapping: Mapping,
  table: SourceTable,
  tenant: string | undefined,
): TenantRows | null {
  const field = tenant === undefined ? null : tenantField(mapping);
  if (field === null) return null;
  const { source } = field;
  const bound = source.kind === 'columns' ? mapping.columns[source.columns[0]!] : undefined;
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

/** Fails closed: a definition that names a tenant field which the index lacks answers nobody. */
function tenantField({ definition, fields }: Mapping): MappedField | null {
  const name = definition.tenantField;
  if (name === undefined) return null;
  const field = fields.find(({ plan }) => plan.name === name);
  if (field !== undefined && field.source.kind === 'columns') return field;
  throw new LhsError('schema_changed', `tenant_field "${name}" is no column of the index`, {
    hint: 'reindex after changing tenant_field',
  });
}
