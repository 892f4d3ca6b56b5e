import { describe, expect, it } from 'vitest';
import { parseJson } from '../base/json.ts';
import { JsonNode } from '../base/json-node.ts';
import { nameMappingOf } from './name-mapping.ts';
import { parseSchema, parseType, schemaToJson, typeName, typeToJson } from './schema-json.ts';
import { readableFields } from './type.ts';

const node = (text: string) => new JsonNode(parseJson(text), '', 'f.json');
const field = (id: number, type: string, more = '') =>
  `{"id":${id},"name":"c${id}","required":false,"type":${type}${more}}`;
const schema = (...fields: string[]) =>
  `{"type":"struct","schema-id":7,"fields":[${fields.join(',')}]}`;

describe('schemas as JSON', () => {
  it('come back from JSON, defaults and all', () => {
    const text = schema(
      field(1, '"long"', ',"initial-default":9007199254740993,"write-default":1'),
      field(2, '"decimal(9, 2)"', ',"initial-default":"19.90"'),
      field(3, '"fixed[2]"', ',"initial-default":"ff00"'),
      field(4, '"timestamptz"', ',"initial-default":"2021-01-01T00:00:00.000001+00:00"'),
      field(5, '{"type":"list","element-id":6,"element":"uuid","element-required":true}'),
      field(
        7,
        '{"type":"map","key-id":8,"key":"int","value-id":9,"value":"variant","value-required":false}',
      ),
      field(10, `{"type":"struct","fields":[${field(11, '"time"')}]}`, ',"doc":"d"'),
      field(12, '"timestamp_ns"'),
      field(13, '"unknown"'),
    );
    const parsed = parseSchema(node(text));
    expect(parsed.schemaId).toBe(7);
    expect(parsed.fields[0]!.initialDefault).toBe(9007199254740993n);
    expect(parsed.fields[1]!.initialDefault).toBe(1990n);
    expect(parsed.fields[3]!.initialDefault).toBe(1609459200000001n);
    expect(parseSchema(new JsonNode(schemaToJson(parsed), '', 'again'))).toEqual(parsed);
  });

  it('keep types that are not read as they are written', () => {
    const later = '{"type":"matrix","rows":2}';
    const text = schema(
      field(1, '"geometry(srid:4326)"', ',"initial-default":"x"'),
      field(2, `{"type":"list","element-id":3,"element-required":false,"element":"quaternion"}`),
      field(4, later),
      field(5, '"long"'),
    );
    const parsed = parseSchema(node(text));
    expect(parsed.fields.map(({ type }) => typeName(type))).toEqual([
      'geometry(srid:4326)',
      'list<quaternion>',
      later,
      'long',
    ]);
    expect(readableFields(parsed).map(({ id }) => id)).toEqual([5]);
    expect(parseSchema(new JsonNode(schemaToJson(parsed), '', 'again'))).toEqual(parsed);
  });

  it.each([
    ['a doubled field id', schema(field(1, '"int"'), field(1, '"int"')), /field id 1 occurs twice/],
    ['a decimal of 39 digits', schema(field(1, '"decimal(39,0)"')), /at most 38 digits/],
    ['a wrong default', schema(field(1, '"int"', ',"initial-default":"x"')), /32-bit integer/],
    [
      'a default of a variant',
      schema(field(1, '"variant"', ',"initial-default":1')),
      /must be null/,
    ],
    [
      'a missing name',
      '{"schema-id":0,"fields":[{"id":1,"required":true,"type":"int"}]}',
      /"fields\[0\].name"/,
    ],
  ])('refuse %s', (_what, text, words) => {
    expect(() => parseSchema(node(text))).toThrow(words);
  });

  it('take columns of 32 nested levels, and refuse more by the column', () => {
    const nested = (levels: number): string => {
      let type = '"int"';
      for (let i = 0; i < levels; i++) {
        type = `{"type":"list","element-id":${i + 2},"element":${type},"element-required":false}`;
      }
      return schema(field(1, type));
    };
    const type = typeName(parseSchema(node(nested(32))).fields[0].type);
    expect(type).toBe(`${'list<'.repeat(32)}int${'>'.repeat(32)}`);
    for (const levels of [33, 100, 5000]) {
      expect(() => parseSchema(node(nested(levels)))).toThrow(
        /^column "c1" is nested deeper than 32 levels/,
      );
    }
  });

  it('have readable type names', () => {
    const text =
      '{"type":"map","key-id":1,"key":"string","value-id":2,"value":"decimal(3,1)","value-required":true}';
    const type = parseType(node(text));
    expect(typeName(type)).toBe('map<string, decimal(3, 1)>');
    expect(parseType(new JsonNode(typeToJson(type), '', ''))).toEqual(type);
  });
});

describe('name mappings as JSON', () => {
  it('are read from their property', () => {
    const text = '[{"field-id":1,"names":["a","b"],"fields":[{"names":["x"]}]}]';
    expect(nameMappingOf({ 'schema.name-mapping.default': text }, 'f')).toEqual([
      { fieldId: 1, names: ['a', 'b'], fields: [{ fieldId: null, names: ['x'], fields: [] }] },
    ]);
    expect(nameMappingOf({}, 'f')).toBeNull();
    expect(() => nameMappingOf({ 'schema.name-mapping.default': '{' }, 'f')).toThrow(/not JSON/);
  });
});
