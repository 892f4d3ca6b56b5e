/**
 * VECTOR fields of a shape. Without a model the field takes the first array of numbers at its path;
 * with a model the texts at the path, joined by a line feed, for the vector stage to embed.
 */
import type { VariantNode } from '@lakehouse-search/lake';
import { fixVectors } from '../../base/fixed-vector.ts';
import type { FieldBlock } from '../../schema/field-block.ts';
import type { VectorPlan } from '../../schema/field-plan.ts';
import type { MappedField } from '../../schema/mapping.ts';
import { createFieldBuilder } from '../field-builder.ts';
import { limitText } from '../scalar-value.ts';
import { leafNumber, leavesAt, nodesAt } from '../variant-leaves.ts';
import { vectorBlock } from './vector-block.ts';
import { startsOf } from './vector-values.ts';

/** The variant of a row; null: none, or the shape does not apply to the row. */
export type NodeOfRow = (row: number) => VariantNode | null;

/** The values of a shape's field, and how many leaves it could not take. */
export interface ShapeValues {
  readonly block: FieldBlock;
  readonly left: number;
}

/** The values of a VECTOR field of a shape. */
export function variantVectors(
  field: MappedField,
  path: readonly string[],
  rows: number,
  nodeOf: NodeOfRow,
): ShapeValues {
  const { vector } = field.plan;
  return vector!.model === null
    ? vectorsAt(vector!, path, rows, nodeOf)
    : textsAt(field, path, rows, nodeOf);
}

function vectorsAt(
  { dims, similarity }: VectorPlan,
  path: readonly string[],
  rows: number,
  nodeOf: NodeOfRow,
): ShapeValues {
  const values = new Float32Array(rows * dims);
  let left = 0;
  for (let row = 0; row < rows; row++) {
    const node = nodeOf(row);
    if (node === null) continue;
    let taken = false;
    for (const own of nodesAt(node, path)) {
      if (isEmpty(own)) continue;
      if (!taken && take(own, similarity === 'cosine', values.subarray(row * dims), dims)) {
        taken = true;
      } else left++;
    }
  }
  return { block: vectorBlock(startsOf(null, rows), dims, fixVectors(values, dims)), left };
}

const isEmpty = (node: VariantNode): boolean =>
  node.kind === 'null' || (node.kind === 'array' && node.elements.length === 0);

/** Writes an array of `dims` finite numbers to `to`; false: the node is something else. */
function take(node: VariantNode, normal: boolean, to: Float32Array, dims: number): boolean {
  if (node.kind !== 'array' || node.elements.length !== dims) return false;
  const numbers: number[] = [];
  for (const element of node.elements) {
    const nested = element.kind === 'array' || element.kind === 'object';
    const value = nested ? null : leafNumber(element);
    if (value === null || !Number.isFinite(Math.fround(value))) return false;
    numbers.push(value);
  }
  const length = normal ? Math.hypot(...numbers) : 1;
  if (length > 0) for (let i = 0; i < dims; i++) to[i] = numbers[i] / length;
  return true;
}

function textsAt(
  { definition }: MappedField,
  path: readonly string[],
  rows: number,
  nodeOf: NodeOfRow,
): ShapeValues {
  const builder = createFieldBuilder('TEXT');
  let left = 0;
  for (let row = 0; row < rows; row++) {
    const node = nodeOf(row);
    const texts: string[] = [];
    for (const leaf of node === null ? [] : leavesAt(node, path)) {
      if (leaf.kind === 'string') texts.push(leaf.value);
      else if (leaf.kind !== 'null') left++;
    }
    if (texts.length > 0) builder.add(limitText(definition!, texts.join('\n')));
    builder.endDocument();
  }
  return { block: builder.finish(), left };
}
