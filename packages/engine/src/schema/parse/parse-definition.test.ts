import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HEAD, parse } from '../../../test/schema/parsed-text.ts';
import { ANALYZER_CATALOG } from '../../analysis/registry.ts';
import { FIELD_TYPES } from '../definition.ts';
import { DEFINITION_KEYS, indexNameFault, parseDefinition } from './parse-definition.ts';
import { FIELD_KEYS, SHAPE_FIELD_KEYS } from './parse-field.ts';

const FULL = `${HEAD}description: commits of three repositories
key:
  partition: [repo]
  identifier: [sha]
on_duplicate_key: last
tenant_field: repo
fields:
  - { name: subject, type: TEXT, analyzer: english, cached: true }
  - { name: body, type: TEXT, cached: false, max_bytes: 65536 }
  - { name: all, type: TEXT, source: [subject, body], analyzer: mine }
  - { name: repo, type: KEYWORD, fast: true, sensitive: true, description: its name }
  - { name: authored_at, type: DATE, format: epoch_ms }
  - { name: words, type: LONG, fast: false }
  - { name: origin, source: origin_ip, type: IP }
variants:
  - column: meta
    flatten: true
    discriminator: head.kind
    shapes:
      - name: push
        when: push
        fields: [ { path: size, type: LONG }, { path: a.b, type: TEXT } ]
      - { name: pull, when: [7, true], fields: [ { path: size, type: LONG } ] }
analyzers:
  - { name: mine, tokenizer: code, filters: [lowercase, { ngram: { min: 2 } }], max: 3 }
sharding: { shards: 1, buckets: 1024 }
`;

describe('a good definition', () => {
  it('comes out with its defaults', () => {
    const { definition, issues } = parse(FULL);
    expect(issues).toEqual([]);
    expect(definition).toMatchObject({
      index: 'commits',
      description: 'commits of three repositories',
      source: { catalog: { type: 'filesystem', warehouse: './warehouse' }, table: 'git.commits' },
      key: { partition: ['repo'], identifier: ['sha'] },
      onDuplicateKey: 'last',
      onBadRow: 'refuse',
      tenantField: 'repo',
      variants: [{ column: 'meta', flatten: true, discriminator: ['head', 'kind'] }],
      text: FULL,
    });
    const field = (name: string) => definition!.fields.find((f) => f.name === name);
    expect(field('subject')).toEqual({
      name: 'subject',
      type: 'TEXT',
      source: ['subject'],
      indexed: true,
      fast: false,
      cached: true,
      sensitive: false,
      analyzer: 'english',
    });
    expect(field('repo')).toMatchObject({ description: 'its name' });
    expect(field('body')).toMatchObject({ analyzer: 'standard', maxBytes: 65_536 });
    expect(field('all')).toMatchObject({ source: ['subject', 'body'] });
    expect(field('authored_at')).toMatchObject({ fast: true, format: 'epoch_ms' });
    expect(field('words')).toMatchObject({ fast: false, cached: false });
    expect(field('origin')).toMatchObject({ source: ['origin_ip'], fast: true });
    expect(field('meta.size')).toMatchObject({
      source: ['meta'],
      path: ['size'],
      when: ['push', '7', 'true'],
      fast: true,
    });
    expect(field('meta.a.b')).toMatchObject({ path: ['a', 'b'], analyzer: 'standard' });
    expect(definition!.analyzers).toEqual([
      {
        name: 'mine',
        tokenizer: 'code',
        filters: ['lowercase', { ngram: { min: 2 } }],
        options: { max: 3 },
      },
    ]);
  });

  it('may name a path, a rest or a sql catalog', () => {
    const fields = 'fields: [{ name: a, type: TEXT }]\n';
    const source = (text: string) =>
      parse(`version: 1\nindex: a\nsource: ${text}\n${fields}`).definition?.source;
    expect(source('{ path: ./t }')).toEqual({ path: './t' });
    expect(source('{ path: ./t, ref: audit }')).toEqual({ path: './t', ref: 'audit' });
    const sql = '{ catalog: { type: sql, uri: "sqlite:///c.db" }, table: a.b.c }';
    expect(source(sql)).toMatchObject({ table: 'a.b.c' });
    const rest = '{ catalog: { type: rest, uri: "http://h", token_env: T }, table: a.b }';
    expect(source(rest)).toMatchObject({ catalog: { type: 'rest', token_env: 'T' } });
    const roots = '{ catalog: { type: rest, uri: h, allowed_roots: [/a, b] }, table: a.b }';
    expect(source(roots)).toMatchObject({ catalog: { allowed_roots: ['/a', 'b'] } });
    const s3 = { endpoint: 'http://h:9000', region: 'eu-north-1', path_style: true };
    expect(source(`{ path: s3://b/t, s3: ${JSON.stringify(s3)} }`)).toEqual({
      path: 's3://b/t',
      s3,
    });
    const warehouse = `{ type: filesystem, warehouse: s3://b, s3: ${JSON.stringify(s3)} }`;
    expect(source(`{ catalog: ${warehouse}, table: a.b }`)).toMatchObject({ catalog: { s3 } });
  });

  it.each([
    ['24h', { millis: 86_400_000 }],
    ['90m', { millis: 5_400_000 }],
    ['7d', { millis: 604_800_000 }],
    ['3', { generations: 3 }],
    ['0', { generations: 0 }],
  ])('may keep former generations: %s', (text, keepPrevious) => {
    const fields = 'fields: [{ name: a, type: TEXT }]';
    const { definition } = parse(`${HEAD}${fields}\nkeep_previous: ${text}`);
    expect(definition).toMatchObject({ keepPrevious });
  });

  it('expands nothing', () => {
    const head = 'version: 1\nindex: a\n';
    const text = `${head}source: { path: "\${HOME}/t" }\nfields: [{ name: a, type: TEXT }]\n`;
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text must stay as it is
    expect(parse(text).definition?.source).toEqual({ path: '${HOME}/t' });
  });
});

