import { describe, expect, it } from 'vitest';
import { definitionJsonSchema } from './json-schema.ts';
import { DEFINITION_KEYS } from './parse-definition.ts';
import { FIELD_KEYS, SHAPE_FIELD_KEYS } from './parse-field.ts';

interface Node {
  readonly properties: Readonly<Record<string, Node>>;
  readonly items: Node;
  readonly additionalProperties?: boolean;
}

describe('the JSON schema of definitions', () => {
  it('has exactly the keys of the parser', () => {
    const root = definitionJsonSchema() as unknown as Node;
    const keys = (node: Node) => Object.keys(node.properties).sort();
    expect(keys(root)).toEqual([...DEFINITION_KEYS].sort());
    expect(keys(root.properties.fields.items)).toEqual([...FIELD_KEYS].sort());
    const shape = root.properties.variants.items.properties.shapes.items;
    expect(keys(shape.properties.fields.items)).toEqual([...SHAPE_FIELD_KEYS].sort());
    expect(root.additionalProperties).toBe(false);
    expect(JSON.parse(JSON.stringify(root))).toEqual(root);
  });
});
