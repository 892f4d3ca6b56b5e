import { describe, expect, it } from 'vitest';
import { catalog, faults, HEAD } from '../../../test/schema/parsed-text.ts';
import { requireDefinition } from './parse-definition.ts';

describe('faults of a definition', () => {
  const fieldFaults: [string, string][] = [
    [
      '{ name: a, type: TEXT, analyser: english }',
      '7:28 error unknown key "analyser" in a field; did you mean "analyzer"?',
    ],
    [
      '{ name: a, type: TEXT, analyzer: englsh }',
      '7:38 error unknown analyzer "englsh"; did you mean "english"?',
    ],
    ['{ name: a, type: text }', '7:22 error unknown type "text"; did you mean "TEXT"?'],
    [
      '{ name: a, type: TEXT, fast: true }',
      '7:34 error TEXT cannot be fast; make "a" a KEYWORD to sort or count it',
    ],
    ['{ name: a, type: LONG, analyzer: english }', '7:38 error analyzer is for TEXT; "a" is LONG'],
    [
      '{ name: a, type: KEYWORD, best_documents: false }',
      '7:47 error best_documents is for TEXT; "a" is KEYWORD',
    ],
    ['{ name: a, type: TEXT, folded: true }', '7:36 error folded is for KEYWORD; "a" is TEXT'],
    [
      '{ name: a, type: LONG, max_bytes: 5 }',
      '7:39 error max_bytes is for TEXT and KEYWORD; "a" is LONG',
    ],
    [
      '{ name: a, type: TEXT, max_bytes: 0 }',
      '7:39 error max_bytes must be a whole number from 1 to 1073741824, not 0',
    ],
    [
      '{ name: a, type: TEXT, max_bytes: 1e400 }',
      '7:39 error max_bytes must be a whole number from 1 to 1073741824, not 1e400',
    ],
    ['{ name: a, type: LONG, format: epoch_ms }', '7:36 error format is for DATE; "a" is LONG'],
    [
      '{ name: a, type: DATE, format: epoch_m }',
      '7:36 error unknown format "epoch_m"; did you mean "epoch_s"?',
    ],
    [
      '{ name: a, type: KEYWORD, source: [b, c] }',
      '7:39 error only TEXT and VECTOR join several columns; "a" is KEYWORD',
    ],
    ['{ name: a, type: TEXT, source: [b, b] }', '7:40 error "b" is given twice'],
    ['{ name: a, type: TEXT, source: [] }', '7:36 error source must not be empty'],
    ['{ name: a, type: TEXT, cached: yes }', '7:36 error cached must be true or false, not "yes"'],
    [
      '{ name: ../x, type: TEXT }',
      '7:13 error "../x" is not a field name: letters, digits, _ - and . only, from a ' +
        'letter, digit or _',
    ],
    ['{ name: _score, type: LONG }', '7:13 error "_score" is reserved: it sorts by score or key'],
    ['{ name: 7, type: LONG }', '7:13 error name must be a string, not 7 (write "7")'],
    ['{ type: LONG }', '7:5 error a field needs a name'],
    [
      '{ name: a }',
      '7:5 error "a" needs a type: TEXT, KEYWORD, LONG, DOUBLE, DATE, IP, BOOL, VECTOR',
    ],
    ['{ name: v, type: VECTOR, fast: true }', '7:36 error fast is not for VECTOR ("v")'],
    ['{ name: v, type: VECTOR, analyzer: simple }', '7:40 error analyzer is not for VECTOR ("v")'],
    [
      '{ name: v, type: VECTOR, dims: 0 }',
      '7:36 error dims must be a whole number from 1 to 4096, not 0',
    ],
    [
      '{ name: v, type: VECTOR, dims: 4097, model: ./m }',
      '7:36 error dims must be a whole number from 1 to 4096, not 4097',
    ],
    [
      '{ name: v, type: VECTOR, dims: 256, model: default }',
      '7:36 error the default model gives 384 numbers, not 256: dims: 384, or leave it out',
    ],
    [
      '{ name: v, type: VECTOR, model: ./m }',
      '7:5 error "v" needs dims: how many numbers its model gives for a text',
    ],
    [
      '{ name: v, type: VECTOR, similarity: cosin }',
      '7:42 error unknown similarity "cosin"; did you mean "cosine"?',
    ],
    [
      '{ name: v, type: VECTOR, index: ivf }',
      '7:37 error unknown index "ivf"; known: auto, flat, hnsw',
    ],
    [
      '{ name: v, type: VECTOR, search: hnsw }',
      '7:38 error unknown search "hnsw"; known: auto, flat, graph',
    ],
    [
      `{ name: a, type: TEXT, description: ${'x'.repeat(1001)} }`,
      '7:41 error description has 1001 characters: at most 1000',
    ],
    ['{ name: a, type: TEXT, dims: 384 }', '7:34 error dims is for VECTOR; "a" is TEXT'],
    [
      '{ name: a, type: KEYWORD, indexed: false }',
      '7:5 warning "a" is neither indexed, fast nor cached: it does nothing',
    ],
    [
      '[a]',
      '7:5 error a field must be a map of name, source, type, description, indexed, ' +
        'fast, cached, sensitive, ' +
        'max_bytes, folded, analyzer, synonyms, best_documents, format, dims, model, similarity, ' +
        'index, search',
    ],
  ];
  it.each(fieldFaults)('field %s', (field, expected) => {
    expect(faults(`${HEAD}fields:\n  - ${field}\n`)).toEqual([expected]);
  });

  const FIELD = 'fields: [{ name: a, type: TEXT }]';
  const blockFaults: [string, string[]][] = [
    ['', ['1:1 error the definition is empty; it names a table, a key and the fields to index']],
    [
      'version: 2\nindex: a\nsource: {path: x}\nfields: [{name: a, type: TEXT}]',
      ['1:10 error version must be 1, not 2: this lhs knows no other'],
    ],
    [
      `${HEAD}${FIELD}\nfeilds: []`,
      ['7:1 error unknown key "feilds" in a definition; did you mean "fields"?'],
    ],
    [`${HEAD}`, ['1:1 error a definition needs fields (or variants)']],
    [`${HEAD}fields: []`, ['6:9 error a definition needs at least one field']],
    [`${HEAD}index: b\n${FIELD}`, ['6:1 error "index" is given twice']],
    [
      `${HEAD}fields:\n  - {name: a, type: TEXT}\n  - {name: a, type: LONG}`,
      ['8:12 error field "a" is given twice'],
    ],
    [
      `${HEAD}${FIELD}\ntenant_field: b`,
      ['7:15 error tenant_field "b" is not a field of this definition; did you mean "a"?'],
    ],
    [
      `${HEAD}${FIELD}\ntenant_field: a`,
      ['7:15 error tenant_field "a" must be an indexed KEYWORD field'],
    ],
    [
      `${HEAD}fields: [{ name: a, type: KEYWORD, folded: true }]\ntenant_field: a`,
      ['7:15 error tenant_field "a" must not be folded: tenants are compared exactly'],
    ],
    [
      `${HEAD}${FIELD}\nkey: rows`,
      ['7:6 error key must be row, or a map of partition, identifier'],
    ],
    [
      `${HEAD}${FIELD}\nkey: {partition: [x], identifier: [x]}`,
      ['7:36 error "x" stands twice in the key'],
    ],
    [
      `${HEAD}${FIELD}\nkeep_previous: 31d`,
      [
        '7:16 error keep_previous must be a duration up to 30d (90m, 24h, 7d) or a number up to ' +
          '10, not 31d',
      ],
    ],
    [
      `${HEAD}${FIELD}\nfreshness_ms: -1`,
      ['7:15 error freshness_ms must be a whole number from 0 to 3600000, not -1'],
    ],
    [
      `${HEAD}${FIELD}\non_duplicate_key: first`,
      ['7:19 error unknown on_duplicate_key "first"; known: refuse, last'],
    ],
    [
      `${HEAD}${FIELD}\nsharding: {shards: 1025}`,
      ['7:20 error sharding.shards must be a whole number from 1 to 1024, not 1025'],
    ],
    [
      `${HEAD}${FIELD}\nsharding: {shards: 2, buckets: 512}`,
      ['7:32 error sharding.buckets must be a whole number from 1024 to 1024, not 512'],
    ],
    [
      `${HEAD}${FIELD}\nsharding: {shard: 1}`,
      ['7:12 error unknown key "shard" in sharding; did you mean "shards"?'],
    ],
    [
      `${HEAD}${FIELD}\nsharding: {shards: 2, only: [0]}\nstorage: s3://b/p`,
      ['8:10 error an index on several nodes gets no storage: create another one'],
    ],
    [`${HEAD}${FIELD}\nreplicas: 2`, ['7:11 error replicas are of an index with storage']],
    [
      `${HEAD}${FIELD}\nreplicas: 9\nstorage: s3://b/p`,
      ['7:11 error replicas must be a whole number from 0 to 8, not 9'],
    ],
    [
      `${HEAD}${FIELD}\nstorage: ~/p`,
      ['7:10 error storage "~/p" begins with "~", which is not replaced: write the path'],
    ],
    [
      `${HEAD}${FIELD}\nstorage: s3://`,
      ['7:10 error storage "s3://" names no bucket: expected s3://bucket/prefix'],
    ],
    ...['s3://b/a/../c', 's3://b/a//c', 's3://b/..', 's3://b/./'].map(
      (storage): [string, string[]] => [
        `${HEAD}${FIELD}\nstorage: ${storage}`,
        [`7:10 error storage "${storage}" has parts that are empty or dots: write it without`],
      ],
    ),
    [
      `${HEAD}${FIELD}\nwindows: {field: a, every: month}`,
      ['7:18 error windows.field "a" must be a fast DATE field'],
    ],
    [
      `${HEAD}${FIELD}\nanalyzers: [{name: m, tokenizer: cod}]`,
      ['7:34 error unknown tokenizer "cod"; did you mean "code"?'],
    ],
    [
      `${HEAD}${FIELD}\nanalyzers: [{name: m, tokenizer: code, filters: [lowercas]}]`,
      ['7:50 error unknown filter "lowercas"; did you mean "lowercase"?'],
    ],
    [
      `${HEAD}${FIELD}\nanalyzers: [{name: m, tokenizer: code, bad: 1}]`,
      ['7:13 error analyzer "m": unknown option "bad"'],
    ],
    [
      `${HEAD}variants: [{column: m, analyzer: englsh}]`,
      ['6:34 error unknown analyzer "englsh"; did you mean "english"?'],
    ],
    [
      `${HEAD}variants: [{column: m, flatten: false, analyzer: simple, shapes: [{name: s, ` +
        'fields: [{path: a, type: LONG}]}]}]',
      ['6:50 error analyzer is for the words of flattened columns; "m" is not flattened'],
    ],
    [
      `${HEAD}variants: [{column: m, shapes: [{name: s, when: x, fields: []}]}]`,
      ['6:49 error "when" needs a discriminator on variant "m"'],
    ],
    [
      `${HEAD}variants: [{column: m, discriminator: k, shapes: [{name: s, fields: ` +
        '[{path: a..b, type: LONG}]}]}]',
      [
        '6:51 error a shape needs "when": the discriminator values that select it',
        '6:77 error path must be a path such as "a.b", not "a..b"',
      ],
    ],
    [
      `${HEAD}variants: [{column: m, shapes: [{name: s, fields: [{path: a, type: ` +
        'LONG}]}, {name: t, fields: [{path: a, type: DOUBLE}]}]}]',
      ['6:103 error "m.a" is declared differently in another shape'],
    ],
    [
      `${HEAD}variants: [{column: m}]\nfields: [{name: m, type: TEXT}]`,
      ['6:21 error field "m" is given twice'],
    ],
    [
      'version: 1\nindex: a\nsource: {catalog: {type: filesytem}, table: a.b}\nfields: ' +
        '[{name: a, type: TEXT}]',
      ['3:26 error unknown catalog type "filesytem"; did you mean "filesystem"?'],
    ],
    [
      'version: 1\nindex: a\nsource: {catalog: {type: filesystem, warehous: x}, table: ' +
        'ab}\nfields: [{name: a, type: TEXT}]',
      [
        '3:38 error unknown key "warehous" in a filesystem catalog; did you mean "warehouse"?',
        '3:59 error source.table must be namespace.table, not "ab"',
      ],
    ],
    [
      'version: 1\nindex: a\nsource: {path: x, table: a.b}\nfields: [{name: a, type: TEXT}]',
      ['3:26 error source has a path: catalog and table do not go with it'],
    ],
    [
      'a: [1',
      [
        '1:6 error flow sequence in block collection must be sufficiently indented and ' +
          'end with a ]',
      ],
    ],
    [
      '- a',
      [
        '1:1 error a definition must be a map of version, index, description, source, key, ' +
          'on_duplicate_key, on_bad_row, freshness_ms, keep_previous, tenant_field, ' +
          'default_fields, hybrid, fields, variants, ' +
          'analyzers, synonyms, sharding, windows, storage, replicas',
      ],
    ],
  ];
  it.each(blockFaults)('%s', (text, expected) => {
    expect(faults(text)).toEqual(expected);
  });

  it('come out all at once, in the order of the text', () => {
    const text = `version: 1
index: Commits
source: { path: x }
fields:
  - { name: a, type: TEX }
  - { name: b, type: TEXT, analyzer: klingon }
`;
    expect(faults(text).map((f) => f.split(' ')[0])).toEqual(['2:8', '5:22', '6:38']);
    expect(() => requireDefinition(text, catalog)).toThrow(
      /^line 2, column 8: "Commits" is not an index name.* \(and 2 more\)$/,
    );
  });
});
