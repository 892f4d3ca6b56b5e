// @module-tag campaign
/** Paths and values of maps and wide tables: in descriptions, rows and hits. */
import { LhsError } from '@lakehouse-search/contract';
import type { Schema, Type } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSmallLake, type SmallLake } from '../../../test/support/small-lake.ts';
import { TOOLS } from '../src/tools/all-tools.ts';

const TEXT: Type = { kind: 'string' };
const field = (id: number, name: string, type: Type = TEXT) => ({
  id,
  name,
  type,
  required: false,
});
const mapOf = (keyId: number, value: Type): Type => {
  return { kind: 'map', keyId, key: TEXT, valueId: keyId + 1, valueRequired: false, value };
};
const struct = (...fields: ReturnType<typeof field>[]): Type => ({ kind: 'struct', fields });
const pair = struct(field(210, 'key'), field(211, 'value'));
const WIDE = Array.from({ length: 45 }, (_, i) => `column_${i}`);
const schema: Schema = {
  schemaId: 0,
  identifierFieldIds: [1],
  fields: [
    { ...field(1, 'id', { kind: 'long' }), required: true },
    field(200, 'languages', mapOf(201, TEXT)),
    field(203, 'currencies', mapOf(204, struct(field(206, 'name'), field(207, 'a b')))),
    field(
      208,
      'more',
      struct(
        field(209, 'pairs', {
          ...{ kind: 'list', elementId: 212, elementRequired: false, element: pair },
        }),
        field(213, 'native', mapOf(214, struct(field(216, 'common')))),
      ),
    ),
    ...WIDE.map((name, i) => field(i + 2, name)),
  ],
};
const ROW = {
  languages: { spa: 'Spanish', fra: 'French' },
  currencies: { XOF: { name: 'West African CFA franc', 'a b': 'x' } },
  more: { pairs: [{ key: 'host', value: 'a' }], native: { deu: { common: 'Schweiz' } } },
  ...Object.fromEntries(WIDE.map((name) => [name, `${name} value`])),
};

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(schema, { rows: [1, 2].map((id) => ({ ...ROW, id })) });
  await lake.build(`key: { identifier: [id] }
fields:
${WIDE.map((name) => `  - { name: ${name}, type: KEYWORD, fast: true }`).join('\n')}
variants:
  - { column: languages, flatten: true }
  - { column: currencies, flatten: true }
  - { column: more, flatten: true }`);
});
afterAll(() => lake.close());

async function ask(name: string, input: object) {
  const tool = TOOLS.find((one) => one.name === name)!;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any tool's response
  return (await tool.run(input, { backend: lake.library, call: {} })) as any;
}

describe('a description of an index', () => {
  it('lists the paths of maps as clauses find them', async () => {
    const { paths } = (await ask('describe_index', { max_tokens: 20_000 })).structured;
    expect(paths).toEqual({
      languages: ['languages.fra', 'languages.spa'],
      currencies: ['currencies.XOF.a b', 'currencies.XOF.name'],
      more: ['more.native.deu.common', 'more.pairs.key', 'more.pairs.value'],
    });
    for (const path of Object.values<string[]>(paths).flat()) {
      const query = `${path.replace(' ', '\\ ')}:*`;
      expect((await ask('aggregate', { query })).structured.total, path).toBe(2);
    }
  });

  it('has values of wide tables, and says of how many fields it has none', async () => {
    const { text, structured } = await ask('describe_index', { max_tokens: 20_000 });
    const shown = structured.fields.filter(({ contents }: { contents?: unknown }) => contents);
    expect(shown).toHaveLength(40);
    expect(shown[39].contents).toEqual({ distinct: 1, values: { 'column_39 value': 2 } });
    const note = 'values of 5 more fields are not shown: aggregate terms=FIELD';
    expect(structured.notes).toEqual([note]);
    expect(text).toContain(note);
  });

  it('folds the fields of repeated structures into one', async () => {
    const described = await lake.library.indexes.describe({});
    const names = ['a', 'b', 'c'].map((part) => `prices.${part}.low`);
    const [one] = described.fields;
    const more = names.map((name) => ({ ...one, name, fast: false }));
    const describe = async () => ({ ...described, fields: [...more, ...described.fields] });
    const tool = TOOLS.find(({ name }) => name === 'describe_index')!;
    const indexes = { ...lake.library.indexes, describe };
    const context = { backend: { ...lake.library, indexes }, call: {} };
    const { text, structured } = await tool.run({ max_tokens: 20_000 }, context);
    expect(structured.fields).toHaveLength(described.fields.length + 1);
    expect(structured.fields).toMatchObject({ 0: { name: 'prices.*.low', alike: 3 } });
    expect(text).toContain('prices.*.low KEYWORD not sortable (3 fields)\n');
  });

  it('says why it has no values', async () => {
    const aggregate = async () => {
      throw new LhsError('permission_denied', 'this token may not aggregate');
    };
    const backend = { ...lake.library, aggregate };
    const tool = TOOLS.find(({ name }) => name === 'describe_index')!;
    const { text } = await tool.run({}, { backend, call: {} });
    expect(text).toContain('values not shown: this token may not aggregate');
  });
});

describe('a clause of "key" in a map', () => {
  it.each(['languages.key', 'currencies.value', 'more.native.key'])(
    'is told what its paths are, without a guess: %s',
    async (path) => {
      const { notes } = (await ask('search', { query: `${path}:spa` })).structured;
      expect(notes[0]).toMatch(`no row has ${path}: paths of a map are its keys; paths: `);
      expect(notes.join()).not.toContain('did you mean');
    },
  );
});

describe('a path of a nested column', () => {
  const VALUES = {
    'languages.spa': 'Spanish',
    'currencies.XOF.name': 'West African CFA franc',
    'more.native.deu.common': 'Schweiz',
    'more.pairs.key': 'host',
    'more.pairs': [{ key: 'host', value: 'a' }],
    'languages.ita': null,
  };
  const names = Object.keys(VALUES);

  it('is a column of hydrate, and cites its whole column', async () => {
    const { rows } = (await ask('hydrate', { keys: ['id=1'], columns: names })).structured;
    expect(rows[0].row).toEqual(VALUES);
    const [one] = (await ask('hydrate', { keys: ['id=1'], columns: ['languages.spa'] })).structured
      .rows;
    expect(one.row).toEqual({ 'languages.spa': 'Spanish' });
    const whole = await ask('hydrate', { keys: ['id=1'], columns: ['languages'] });
    expect(whole.structured.rows[0].citation).toBe(one.citation);
  });

  it('is a field and a column of a search', async () => {
    const { hits } = (await ask('search', { query: '*:*', fields: names })).structured;
    expect(hits[0].fields).toEqual(VALUES);
    const full = { query: '*:*', detail: 'full', columns: ['languages.spa'] };
    expect((await ask('search', full)).structured.hits[0].row).toEqual({
      'languages.spa': 'Spanish',
    });
  });
});
