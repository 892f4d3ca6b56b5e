/**
 * Tenants: a caller of one tenant sees the documents and rows whose `tenant_field` holds the
 * tenant's name, and no request can say otherwise. The guard is a bound clause, made of the value
 * itself (nothing is parsed), that every search of a context ANDs to its own. An index without a
 * `tenant_field` has nothing to tell tenants apart by: it is closed to them.
 */

import { LhsError } from '@lakehouse-search/contract';
import type { Row, SourceTable } from '@lakehouse-search/lake';
import type { Leaf } from '../query/bind/clause.ts';
import { columnText } from '../schema/column-text.ts';
import type { Definition } from '../schema/definition.ts';
import type { MappedField, Mapping } from '../schema/mapping.ts';
import type { SegmentReader } from '../segment/segment-reader.ts';

/** The clause that documents of a tenant match. */
export type TenantGuard = Leaf & { readonly kind: 'term' };

/** The guard of a tenant. Throws permission_denied for indexes without a `tenant_field`. */
export function tenantGuard(mapping: Mapping, tenant: string): TenantGuard {
  const field = tenantField(mapping);
  return { kind: 'term', boost: 1, field: field.plan, term: Buffer.from(tenant) };
}

/** Whether a document is the tenant's. */
export function ownsDocument(
  { field, term }: TenantGuard,
  reader: SegmentReader,
  doc: number,
): boolean {
  const inverted = reader.inverted(field.id);
  const info = inverted?.lookup(term) ?? null;
  if (inverted === null || info === null) return false;
  return inverted.postings(info).advance(doc) === doc;
}

/** Throws permission_denied unless the index tells tenants apart. */
export function requireTenants({ index, tenantField }: Definition): void {
  if (tenantField !== undefined) return;
  const message = `index "${index}" has no tenant_field: it is closed to the callers of a tenant`;
  throw new LhsError('permission_denied', message, {
    hint: 'name a tenant_field in the definition, then reindex',
  });
}

/** Which rows of the table are a tenant's, as the table says now. */
export interface TenantRows {
  /** Column that has to be read. */
  readonly column: string;
  owns(row: Row): boolean;
}

/**
 * The rows of a tenant; null where the caller is of none. Throws schema_changed where the table has
 * lost the column: then nobody's rows are shown.
 */
export function tenantRows(
  mapping: Mapping,
  table: SourceTable,
  tenant: string | undefined,
): TenantRows | null {
  if (tenant === undefined) return null;
  const { source } = tenantField(mapping);
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
function tenantField({ definition, fields }: Mapping): MappedField {
  requireTenants(definition);
  const name = definition.tenantField;
  const field = fields.find(({ plan }) => plan.name === name);
  if (field !== undefined && field.source.kind === 'columns') return field;
  throw new LhsError('schema_changed', `tenant_field "${name}" is no column of the index`, {
    hint: 'reindex after changing tenant_field',
  });
}
