import type { Field, Schema, Type } from '@lakehouse-search/lake';
import { describe, expect, it } from 'vitest';
import { checkAgainstTable, createMapping } from './mapping.ts';
import { parseDefinition, requireDefinition } from './parse/parse-definition.ts';

const catalog = { names: ['standard', 'english'], tokenizers: [], filters: [], check: () => null };
const analyzerOf = (name: string) => ({
  name,
  analyze: () => 0,
  normalize: (word: string) => word,
});

const list = (element: Type): Type => ({
  kind: 'list',
  elementId: 99,
  elementRequired: false,
  element,
});
const columns: Record<string, Type> = {
  repo: { kind: 'string' },
  sha: { kind: 'string' },
  subject: { kind: 'string' },
  body: { kind: 'string' },
  opened_at: { kind: 'timestamptz' },
  words: { kind: 'long' },
  ratio: { kind: 'double' },
  place: { kind: 'struct', fields: [] },
  tags: list({ kind: 'string' }),
  own: list({ kind: 'float' }),
  meta: { kind: 'variant' },
};
const schema: Schema = {
  schemaId: 0,
  fields: Object.entries(columns).map(([name, type], i) => ({
    id: i + 1,
    name,
    required: false,
    type,
  })),
  identifierFieldIds: [1, 2],
};
const text = (body: string) => `version: 1\nindex: commits\nsource: { path: x }\n${body}`;
const map = (body: string, of = schema) =>
  createMapping(requireDefinition(text(body), catalog), of, 'git.commits', analyzerOf);
const faults = (body: string, of = schema) =>
  checkAgainstTable(parseDefinition(text(body), catalog), text(body), of, 'git.commits').map(
    (i) => `${i.line}:${i.column} ${i.message}`,
  );

describe('the ids of fields', () => {
  it('are those of the index by name; others get ids above them', () => {
    const fields = ['subject, type: TEXT', 'words, type: LONG', 'sha, type: KEYWORD'];
    const lines = fields.map((field) => `  - { name: ${field} }\n`).join('');
    const definition = requireDefinition(text(`fields:\n${lines}`), catalog);
    const ids = new Map([
      ['subject', 7],
      ['sha', 2],
    ]);
    const mapping = createMapping(definition, schema, 'git.commits', analyzerOf, {
      ids,
      keyNumbers: [],
    });
    expect(mapping.fields.map(({ plan }) => plan.id)).toEqual([7, 9, 2]);
    expect(map('fields: [{ name: subject, type: TEXT }]').fields[0].plan.id).toBe(0);
  });
});

