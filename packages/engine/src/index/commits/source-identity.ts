import { LhsError } from '@lakehouse-search/contract';
import type { SourceTable } from '@lakehouse-search/lake';
import type { Definition } from '../../schema/definition.ts';

/** Between a table's UUID and the digest of read restrictions. */
const MARK = '+restricted:';

/**
 * What an index follows: the UUID of its table, and the digest of the catalog's read restrictions
 * if rows are read under some. A checkpoint keeps it as `table_uuid`: rows that are read under
 * other restrictions are those of another table.
 */
export function sourceIdentity({
  uuid,
  restrictions,
}: Pick<SourceTable, 'uuid' | 'restrictions'>): string {
  return restrictions === undefined ? uuid : `${uuid}${MARK}${restrictions.digest}`;
}

/** The parts of an identity; `restrictions` is absent if there were none. */
export function identityParts(identity: string): { uuid: string; restrictions?: string } {
  const at = identity.indexOf(MARK);
  if (at < 0) return { uuid: identity };
  return { uuid: identity.slice(0, at), restrictions: identity.slice(at + MARK.length) };
}

/** Whether two identities are of one table that is read under different restrictions. */
export function differInRestrictions(a: string, b: string): boolean {
  return a !== b && identityParts(a).uuid === identityParts(b).uuid;
}

/** Whether the catalog of an index can have read restrictions. */
export const mayRestrict = ({ source }: Pick<Definition, 'source'>): boolean =>
  'catalog' in source && source.catalog.type === 'rest';

/** The error of rows that were read under other restrictions than those of now. */
export function restrictionsChanged(table: string, index: string): LhsError {
  return new LhsError(
    'source_changed',
    `the catalog's read restrictions on "${table}" have changed since index "${index}" was built`,
    {
      hint: 'a reindex builds the index under the new restrictions',
      details: { reason: 'read_restrictions' },
      next: [{ step: 'reindex', index }],
    },
  );
}

/** Whether read restrictions of the catalog forbid the read that failed. */
export const isForbidden = (error: unknown): error is LhsError =>
  error instanceof LhsError && error.details.reason === 'read_restrictions';

/** Whether an error is one of `restrictionsChanged`. */
export const isRestrictionsChanged = (error: unknown): boolean =>
  isForbidden(error) && error.code === 'source_changed';

/**
 * Throws source_changed for a commit whose rows were read under other restrictions than those that
 * the table has now: the catalog may hide some of them. Without restrictions it hides nothing.
 */
export function refuseHidden(
  checkpoint: { readonly table_uuid: string } | null,
  table: SourceTable,
  index: string,
): void {
  if (table.restrictions !== undefined) requireSameRestrictions(checkpoint, table, index);
}

/** Throws source_changed if a checkpoint's rows were read under other restrictions of its table. */
export function requireSameRestrictions<T extends SourceTable>(
  checkpoint: { readonly table_uuid: string } | null,
  table: T,
  index: string,
): T {
  if (checkpoint === null || !differInRestrictions(checkpoint.table_uuid, sourceIdentity(table))) {
    return table;
  }
  throw restrictionsChanged(table.name, index);
}
