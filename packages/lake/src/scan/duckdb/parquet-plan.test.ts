import { describe, expect, it } from 'vitest';
import type { Footer } from '../../parquet/footer.ts';
import { buildSchemaTree } from '../../parquet/schema-tree.ts';
import type { Type } from '../../schema/type.ts';
import { duckReads } from './parquet-plan.ts';

const place = { path: 'f.parquet', role: 'data' } as const;
const bytes = (text: string) => new TextEncoder().encode(text);
const OPTIONAL = 1;
const REPEATED = 2;
const LIST = 3;

type SchemaElement = ReadonlyMap<number, number | Uint8Array>;

const element = (...fields: [id: number, value: number | Uint8Array][]): SchemaElement =>
  new Map(fields);

/** A file of one column `l` of lists inside one another, `levels` of them, and its type. */
function nested(levels: number): { footer: Footer; type: Type } {
  const elements = [element([4, bytes('table')], [5, 1])];
  let type: Type = { kind: 'long' };
  for (let id = 1; id <= levels; id++) {
    const name = bytes(id === 1 ? 'l' : 'element');
    elements.push(element([3, OPTIONAL], [4, name], [5, 1], [6, LIST], [9, id]));
    elements.push(element([3, REPEATED], [4, bytes('list')], [5, 1]));
    type = { kind: 'list', elementId: levels + 2 - id, elementRequired: false, element: type };
  }
  elements.push(element([1, 2], [3, OPTIONAL], [4, bytes('element')], [9, levels + 1]));
  const schema = buildSchemaTree(elements, place);
  return { footer: { rows: 0, createdBy: null, schema, rowGroups: [] }, type };
}

function reads(levels: number): boolean {
  const { footer, type } = nested(levels);
  const field = { id: 1, name: 'l', required: false, type };
  return duckReads(place.path, footer, [{ field, node: footer.schema.root.children[0] }]);
}

describe('columns of lists inside one another', () => {
  it('go to DuckDB up to 8 levels, which it reads in a time that doubles with each', () => {
    expect([1, 2, 8].map(reads)).toEqual([true, true, true]);
  });

  it('go to our own reader from there to the deepest that a table may have', () => {
    expect([9, 26, 32].map(reads)).toEqual([false, false, false]);
  });
});
