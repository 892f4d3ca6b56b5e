/**
 * Shredded variants put together again (parquet-format VariantShredding.md, "Reconstructing a
 * Shredded Variant"):
 *
 *   value null, typed null        missing: no field in an object; a variant null elsewhere
 *   value set,  typed null        the value as it is encoded
 *   value null, typed set         the typed value
 *   both set                      an object, typed fields and the rest of its fields in `value`
 *
 * A key that the schema shreds is read from its own columns alone: what `value` says of it is
 * ignored, even if those columns are both null.
 */
import type { VariantNode } from '../schema/type.ts';
import { decodeVariantValue } from './decode.ts';
import { parseVariantMetadata, type VariantMetadata, variantFault } from './variant-metadata.ts';

/** One `value` / `typed_value` pair of a file's columns. */
export interface ShreddedNode {
  readonly value: Uint8Array | null;
  readonly typed: ShreddedTyped | null;
}

/** What a `typed_value` column holds in one row. */
export type ShreddedTyped =
  | { readonly kind: 'scalar'; readonly node: VariantNode }
  | { readonly kind: 'array'; readonly elements: readonly ShreddedNode[] }
  | { readonly kind: 'object'; readonly fields: readonly (readonly [string, ShreddedNode])[] };

/** The variant that a row's shredded columns make up. Throws `data_file_invalid` naming `file`. */
export function assembleVariant(
  metadata: Uint8Array,
  shredded: ShreddedNode,
  file: string,
): VariantNode {
  return assemble(parseVariantMetadata(metadata, file), shredded, file) ?? NULL;
}

const NULL: VariantNode = Object.freeze({ kind: 'null' });

function assemble(
  metadata: VariantMetadata,
  { value, typed }: ShreddedNode,
  file: string,
): VariantNode | null {
  if (typed === null) return value === null ? null : decodeVariantValue(metadata, value, file);
  if (typed.kind === 'object') return assembleObject(metadata, value, typed.fields, file);
  if (value !== null) {
    throw variantFault(file, `both value and typed_value are set for ${typed.kind}`);
  }
  if (typed.kind === 'scalar') return typed.node;
  const elements = typed.elements.map((element) => assemble(metadata, element, file) ?? NULL);
  return { kind: 'array', elements };
}

function assembleObject(
  metadata: VariantMetadata,
  value: Uint8Array | null,
  typed: readonly (readonly [string, ShreddedNode])[],
  file: string,
): VariantNode {
  const fields = new Map<string, VariantNode>();
  if (value !== null) {
    const rest = decodeVariantValue(metadata, value, file);
    if (rest.kind !== 'object') {
      throw variantFault(file, `value beside a shredded object is "${rest.kind}", expected object`);
    }
    for (const [name, field] of rest.fields) fields.set(name, field);
  }
  for (const [name, shredded] of typed) {
    const field = assemble(metadata, shredded, file);
    if (field === null) fields.delete(name);
    else fields.set(name, field);
  }
  return { kind: 'object', fields };
}
