import { LakeError } from '../base/errors.ts';
import { LIMITS } from '../base/limits.ts';
import { openParquet, type ParquetFile } from '../parquet/parquet-file.ts';
import type { LeafNode } from '../parquet/schema-tree.ts';

/**
 * Refuses columns of a Parquet file whose values DuckDB would change: decimals of more than 38
 * digits become doubles, and zoned nanoseconds lose their last digits. A footer that cannot be read
 * is left to DuckDB, which names the fault. Throws `unsupported`.
 */
export async function checkParquet(path: string, formatVersion: number): Promise<void> {
  const file = await openParquet(path).catch(() => null);
  if (file === null) return;
  try {
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
        const why = 'has zoned timestamps with nanoseconds, which cannot be imported exactly';
        throw refuse(file.path, leaf.path, `${why}; write them with microseconds`);
      }
    }
  }
}

function refuse(file: string, column: string, why: string): LakeError {
  return new LakeError('unsupported', `column "${column}" of "${file}" ${why}`, { file });
}
