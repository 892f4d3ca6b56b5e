import {
  type Batch,
  type ColumnVector,
  type VariantNode,
  VariantValue,
  valueAt,
} from '@lakehouse-search/lake';
import { LIMITS } from '../base/limits.ts';
import { columnText } from '../schema/column-text.ts';
import type { FieldBlock } from '../schema/field-block.ts';
import type { FieldSource, MappedField, Mapping } from '../schema/mapping.ts';
import { pathTerm } from '../schema/variant-terms.ts';
import { createFieldBuilder } from './field-builder.ts';
import { coerceLeaf, eachLeaf, leafText, leavesAt } from './variant-leaves.ts';
import { isNull } from './vector-values.ts';

type Leaves = Extract<FieldSource, { kind: 'variant_leaf' }>;

const encoder = new TextEncoder();

/**
 * Values that a shape's field could not take, by field name: they stay findable through the
 * flattened column.
 */
export type LeftOut = Map<string, number>;

/** A variant column's catch-all: the string leaves (and a lone scalar's text), one value each. */
export function variantText(vector: ColumnVector, rows: number): FieldBlock {
  const builder = createFieldBuilder('TEXT');
  for (let row = 0; row < rows; row++) {
    const node = nodeAt(vector, row);
    if (node !== null) {
      eachLeaf(node, (path, leaf) => {
        const lone = path === '' && node === leaf && leaf.kind !== 'null';
        if (leaf.kind === 'string' || lone) builder.add(encoder.encode(leafText(leaf)));
      });
    }
    builder.endDocument();
  }
  return builder.finish();
}

/**
 * A variant column's path terms, each once a document. A term beyond `LIMITS.keywordBytes` is left
 * out: so long a text is found through the catch-all.
 */
export function variantPaths(vector: ColumnVector, rows: number): FieldBlock {
  const builder = createFieldBuilder('KEYWORD');
  for (let row = 0; row < rows; row++) {
    const node = nodeAt(vector, row);
    const terms = new Set<string>();
    if (node !== null) eachLeaf(node, (path, leaf) => terms.add(pathTerm(path, leafText(leaf))));
    for (const term of terms) {
      const bytes = encoder.encode(term);
      if (bytes.length <= LIMITS.keywordBytes) builder.add(bytes);
    }
    builder.endDocument();
  }
  return builder.finish();
}

/**
 * A shape's field: typed values of the leaves at its path, in the rows that its discriminator
 * selects.
 */
export function variantLeaves(
  mapping: Mapping,
  field: MappedField,
  source: Leaves,
  batch: Batch,
  leftOut: LeftOut,
): FieldBlock {
  const builder = createFieldBuilder(field.plan.type);
  const vector = batch.columns[source.column];
  for (let row = 0; row < batch.rows; row++) {
    const node = nodeAt(vector, row);
    if (node !== null && selected(mapping, source, batch, row, node)) {
      for (const leaf of leavesAt(node, source.path)) {
        if (leaf.kind === 'null') continue;
        const value = coerceLeaf(field.definition!, leaf);
        if (typeof value !== 'string') builder.add(value);
        else leftOut.set(field.plan.name, (leftOut.get(field.plan.name) ?? 0) + 1);
      }
    }
    builder.endDocument();
  }
  return builder.finish();
}

function selected(
  mapping: Mapping,
  { when }: Leaves,
  batch: Batch,
  row: number,
  node: VariantNode,
): boolean {
  if (when === null) return true;
  const leaves = leavesAt(node, when.path).filter((leaf) => leaf.kind !== 'null');
  if (leaves.length > 0) return leaves.some((leaf) => when.values.has(leafText(leaf)));
  if (when.column === null || isNull(batch.columns[when.column], row)) return false;
  const { type } = mapping.columns[when.column];
  return when.values.has(columnText(type, valueAt(batch.columns[when.column], row)));
}

function nodeAt(vector: ColumnVector, row: number): VariantNode | null {
  const value = valueAt(vector, row);
  return value instanceof VariantValue ? value.node : null;
}
