import { LakeError } from '../../base/errors.ts';
import { loadTable } from '../../catalog/load-table.ts';
import { snapshotOf } from '../../metadata/table-metadata.ts';
import type { TableConfig } from '../../source-table.ts';
import { commitTable } from './commit.ts';
import { type RefTarget, withoutRef, withRef } from './next-refs.ts';

/** A new target of a branch or tag. */
export interface RefChange extends Omit<RefTarget, 'snapshotId'> {
  /** Default: the table's current snapshot. */
  readonly snapshot?: string;
  /** Move the branch or tag if there is one of the name. Default: throws invalid_argument. */
  readonly replace?: boolean;
}

/**
 * Makes a branch or tag, or moves it, and returns its snapshot. `main` moves too: that is a
 * rollback. Throws snapshot_not_found, invalid_argument, commit_conflict.
 */
export async function pointTableRef(
  config: TableConfig,
  name: string,
  { kind, snapshot, retention, replace = false }: RefChange,
): Promise<string> {
  let target = '';
  await commitTable(await loadTable(config), async ({ metadata }) => {
    const id = snapshot === undefined ? metadata.currentSnapshotId : BigInt(snapshot);
    if (id === null) throw new LakeError('snapshot_not_found', 'the table has no snapshot yet');
    const known = metadata.refs.find((ref) => ref.name === name);
    if (known !== undefined && (!replace || known.kind !== kind)) {
      const message = `the table has the ${known.kind} "${name}" already`;
      throw new LakeError('invalid_argument', message, {
        details: { snapshot: String(known.snapshotId) },
      });
    }
    target = String(snapshotOf(metadata, id).id);
    const ref = { kind, snapshotId: id, ...(retention && { retention }) };
    return { metadata: withRef(metadata, name, ref, Date.now()), written: [] };
  });
  return target;
}

/** Removes a tag or branch. Throws snapshot_not_found, commit_conflict. */
export async function removeTableRef(config: TableConfig, name: string): Promise<void> {
  await commitTable(await loadTable(config), async ({ metadata }) => {
    return { metadata: withoutRef(metadata, name, Date.now()), written: [] };
  });
}
