import { describe, expect, it } from 'vitest';
import { ANALYZER_CATALOG } from '../analysis/registry.ts';
import { requireDefinition } from '../schema/parse/parse-definition.ts';
import { compareDefinitions, type LiveFacts } from './compare-definitions.ts';

const FACTS: LiveFacts = {
  droppedDuplicates: 0,
  skippedRows: 0,
  sameTable: true,
  rows: 7,
  embedded: new Set(['meaning']),
  built: new Set(['title', 'size', 'at', 'meaning', 'tenant']),
  obstacle: null,
};

const BASE = `version: 1
index: notes
source: { path: /lake/notes }
key: { identifier: [id] }
fields:
  - { name: title, type: TEXT, source: title, analyzer: english }
  - { name: org, type: KEYWORD, fast: true }
  - { name: size, type: LONG, fast: true }
`;

const parse = (text: string) => requireDefinition(text, ANALYZER_CATALOG);

function changes(to: string, facts: Partial<LiveFacts> = {}) {
  return compareDefinitions(parse(BASE), parse(to), { ...FACTS, ...facts });
}

/** The settings that differ, each with its strategy. */
function strategies(to: string, facts: Partial<LiveFacts> = {}) {
  return changes(to, facts).map(({ setting, strategy }) => `${setting} ${strategy}`);
}

const field = (line: string) => `${BASE}  - ${line}\n`;