describe('a mapping', () => {
  it('has no hidden field among those that bare words search', () => {
    const keywords = 'fields: [{ name: repo, type: KEYWORD, folded: true, fast: true }]';
    expect(map(keywords).defaultFields).toEqual(['repo']);
    expect(map(`${keywords}\nvariants: [{ column: meta }]`).defaultFields).toEqual(['meta']);
  });

  it('reads key columns first and each column once', () => {
    const mapping = map(`key: { partition: [repo] }
fields:
  - { name: subject, type: TEXT, cached: true }
  - { name: text, type: TEXT, source: [subject, body], analyzer: english }
  - { name: repo, type: KEYWORD, cached: true }
  - { name: name, source: repo, type: KEYWORD, fast: true, cached: true }
  - { name: words, type: LONG, fast: false, cached: true }
  - { name: quiet, source: words, type: LONG, indexed: false, fast: false }
  - { name: tags, type: KEYWORD }
variants: [{ column: meta }]
`);
    expect(mapping.key).toEqual({ partition: ['repo'], identifier: ['sha'] });
    expect(mapping.keyColumns).toBe(2);
    expect(mapping.columns.map((c) => c.name)).toEqual([
      'repo',
      'sha',
      'subject',
      'body',
      'words',
      'tags',
      'meta',
    ]);
    expect(mapping.defaultFields).toEqual(['subject']);
    const plans = mapping.fields.map(({ plan, multiValued }) => [
      plan.id,
      plan.name,
      plan.inverted?.kind ?? null,
      plan.column,
      plan.stored,
      multiValued,
    ]);
    expect(plans).toEqual([
      [0, 'subject', 'text', null, true, false],
      [1, 'text', 'text', null, false, false],
      [2, 'repo', 'keyword', null, true, false],
      [3, 'name', 'keyword', 'ordinal', false, false],
      [4, 'words', null, 'numeric', false, false],
      [5, 'quiet', null, null, false, false],
      [6, 'tags', 'keyword', null, false, true],
      [7, 'meta', 'text', null, false, true],
      [8, 'meta#paths', 'keyword', null, false, true],
    ]);
    const inverted = mapping.fields[1].plan.inverted;
    expect(inverted?.kind === 'text' && inverted.analyzer.name).toBe('english');
  });

  it('plans vectors of texts by a model, and of lists as they are', () => {
    const { fields, columns } = map(`fields:
  - { name: a, type: VECTOR, source: [subject, body] }
  - { name: b, type: VECTOR, source: body, model: ./m, dims: 768, similarity: l2, index: flat }
  - { name: own, type: VECTOR, dims: 3, similarity: dot, search: graph }
`);
    expect(columns.map(({ name }) => name)).toEqual(['repo', 'sha', 'subject', 'body', 'own']);
    expect(fields.map(({ plan }) => plan.vector)).toEqual([
      { dims: 384, similarity: 'cosine', index: 'auto', model: 'default' },
      { dims: 768, similarity: 'l2', index: 'flat', model: './m' },
      { dims: 3, similarity: 'dot', index: 'auto', search: 'graph', model: null },
    ]);
    for (const { plan, multiValued } of fields) {
      expect([plan.inverted, plan.column, plan.stored, multiValued]).toEqual([
        null,
        null,
        false,
        false,
      ]);
    }
  });

  it('plans vectors of shapes by their model, or as they are', () => {
    const { fields } = map(`variants:
  - column: meta
    flatten: false
    shapes:
      - name: s
        fields:
          - { path: text, type: VECTOR, model: default }
          - { path: own, type: VECTOR, dims: 3, similarity: dot }
`);
    expect(fields.map(({ plan, multiValued }) => [plan.vector, multiValued])).toEqual([
      [{ dims: 384, similarity: 'cosine', index: 'auto', model: 'default' }, false],
      [{ dims: 3, similarity: 'dot', index: 'auto', model: null }, false],
    ]);
  });

  it('says where a vector cannot be made', () => {
    const list = 'needs string, list<float> or list<double>';
    expect(
      faults(`fields:
  - { name: words, type: VECTOR }
  - { name: tags, type: VECTOR }
  - { name: own, type: VECTOR }
  - { name: v, type: VECTOR, source: own, dims: 3, model: default }
  - { name: w, type: VECTOR, source: subject, dims: 3 }
  - { name: x, type: VECTOR, source: [subject, own], dims: 3 }
  - { name: y, type: VECTOR, source: missing }
variants: [{ column: meta, shapes: [{ name: s, fields: [{ path: p, type: VECTOR }] }] }]
`),
    ).toEqual([
      `5:26 column "words" is long: VECTOR ${list}`,
      `6:25 column "tags" is a list of string: VECTOR ${list}`,
      '7:24 column "own" holds vectors: say how long they are, dims',
      '8:49 the default model gives 384 numbers, not 3: dims: 384, or leave it out',
      '8:59 column "own" holds vectors: model does not go with it',
      '9:53 the default model gives 384 numbers, not 3: dims: 384, or leave it out',
      '10:22 column "own" is a list: it cannot be joined with other columns',
      '11:38 column "missing" is not in git.commits',
      '12:74 "meta.p" needs dims for arrays of numbers, model: default for texts',
    ]);
  });

  it('takes the key from the definition or the table, and needs one', () => {
    expect(map('fields: [{ name: body, type: TEXT }]').key).toEqual({
      partition: [],
      identifier: ['repo', 'sha'],
    });
    expect(
      map('key: { identifier: [words] }\nfields: [{ name: body, type: TEXT }]').key.identifier,
    ).toEqual(['words']);
    expect(
      faults('fields: [{ name: body, type: TEXT }]', { ...schema, identifierFieldIds: [] }),
    ).toEqual([
      "3:9 git.commits has no identifier fields; name the key's columns, key: { " +
        'identifier: [...] }, or key: row',
    ]);
  });

  it('takes the column that the reader adds as the key of key: row', () => {
    const text = 'key: row\nfields: [{ name: body, type: TEXT }]';
    const added = { id: 2_147_483_447, name: '_row', required: true, type: { kind: 'string' } };
    const withRow = { ...schema, fields: [...schema.fields, added as Field] };
    expect(faults(text, withRow)).toEqual([]);
    expect(faults(text, schema)).toEqual([
      '3:9 git.commits has a column called like the key of key: row; name the columns of the key',
    ]);
  });

  it('selects shapes by a path, or by a column of that name', () => {
    const shape = (discriminator: string) =>
      map(
        `variants: [{ column: meta, discriminator: ${discriminator}, shapes: [{ name: s, ` +
          'when: s, fields: [{ path: n, type: LONG }] }] }]',
      );
    expect(shape('kind').fields[0].source).toMatchObject({
      when: { path: ['kind'], column: null },
    });
    expect(shape('words').fields[0].source).toMatchObject({ when: { column: 3 } });
  });
});

