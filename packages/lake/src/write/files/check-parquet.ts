import { LakeError } from '../../base/errors.ts';
import { LIMITS } from '../../base/limits.ts';
import { arrowDurations } from '../../parquet/arrow-durations.ts';
import { openParquet, type ParquetFile } from '../../parquet/parquet-file.ts';
import type { GroupNode, LeafNode } from '../../parquet/schema-tree.ts';
import { refuseTwins } from '../input/refuse-names.ts';
import { ZONED_NANOS } from '../types/infer-schema.ts';

/**
 * Refuses columns of a Parquet file whose names, values or types DuckDB would change: repeated
 * names get a number, decimals of more than 38 digits become doubles, zoned nanoseconds lose their
 * last digits, and durations become numbers without a unit. A footer that cannot be read is left to
 * DuckDB, which names the fault. Throws `unsupported`, invalid_argument.
 */
export async function checkParquet(path: string, formatVersion: number): Promise<void> {
  const file = await openParquet(path).catch(() => null);
  if (file === null) return;
  try {
    refuseTwinFields(path, file.schema.root);
    await refuseDurations(file);
    for (const leaf of file.schema.leaves) {
      refuseWideDecimal(path, leaf);
      const { logical } = leaf;
      const isZonedNanos = logical.kind === 'timestamp' && logical.unit === 'ns' && logical.utc;
      if (isZonedNanos) await refuseLostNanos(file, leaf, formatVersion);
    }
  } finally {
    await file.close();
  }
}

function refuseTwinFields(file: string, { path, children }: GroupNode): void {
  const what = path === '' ? `columns of "${file}"` : `fields of column "${path}" of "${file}"`;
  refuseTwins(
    children.map(({ name }) => name),
    what,
  );
  for (const child of children) if (child.kind === 'group') refuseTwinFields(file, child);
}

async function refuseDurations(file: ParquetFile): Promise<void> {
  const schema = await file.keyValue('ARROW:schema');
  for (const column of arrowDurations(schema ?? '')) {
    const why = 'is a duration, which Iceberg does not have; write it as a number or a text';
    throw refuse(file.path, column, why);
  }
}

function refuseWideDecimal(path: string, { path: column, logical }: LeafNode): void {
  if (logical.kind !== 'decimal' || logical.precision <= LIMITS.decimalDigits) return;
  const type = `decimal(${logical.precision}, ${logical.scale})`;
  const most = `at most ${LIMITS.decimalDigits} digits`;
  throw refuse(path, column, `is ${type}; decimals have ${most}`);
}

/**
 * DuckDB cuts zoned nanoseconds towards 1970. In format 2 that is the microsecond at or before the
 * instant, except before 1970; format 3 could keep the digits, so there none may be lost.
 */
async function refuseLostNanos(file: ParquetFile, leaf: LeafNode, version: number): Promise<void> {
  for (let group = 0; group < file.footer.rowGroups.length; group++) {
    const { pages } = await file.directory(group, leaf.column);
    for (let index = 0; index < pages.length; index++) {
      const { values } = (await file.page(group, leaf.column, index)).page;
      for (let i = 0; i < values.length; i++) {
        const nanos = values.get(i) as bigint;
        if (nanos % 1000n === 0n || (version < 3 && nanos > 0n)) continue;
        throw refuse(file.path, leaf.path, ZONED_NANOS);
      }
    }
  }
}

function refuse(file: string, column: string, why: string): LakeError {
  return new LakeError('unsupported', `column "${column}" of "${file}" ${why}`, { file });
}