describe('hostile texts of definitions', () => {
  it.each([
    ['../x', '..', 'A', '', 'a/b', 'a\\b', 'a.b', '-a', '_a', `a${'b'.repeat(128)}`, 'a\n', 'á'],
  ])('names with path tricks are refused', (...names) => {
    for (const name of names) expect(indexNameFault(name), name).not.toBeNull();
    expect(indexNameFault(`a${'b'.repeat(127)}`)).toBeNull();
  });

  it('words a syntax error once, without the tokens of the parser', () => {
    const messages = (text: string) =>
      parse(text).issues.map(({ line, message }) => [line, message]);
    expect(messages('version 1\nindex: a')).toEqual([[1, 'this line is not "name: value"']]);
    expect(messages('next\n# x\nversion: 1\nindex: { a: b }\nkey: [a]')).toEqual([
      [3, expect.stringContaining('nothing may follow here')],
    ]);
    expect(messages('version: 1\nindex: a: b\nkey: c')).toEqual([
      [2, expect.stringContaining('a second ": " here')],
    ]);
  });

  it('bombs cost nothing', () => {
    const nines = ['a: &a [x]'];
    for (let i = 1; i < 10; i++) {
      const [from, to] = [String.fromCharCode(96 + i), String.fromCharCode(97 + i)];
      nines.push(`${to}: &${to} [${Array(9).fill(`*${from}`).join(',')}]`);
    }
    const bombs = [
      nines.join('\n'),
      'a: &a [*a]',
      '['.repeat(200_000),
      '{a: '.repeat(60_000),
      '- '.repeat(100_000),
      '[\n'.repeat(100_000),
      Array.from({ length: 400 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'),
      Array.from({ length: 30_000 }, (_, i) => `k${i}: 1`).join('\n'),
      'a: 1\n'.repeat(50_000),
      `index: ${'x'.repeat(300_000)}`,
      `index: "${'\\u0000'.repeat(10_000)}"`,
      'index: !!js/function "function(){}"',
      'index: !!binary aGFsbG8=',
      '? [a]\n: b',
      '<<: {index: a}',
      '%YAML 1.1\n---\nindex: no',
      'a: 1\n---\nb: 2',
    ];
    for (const bomb of bombs) {
      const { definition, issues } = parse(bomb);
      expect(definition, bomb.slice(0, 40)).toBeNull();
      expect(issues.length, bomb.slice(0, 40)).toBeGreaterThan(0);
      expect(issues.length).toBeLessThanOrEqual(100);
    }
  });

  it('no mutation makes the parser throw', () => {
    const cut = fc.tuple(
      fc.nat(FULL.length),
      fc.nat(40),
      fc.string({ unit: 'binary', maxLength: 8 }),
    );
    fc.assert(
      fc.property(cut, ([at, length, insert]) => {
        const text = FULL.slice(0, at) + insert + FULL.slice(at + length);
        const { definition, issues } = parse(text);
        expect(definition === null).toBe(issues.some((i) => i.severity === 'error'));
      }),
      { seed: 20251121, numRuns: 500 },
    );
  });
});

describe('the documentation', () => {
  it('shows a definition that is valid as it stands', () => {
    const page = readFileSync(
      new URL('../../../../../docs/definition.md', import.meta.url),
      'utf8',
    );
    const [, example] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
    const { definition, issues } = parseDefinition(example, ANALYZER_CATALOG);
    expect(issues).toEqual([]);
    expect(definition?.fields).toHaveLength(9);
  });

  it('names every key and every type', () => {
    const page = readFileSync(
      new URL('../../../../../docs/definition.md', import.meta.url),
      'utf8',
    );
    for (const name of [...DEFINITION_KEYS, ...FIELD_KEYS, ...SHAPE_FIELD_KEYS, ...FIELD_TYPES]) {
      expect(page, name).toMatch(new RegExp(`\\b${name}\\b`));
    }
  });
});