describe('a mapping that the table does not support', () => {
  it.each([
    [
      '{ name: opend_at, type: DATE }',
      '5:13 column "opend_at" is not in git.commits; did you mean "opened_at"?',
    ],
    [
      '{ name: a, type: TEXT, source: [body, sujbect] }',
      '5:43 column "sujbect" is not in git.commits; did you mean "subject"?',
    ],
    ['{ name: ratio, type: LONG }', '5:26 column "ratio" is double: LONG needs int or long'],
    ['{ name: words, type: TEXT }', '5:26 column "words" is long: TEXT needs string'],
    [
      '{ name: words, type: DATE }',
      '5:26 column "words" is long: say how it counts, format: epoch_s, epoch_ms or epoch_us',
    ],
    [
      '{ name: opened_at, type: DATE, format: epoch_ms }',
      '5:30 column "opened_at" is timestamptz: format is for int and long columns',
    ],
    [
      '{ name: place, type: KEYWORD }',
      '5:26 column "place" is struct: name it under variants, not fields',
    ],
    ['{ name: tags, type: IP, source: words }', '5:25 column "words" is long: IP needs string'],
    [
      '{ name: a, type: TEXT, source: [body, tags] }',
      '5:22 column "tags" is a list: it cannot be joined with other columns',
    ],
    [
      '{ name: meta, type: TEXT }',
      '5:25 column "meta" is VARIANT: name it under variants, not fields',
    ],
  ])('%s', (field, expected) => {
    expect(faults(`fields:\n  - ${field}\n`)).toEqual([expected]);
  });

  it('is reported with keys, variants and other warnings in the order of the text', () => {
    const body = `key: { identifier: [ratio, shaa] }
fields:
  - { name: body, type: KEYWORD, indexed: false }
variants: [{ column: body2, flatten: false }, { column: words }]
`;
    expect(faults(body)).toEqual([
      '4:21 column "ratio" is a double: it cannot be part of a key',
      '4:28 column "shaa" is not in git.commits; did you mean "sha"?',
      '6:5 "body" is neither indexed, fast nor cached: it does nothing',
      '7:12 "body2" is neither flattened nor shaped: it does nothing',
      '7:22 column "body2" is not in git.commits; did you mean "body"?',
      '7:57 column "words" is long, not VARIANT, struct, map or a list of them',
    ]);
    expect(() => map(body)).toThrow(
      'column "ratio" is a double: it cannot be part of a key (and 3 more)',
    );
  });
});
