import { describe, expect, it } from 'vitest';
import { ANALYZER_CATALOG } from '../../analysis/registry.ts';
import { parseDefinition } from './parse-definition.ts';

const parsed = (synonyms: string, field = '') =>
  parseDefinition(
    `version: 1
index: items
source: { path: /lake/items }
key: { identifier: [id] }
${synonyms}
fields: [{ name: title, type: TEXT${field} }, { name: shop, type: KEYWORD }]
`,
    ANALYZER_CATALOG,
  );
const group = (size: number) => Array.from({ length: size }, (_, i) => `w${i}`).join(', ');

describe('synonyms of a definition', () => {
  it('are groups, as lists or lines', () => {
    const { definition, issues } = parsed(`synonyms:
  - [tv, "television, set"]
  - big apple , nyc
  - laptop,, tablet => notebook, portable computer`);
    expect(issues).toEqual([]);
    expect(definition?.synonyms).toEqual([
      { from: ['tv', 'television, set'] },
      { from: ['big apple', 'nyc'] },
      { from: ['laptop', 'tablet'], to: ['notebook', 'portable computer'] },
    ]);
    expect(parsed('').definition?.synonyms).toBeUndefined();
    expect(parsed('synonyms: []').definition?.synonyms).toBeUndefined();
  });

  it('of a field are in place of them; false: none', () => {
    const own = (field: string) => parsed('', field).definition?.fields[0].synonyms;
    expect(own(', synonyms: [[a, b]]')).toEqual([{ from: ['a', 'b'] }]);
    expect(own(', synonyms: false')).toEqual([]);
  });

  it.each([
    ['/etc/passwd', 'synonyms must be a list: only the command line reads a file of them'],
    ['{ file: /etc/passwd }', 'synonyms must be a list: only'],
    ['[tv]', 'a group of synonyms is [tv, television], or "tv => television"'],
    ['[[tv]]', 'a group of synonyms is [tv, television]'],
    ['["a => b => c"]', 'a group of synonyms is [tv, television]'],
    ['["=> b, c"]', 'a group of synonyms is [tv, television]'],
    ['[[a, 1]]', 'a synonym must be a string, not 1 (write "1")'],
    [`["${group(65)}"]`, 'a group of 65 synonyms: at most 64'],
    [`[[a, ${'b'.repeat(201)}]]`, 'has 201 characters: a synonym has at most 200'],
  ])('refuse %s', (value, message) => {
    const { definition, issues } = parsed(`synonyms: ${value}`);
    expect(definition).toBeNull();
    expect(issues.map((issue) => issue.message).join('\n')).toContain(message);
  });

  it('are for TEXT', () => {
    const text = 'synonyms: [[a, b]]';
    const { issues } = parseDefinition(
      `version: 1\nindex: i\nsource: { path: /x }\nfields: [{ name: k, type: KEYWORD, ${text} }]`,
      ANALYZER_CATALOG,
    );
    expect(issues.map(({ message }) => message)).toContain('synonyms is for TEXT; "k" is KEYWORD');
  });
});
