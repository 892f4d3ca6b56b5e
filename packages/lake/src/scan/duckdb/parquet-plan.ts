import type { Footer } from '../../parquet/footer.ts';
import type { LeafNode, ParquetNode } from '../../parquet/schema-tree.ts';
import { childFields } from '../../schema/field-lookup.ts';
import type { Field, ListType, MapType, StructType, Type } from '../../schema/type.ts';
import { duckType } from './sql-types.ts';

/**
 * Which Parquet files DuckDB reads. DuckDB reads a file if it returns exactly Iceberg's values for
 * every wanted column of the file:
 *
 * - the file's type is the column's own, or an integer, float or decimal that widens into it;
 * - strings, uuids, dates, times, timestamps and decimals are annotated as such (else DuckDB would
 *   give blobs or numbers); timestamps and times are in the unit of the column's type;
 * - lists, maps and structs have the wanted fields, by id, name and order, and nothing else;
 * - no variant, no zoned nanoseconds, no `unknown` (`duckType` has no name for them);
 * - no column is nested deeper than 8 levels: with each level the time that DuckDB takes doubles;
 * - the pages are in a codec that DuckDB knows (not Hadoop's LZ4, not LZO);
 * - no two top-level columns differ only by case, and the path has no character that DuckDB takes
 *   for a pattern.
 *
 * Our own Parquet reader reads every other file as a whole. Both return the same values
 * (test/truth.test.ts).
 */
export function duckReads(
  path: string,
  footer: Footer,
  columns: readonly { readonly field: Field; readonly node: ParquetNode }[],
): boolean {
  return (
    !/[*?[\]{}]/.test(path) &&
    namesAreDistinct(footer) &&
    columns.every(
      ({ field, node }) =>
        node.repetition !== 'repeated' &&
        nestedLevels(field.type) <= DUCKDB_LEVELS &&
        agrees(node, field.type),
    ) &&
    codecsAreKnown(footer, columns)
  );
}

const DUCKDB_LEVELS = 8;

function nestedLevels(type: Type): number {
  const below = childFields(type).map((field) => nestedLevels(field.type));
  return below.length === 0 ? 0 : 1 + Math.max(...below);
}

function namesAreDistinct(footer: Footer): boolean {
  const names = footer.schema.root.children.map((node) => node.name.toLowerCase());
  return new Set(names).size === names.length;
}

/** UNCOMPRESSED, SNAPPY, GZIP, BROTLI, ZSTD, LZ4_RAW (parquet.thrift, CompressionCodec). */
const CODECS = new Set([0, 1, 2, 4, 6, 7]);

function codecsAreKnown(footer: Footer, columns: readonly { readonly node: ParquetNode }[]) {
  const leaves = columns.flatMap(({ node }) => leavesOf(node));
  return footer.rowGroups.every((group) =>
    leaves.every((leaf) => CODECS.has(group.chunks[leaf.column].codec)),
  );
}

/** The leaves below a node, itself if it is one. */
export function leavesOf(node: ParquetNode): LeafNode[] {
  return node.kind === 'leaf' ? [node] : node.children.flatMap(leavesOf);
}

function agrees(node: ParquetNode, type: Type): boolean {
  if (duckType(type) === null) return false;
  switch (type.kind) {
    case 'struct':
      return structAgrees(node, type);
    case 'list':
      return listAgrees(node, type);
    case 'map':
      return mapAgrees(node, type);
    default:
      return node.kind === 'leaf' && leafAgrees(node, type);
  }
}

function structAgrees(node: ParquetNode, type: StructType): boolean {
  return (
    node.kind === 'group' &&
    node.logical.kind === 'none' &&
    node.children.length === type.fields.length &&
    node.children.every((child, i) => {
      const field = type.fields[i];
      const named = child.fieldId === field.id && child.name === field.name;
      return named && child.repetition !== 'repeated' && agrees(child, field.type);
    })
  );
}

function listAgrees(node: ParquetNode, type: ListType): boolean {
  if (node.kind !== 'group' || node.logical.kind !== 'list') return false;
  const [repeated] = node.children;
  if (repeated?.kind !== 'group' || repeated.repetition !== 'repeated') return false;
  const [element] = repeated.children;
  return (
    repeated.children.length === 1 &&
    element.repetition !== 'repeated' &&
    element.fieldId === type.elementId &&
    agrees(element, type.element)
  );
}

function mapAgrees(node: ParquetNode, type: MapType): boolean {
  if (node.kind !== 'group' || node.logical.kind !== 'map') return false;
  const [repeated] = node.children;
  if (repeated?.kind !== 'group' || repeated.children.length !== 2) return false;
  const [key, value] = repeated.children;
  return (
    repeated.repetition === 'repeated' &&
    key.fieldId === type.keyId &&
    value.fieldId === type.valueId &&
    value.repetition !== 'repeated' &&
    agrees(key, type.key) &&
    agrees(value, type.value)
  );
}

function leafAgrees(leaf: LeafNode, type: Type): boolean {
  const { physical, logical } = leaf;
  switch (type.kind) {
    case 'boolean':
      return physical === 'boolean';
    case 'int':
      return physical === 'int32' && isSignedInteger(leaf);
    case 'long':
      return (physical === 'int32' || physical === 'int64') && isSignedInteger(leaf);
    case 'float':
      return physical === 'float';
    case 'double':
      return physical === 'float' || physical === 'double';
    case 'decimal':
      return logical.kind === 'decimal' && logical.scale === type.scale && type.precision <= 38;
    case 'date':
      return physical === 'int32' && logical.kind === 'date';
    case 'time':
      return physical === 'int64' && logical.kind === 'time' && logical.unit === 'us';
    case 'timestamp':
    case 'timestamptz':
      return isTimestamp(leaf, 'us', type.kind === 'timestamptz');
    case 'timestamp_ns':
      return isTimestamp(leaf, 'ns', false);
    case 'string':
      return physical === 'byte_array' && logical.kind === 'string';
    case 'uuid':
      return physical === 'fixed' && leaf.length === 16 && logical.kind === 'uuid';
    case 'binary':
      return physical === 'byte_array' && logical.kind === 'none';
    case 'fixed':
      return physical === 'fixed' && leaf.length === type.length && logical.kind === 'none';
    default:
      return false;
  }
}

function isSignedInteger({ logical }: LeafNode): boolean {
  return logical.kind === 'none' || (logical.kind === 'int' && logical.signed);
}

function isTimestamp({ physical, logical }: LeafNode, unit: 'us' | 'ns', utc: boolean): boolean {
  return (
    physical === 'int64' &&
    logical.kind === 'timestamp' &&
    logical.unit === unit &&
    logical.utc === utc
  );
}
