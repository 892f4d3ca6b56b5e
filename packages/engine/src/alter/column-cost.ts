import type { Field, FileSet, Schema, Type } from '@lakehouse-search/lake';

/**
 * Bytes that columns take in the data files of a snapshot. If a manifest does not record the sizes
 * of the columns of a file, each column counts as an equal part of it.
 */
export function bytesOfColumns(
  { files }: FileSet,
  columns: readonly Field[],
  { fields }: Pick<Schema, 'fields'>,
): number {
  const leaves = columns.flatMap(({ id, type }) => leavesOf(id, type));
  const part = columns.length / Math.max(1, fields.length);
  let bytes = 0;
  for (const { data } of files) {
    const { columnSizes } = data;
    const known = columnSizes !== undefined && columnSizes.size > 0;
    bytes += known
      ? leaves.reduce((sum, id) => sum + Number(columnSizes.get(id) ?? 0n), 0)
      : part * data.fileSize;
  }
  return Math.round(bytes);
}

/** Field ids of the leaf columns of a column. */
function leavesOf(id: number, type: Type): readonly number[] {
  if (type.kind === 'struct') return type.fields.flatMap((field) => leavesOf(field.id, field.type));
  if (type.kind === 'list') return leavesOf(type.elementId, type.element);
  if (type.kind !== 'map') return [id];
  return [...leavesOf(type.keyId, type.key), ...leavesOf(type.valueId, type.value)];
}