describe('two definitions', () => {
  it('that differ in comments and spelling alone mean the same', () => {
    expect(strategies(`# a comment\n${BASE.replace('source: title, ', '')}`)).toEqual([]);
  });

  it('that differ in replicas are in force at once', () => {
    const stored = `${BASE}storage: /lake/store\n`;
    const changed = compareDefinitions(parse(stored), parse(`${stored}replicas: 2\n`), FACTS);
    expect(changed).toMatchObject([{ setting: 'replicas', strategy: 'live', from: 1, to: 2 }]);
  });

  it.each([
    ['a new name', BASE.replace('index: notes', 'index: papers'), 'index live'],
    ['the words about the rows', `${BASE}description: notes\n`, 'description live'],
    ['freshness', `${BASE}freshness_ms: 5\n`, 'freshness_ms live'],
    ['the former generation', `${BASE}keep_previous: 3\n`, 'keep_previous live'],
    ['duplicates', `${BASE}on_duplicate_key: last\n`, 'on_duplicate_key live'],
    ['bad rows', `${BASE}on_bad_row: skip\n`, 'on_bad_row live'],
    ['a tenant field', `${BASE}tenant_field: org\n`, 'tenant_field live'],
    ['shards', `${BASE}sharding: { shards: 3 }\n`, 'sharding.shards live'],
    ['the key', BASE.replace('[id]', '[id, org]'), 'key reindex'],
    ['a field less', BASE.replace(/ {2}- \{ name: size.*\n/, ''), 'fields.size field'],
    ['a field more', field('{ name: at, type: DATE }'), 'fields.at field'],
    ['an analyzer', BASE.replace('english', 'standard'), 'fields.title.analyzer field'],
    [
      'best documents',
      BASE.replace('english', 'english, best_documents: false'),
      'fields.title.best_documents field',
    ],
    ['folded', BASE.replace('KEYWORD,', 'KEYWORD, folded: true,'), 'fields.org.folded field'],
    ['fast', BASE.replace('LONG, fast: true', 'LONG, fast: false'), 'fields.size.fast field'],
    ['cached', BASE.replace('LONG,', 'LONG, cached: true,'), 'fields.size.cached field'],
    ['a type', BASE.replace('size, type: LONG', 'size, type: DOUBLE'), 'fields.size.type field'],
    [
      'the words about a field',
      BASE.replace('KEYWORD,', 'KEYWORD, description: owner,'),
      'fields.org.description live',
    ],
    ['a flag', BASE.replace('KEYWORD,', 'KEYWORD, sensitive: true,'), 'fields.org.sensitive live'],
    ['a limit', BASE.replace('KEYWORD,', 'KEYWORD, max_bytes: 9,'), 'fields.org.max_bytes live'],
  ])('that differ in %s need what that change needs', (_, to, expected) => {
    expect(strategies(to)).toEqual([expected]);
  });

  it('of which one holds some of the shards only need a reindex', () => {
    const wanted = ['sharding.shards reindex', 'sharding.only reindex'];
    expect(strategies(`${BASE}sharding: { shards: 3, only: [1] }\n`)).toEqual(wanted);
  });

  it('that say what holds without saying it mean the same', () => {
    expect(strategies(BASE.replace('english', 'english, best_documents: true'))).toEqual([]);
  });

  it('that differ in how vectors are searched need no other files', () => {
    const plain = field('{ name: v, type: VECTOR, source: title }');
    const fixed = plain.replace('source: title }', 'source: title, search: flat }');
    const found = compareDefinitions(parse(plain), parse(fixed), FACTS);
    expect(found).toMatchObject([{ setting: 'fields.v.search', strategy: 'live', to: 'flat' }]);
  });

  it('of two tables need a reindex, of one table under two paths none', () => {
    const moved = BASE.replace('/lake/notes', '/other/notes');
    expect(strategies(moved, { sameTable: false })).toEqual(['source reindex']);
    expect(strategies(moved)).toEqual(['source live']);
  });

  it('of two branches need a reindex, which is named', () => {
    const branch = BASE.replace('/lake/notes', '/lake/notes, ref: audit');
    expect(strategies(branch, { sameTable: false })).toEqual(['source.ref reindex']);
  });

  it('need a reindex to refuse duplicates where rows were dropped for them', () => {
    const last = parse(`${BASE}on_duplicate_key: last\n`);
    const to = compareDefinitions(last, parse(BASE), { ...FACTS, droppedDuplicates: 2 });
    expect(to).toMatchObject([{ strategy: 'reindex', reason: '2 rows share a key' }]);
    expect(compareDefinitions(last, parse(BASE), FACTS)).toMatchObject([{ strategy: 'live' }]);
  });

  it('need a reindex to refuse bad rows where rows were skipped', () => {
    const skip = parse(`${BASE}on_bad_row: skip\n`);
    const to = compareDefinitions(skip, parse(BASE), { ...FACTS, skippedRows: 2 });
    expect(to).toMatchObject([{ strategy: 'reindex', reason: 'rows that were skipped: 2' }]);
    expect(compareDefinitions(skip, parse(BASE), FACTS)).toMatchObject([{ strategy: 'live' }]);
  });

  it('need a reindex for a limit of a KEYWORD field that decides which rows are skipped', () => {
    const limited = BASE.replace('KEYWORD,', 'KEYWORD, max_bytes: 9,');
    const reindex = ['fields.org.max_bytes reindex'];
    expect(strategies(limited, { skippedRows: 1 })).toEqual(reindex);
    expect(strategies(limited, {})).toEqual(['fields.org.max_bytes live']);
    const back = compareDefinitions(parse(limited), parse(BASE), FACTS);
    expect(back).toMatchObject([{ setting: 'fields.org.max_bytes', strategy: 'reindex' }]);
  });

  it('name a tenant field that is new as well beside its field', () => {
    const to = `${field('{ name: tenant, type: KEYWORD, fast: true }')}tenant_field: tenant\n`;
    expect(strategies(to)).toEqual(['tenant_field field', 'fields.tenant field']);
  });

  it('name another order of fields', () => {
    const lines = BASE.split('\n');
    const [org] = lines.splice(6, 1);
    const swapped = [...lines.slice(0, 5), org, ...lines.slice(5)].join('\n');
    expect(changes(swapped)).toMatchObject([
      { setting: 'fields', from: ['title', 'org', 'size'], to: ['org', 'title', 'size'] },
    ]);
  });

  it('say which columns a change reads and how many texts it embeds', () => {
    const vector = '{ name: meaning, type: VECTOR, source: title, model: default }';
    expect(changes(field(vector))).toMatchObject([
      { setting: 'fields.meaning', from: null, columns: ['title'], texts: 7 },
    ]);
  });

  it('need a reindex for the words of a flattened column', () => {
    const [plain, standard, folded] = ['', ', analyzer: standard', ', analyzer: folded'].map(
      (words) => parse(`${BASE}variants: [{ column: meta${words} }]\n`),
    );
    const changed = compareDefinitions(plain, folded, FACTS);
    expect(changed).toMatchObject([
      { setting: 'variants.meta', strategy: 'reindex', to: { analyzer: 'folded' } },
    ]);
    expect(compareDefinitions(plain, standard, FACTS)).toEqual([]);
  });

  it('need a reindex for an analyzer that a flattened column uses', () => {
    const text = `${BASE}variants: [{ column: meta, analyzer: own }]
analyzers: [{ name: own, tokenizer: simple, filters: [lowercase] }]
`;
    const changed = text.replace('[lowercase]', '[lowercase, folding]');
    expect(compareDefinitions(parse(text), parse(changed), FACTS)).toMatchObject([
      {
        ...{ setting: 'analyzers.own', strategy: 'reindex', columns: ['meta'] },
        reason: 'the texts of meta are analysed again',
      },
    ]);
  });

  it('tell an analyzer that fields use from one that none uses', () => {
    const analyzers = 'analyzers:\n  - { name: code, tokenizer: standard, filters: [lowercase] }\n';
    const used = BASE.replace('english', 'code');
    expect(strategies(`${BASE}${analyzers}`)).toEqual(['analyzers.code live']);
    expect(strategies(`${used}${analyzers}`)).toEqual([
      'fields.title.analyzer field',
      'analyzers.code field',
    ]);
  });
});
