import { describe, expect, it } from 'vitest';
import { ANALYZER_CATALOG } from '../../analysis/registry.ts';
import { parseDefinition } from './parse-definition.ts';

const text = (line: string) => `version: 1
index: items
source: { path: /lake/items }
key: { identifier: [id] }
${line}
fields:
  - { name: title, type: TEXT }
  - { name: body, type: TEXT }
  - { name: note, type: TEXT, indexed: false, cached: true }
  - { name: shop, type: KEYWORD }
  - { name: price, type: LONG }
variants: [{ column: tags }, { column: raw, flatten: false }]
`;
const parsed = (line: string) => parseDefinition(text(line), ANALYZER_CATALOG);

describe('default_fields of a definition', () => {
  it('are names of indexed TEXT and KEYWORD fields', () => {
    expect(parsed('default_fields: [body, title]').definition?.defaultFields).toEqual([
      'body',
      'title',
    ]);
    expect(parsed('default_fields: body').definition?.defaultFields).toEqual(['body']);
    expect(parsed('').definition?.defaultFields).toBeUndefined();
    const weighted = parsed('default_fields: [title^2.5, body]');
    expect(weighted.definition?.defaultFields).toEqual(['title^2.5', 'body']);
    const flattened = parsed('default_fields: [title, tags^2]').definition;
    expect(flattened?.defaultFields).toEqual(['title', 'tags^2']);
    expect(parsed('default_fields: [shop, title]').definition?.defaultFields).toEqual([
      'shop',
      'title',
    ]);
  });

  it.each([
    [
      '[titel]',
      '"titel" in default_fields is not a field of this definition; did you mean "title"?',
    ],
    ['[raw]', '"raw" in default_fields is not a field of this definition'],
    ['[price]', '"price" in default_fields must be an indexed TEXT or KEYWORD field'],
    ['[note]', '"note" in default_fields must be an indexed TEXT or KEYWORD field'],
    ['[title, title]', '"title" is given twice'],
    ['[title^0]', 'the weight of "title^0" must be a number above 0, at most 1000'],
    ['[title^]', 'the weight of "title^" must be a number above 0, at most 1000'],
    ['[title^x]', 'the weight of "title^x" must be a number above 0, at most 1000'],
    ['[]', 'default_fields needs 1 to 24 names of fields'],
  ])('refuse %s', (value, message) => {
    const { definition, issues } = parsed(`default_fields: ${value}`);
    expect(definition).toBeNull();
    expect(issues.map((issue) => issue.message)).toContain(message);
  });
});
