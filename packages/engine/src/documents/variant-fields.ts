import {
  type Batch,
  type ColumnVector,
  type Type,
  type VariantNode,
  valueAt,
} from '@lakehouse-search/lake';
import { nodeOfValue } from '@lakehouse-search/lake/variant';
import { LIMITS } from '../base/limits.ts';
import type { FieldBlock } from '../schema/field-block.ts';
import type { FieldSource, MappedField, Mapping } from '../schema/mapping.ts';
import { columnText } from '../schema/values/column-text.ts';
import { pathTerm } from '../schema/variant-terms.ts';
import { createFieldBuilder } from './field-builder.ts';
import { coerceLeaf, eachLeaf, leafText, leavesAt } from './variant-leaves.ts';
import { type NodeOfRow, type ShapeValues, variantVectors } from './vectors/variant-vectors.ts';
import { isNull } from './vectors/vector-values.ts';

type Leaves = Extract<FieldSource, { kind: 'variant_leaf' }>;

/** A VARIANT, struct or map column of a batch. */
export interface NestedColumn {
  readonly batch: Batch;
  readonly at: number;
  readonly type: Type;
}

const encoder = new TextEncoder();

/**
 * Values that a shape's field could not take, by field name: they stay findable through the
 * flattened column.
 */
export type LeftOut = Map<string, number>;

/** A variant column's catch-all: the string leaves (and a lone scalar's text), one value each. */
export function variantText({ batch, at, type }: NestedColumn): FieldBlock {
  const builder = createFieldBuilder('TEXT');
  for (let row = 0; row < batch.rows; row++) {
    const node = nodeAt(batch.columns[at], type, row);
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
 * A variant column's path terms, each once a document. Left out and counted under the column's name
 * are terms beyond `LIMITS.keywordBytes` (so long a text is found through the catch-all), and of
 * one row those beyond `LIMITS.variantLeaves` terms or `LIMITS.variantTermBytes` in all.
 */
export function variantPaths(
  { batch, at, type }: NestedColumn,
  column: string,
  leftOut: LeftOut,
): FieldBlock {
  const builder = createFieldBuilder('KEYWORD');
  let left = 0;
  for (let row = 0; row < batch.rows; row++) {
    const node = nodeAt(batch.columns[at], type, row);
    if (node !== null) left += addTerms(node, (term) => builder.add(term));
    builder.endDocument();
  }
  if (left > 0) leftOut.set(column, (leftOut.get(column) ?? 0) + left);
  return builder.finish();
}

/** Gives each term of a row once, in the order of its leaves; answers how many did not fit. */
function addTerms(node: VariantNode, add: (term: Uint8Array) => void): number {
  const seen = new Set<string>();
  let bytes = 0;
  let left = 0;
  eachLeaf(node, (path, leaf) => {
    const full = seen.size >= LIMITS.variantLeaves || bytes >= LIMITS.variantTermBytes;
    if (full) return left++;
    const text = pathTerm(path, leafText(leaf));
    if (seen.has(text)) return;
    const term = text.length > LIMITS.keywordBytes ? null : encoder.encode(text);
    if (term === null || term.length > LIMITS.keywordBytes) return left++;
    seen.add(text);
    bytes += term.length;
    add(term);
  });
  return left;
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
  const { type } = mapping.columns[source.column];
  const nodeOf = (row: number) => {
    const node = nodeAt(batch.columns[source.column], type, row);
    return node !== null && selected(mapping, source, batch, row, node) ? node : null;
  };
  const { block, left } =
    field.plan.vector === undefined
      ? typedLeaves(field, source.path, batch.rows, nodeOf)
      : variantVectors(field, source.path, batch.rows, nodeOf);
  const { name } = field.plan;
  if (left > 0) leftOut.set(name, (leftOut.get(name) ?? 0) + left);
  return block;
}

function typedLeaves(
  { plan, definition }: MappedField,
  path: readonly string[],
  rows: number,
  nodeOf: NodeOfRow,
): ShapeValues {
  const builder = createFieldBuilder(plan.type);
  let left = 0;
  for (let row = 0; row < rows; row++) {
    const node = nodeOf(row);
    for (const leaf of node === null ? [] : leavesAt(node, path)) {
      if (leaf.kind === 'null') continue;
      const value = coerceLeaf(definition!, leaf);
      if (typeof value !== 'string') builder.add(value);
      else left++;
    }
    builder.endDocument();
  }
  return { block: builder.finish(), left };
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

const nodeAt = (vector: ColumnVector, type: Type, row: number): VariantNode | null =>
  nodeOfValue(type, valueAt(vector, row));
