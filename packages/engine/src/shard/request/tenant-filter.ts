/**
 * Tenants: a caller of one tenant sees only the documents whose `tenant_field` holds the tenant's
 * name. The filter is a bound clause made of the value itself (nothing is parsed), and every
 * operation of a shard combines it with the query, so no request can widen it. An index without a
 * `tenant_field` cannot tell tenants apart and is closed to them.
 */

import { LhsError } from '@lakehouse-search/contract';
import { closedToTenants } from '@lakehouse-search/contract/internal';
import type { Leaf } from '../../query/bind/clause.ts';
import type { Definition } from '../../schema/definition.ts';
import type { MappedField, Mapping } from '../../schema/mapping.ts';
import type { SegmentReader } from '../../segment/segment-reader.ts';

/** The clause that the documents of a tenant match. */
export type TenantFilter = Leaf & { readonly kind: 'term' };

/** Tenants whose filters are kept for each mapping. */
const KEPT_TENANTS = 256;
const filters = new WeakMap<Mapping, Map<string, TenantFilter>>();

/** The filter of a tenant. Throws permission_denied for an index without a `tenant_field`. */
export function tenantFilter(mapping: Mapping, tenant: string): TenantFilter {
  let kept = filters.get(mapping);
  if (kept === undefined) filters.set(mapping, (kept = new Map()));
  const known = kept.get(tenant);
  if (known !== undefined) return known;
  const field = tenantField(mapping).plan;
  const filter: TenantFilter = { kind: 'term', boost: 1, field, term: Buffer.from(tenant) };
  if (kept.size >= KEPT_TENANTS) kept.clear();
  kept.set(tenant, filter);
  return filter;
}

/** Whether a document is the tenant's. */
export function ownsDocument(
  { field, term }: TenantFilter,
  reader: SegmentReader,
  doc: number,
): boolean {
  const inverted = reader.inverted(field.id);
  const info = inverted?.lookup(term) ?? null;
  if (inverted === null || info === null) return false;
  return inverted.postings(info).advance(doc) === doc;
}

/** Throws permission_denied unless the index tells tenants apart. */
export function requireTenants({ tenantField }: Definition): void {
  if (tenantField === undefined) throw closedToTenants();
}

/**
 * The field that holds the tenant. Throws permission_denied and schema_changed: a definition that
 * names a tenant field which the index lacks answers no tenant.
 */
export function tenantField({ definition, fields }: Mapping): MappedField {
  requireTenants(definition);
  const name = definition.tenantField;
  const field = fields.find(({ plan }) => plan.name === name);
  if (field !== undefined && field.source.kind === 'columns') return field;
  throw new LhsError('schema_changed', `tenant_field "${name}" is no column of the index`, {
    hint: 'reindex after changing tenant_field',
  });
}
