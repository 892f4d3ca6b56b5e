import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readWhole } from '../../test/read-parquet.ts';
import { LakeError } from '../base/errors.ts';
import type { Field, Type, Value } from '../schema/type.ts';
import { arrayValues, type PhysicalValue } from './encodings/page-values.ts';
import type { LoadedPage, ParquetFile } from './parquet-file.ts';
import { planColumns } from './read-plan.ts';
import { buildSchemaTree, type LeafNode, type SchemaTree } from './schema-tree.ts';

const SEED = 20261121;
const place = { path: 'f.parquet', role: 'data' } as const;

/** A schema element as the footer has it: repetition 0 required, 1 optional, 2 repeated. */
function element(
  name: string,
  repetition: number,
  options: { children?: number; id?: number; type?: number; converted?: number } = {},
) {
  const fields: [number, number | Uint8Array][] = [
    [3, repetition],
    [4, new TextEncoder().encode(name)],
  ];
  if (options.children === undefined) fields.push([1, options.type ?? 1]);
  else fields.push([5, options.children]);
  if (options.id !== undefined) fields.push([9, options.id]);
  if (options.converted !== undefined) fields.push([6, options.converted]);
  return new Map(fields);
}

const LIST = 3;
const INT: Type = { kind: 'int' };
const field = (id: number, name: string, type: Type, more: Partial<Field> = {}): Field => ({
  id,
  name,
  required: false,
  type,
  ...more,
});
const listOf = (elementId: number, item: Type): Type => ({
  kind: 'list',
  elementId,
  elementRequired: false,
  element: item,
});

interface Entries {
  readonly repetition: number[];
  readonly definition: number[];
  readonly values: PhysicalValue[];
}

/** A file whose columns are given as entries, all rows in one page each. */
function fakeFile(schema: SchemaTree, rows: number, columns: readonly Entries[]): ParquetFile {
  const pages = columns.map(({ repetition, definition, values }, c): LoadedPage => {
    const max = schema.leaves[c].definition;
    let next = 0;
    const starts = repetition.flatMap((level, i) => (level === 0 ? [i] : []));
    return {
      firstRow: 0,
      rows,
      bytes: 0,
      rowStarts: Int32Array.from([...starts, repetition.length]),
      page: {
        entries: repetition.length,
        repetition: Uint8Array.from(repetition),
        definition: Uint8Array.from(definition),
        valueIndex: Int32Array.from(definition, (level) => (level === max ? next++ : -1)),
        values: arrayValues(values),
        bytes: 0,
      },
    };
  });
  const file = {
    place,
    path: place.path,
    rows,
    schema,
    footer: { rowGroups: [{ firstRow: 0, rows, chunks: [] }] },
    groupOf: () => 0,
    directory: async () => ({ pages: [{ firstRow: 0, rows, ranges: [] }], dictionary: null }),
    page: async (_group: number, column: number) => pages[column],
  };
  return file as unknown as ParquetFile;
}

// optional list n of optional struct { optional int a; optional list b of optional int }
const NESTED = buildSchemaTree(
  [
    element('root', 0, { children: 1 }),
    element('n', 1, { children: 1, id: 1, converted: LIST }),
    element('list', 2, { children: 1 }),
    element('element', 1, { children: 2, id: 2 }),
    element('a', 1, { id: 3 }),
    element('b', 1, { children: 1, id: 4, converted: LIST }),
    element('list', 2, { children: 1 }),
    element('element', 1, { id: 5 }),
  ],
  place,
);
type Item = { a: number | null; b: (number | null)[] | null } | null;
type Rows = (Item[] | null)[];

/** The entries of both leaves, by the definition of the levels in the Dremel paper. */
function shred(rows: Rows): [Entries, Entries] {
  const a: Entries = { repetition: [], definition: [], values: [] };
  const b: Entries = { repetition: [], definition: [], values: [] };
  const put = (to: Entries, repetition: number, definition: number, value: number | null) => {
    to.repetition.push(repetition);
    to.definition.push(definition);
    if (value !== null) to.values.push(value);
  };
  for (const list of rows) {
    if (list === null || list.length === 0) {
      for (const to of [a, b]) put(to, 0, list === null ? 0 : 1, null);
      continue;
    }
    list.forEach((item, i) => {
      const level = i === 0 ? 0 : 1;
      if (item === null) {
        for (const to of [a, b]) put(to, level, 2, null);
        return;
      }
      put(a, level, item.a === null ? 3 : 4, item.a);
      if (item.b === null || item.b.length === 0) put(b, level, item.b === null ? 3 : 4, null);
      else
        for (const [j, v] of item.b.entries()) put(b, j === 0 ? level : 2, v === null ? 5 : 6, v);
    });
  }
  return [a, b];
}

const randomRows: fc.Arbitrary<Rows> = fc.array(
  fc.option(
    fc.array(
      fc.option(
        fc.record({
          a: fc.option(fc.nat(99)),
          b: fc.option(fc.array(fc.option(fc.nat(99)), { maxLength: 4 })),
        }),
      ),
      { maxLength: 4 },
    ),
  ),
  { minLength: 1, maxLength: 8 },
);

async function readNested(rows: Rows, fields: readonly Field[]) {
  const file = fakeFile(NESTED, rows.length, shred(rows));
  const plans = planColumns(NESTED, fields, { by: 'id', nameMapping: null }, place);
  return readWhole(file, plans);
}

describe('record assembly of Parquet', () => {
  const both = field(
    1,
    'n',
    listOf(2, { kind: 'struct', fields: [field(3, 'a', INT), field(4, 'b', listOf(5, INT))] }),
  );

  it('gives back any nested rows', async () => {
    await fc.assert(
      fc.asyncProperty(randomRows, async (rows) => {
        expect((await readNested(rows, [both]))[0]).toEqual(rows);
      }),
      { seed: SEED, numRuns: 300 },
    );
  });

  it('reads a part of a struct, and structs of which the file has nothing', async () => {
    const onlyB = field(
      1,
      'n',
      listOf(2, { kind: 'struct', fields: [field(4, 'b', listOf(5, INT))] }),
    );
    const none = field(
      1,
      'n',
      listOf(2, { kind: 'struct', fields: [field(9, 'new', INT, { initialDefault: 7 })] }),
    );
    await fc.assert(
      fc.asyncProperty(randomRows, async (rows) => {
        const items = (make: (item: Exclude<Item, null>) => Value): Value[] =>
          rows.map((list) => list?.map((item) => item && make(item)) ?? null);
        expect((await readNested(rows, [onlyB]))[0]).toEqual(items(({ b }) => ({ b })));
        expect((await readNested(rows, [none]))[0]).toEqual(items(() => ({ new: 7 })));
      }),
      { seed: SEED, numRuns: 200 },
    );
  });

  it('refuses columns whose levels do not fit each other', async () => {
    const [a, b] = shred([
      [
        { a: 1, b: null },
        { a: 2, b: null },
      ],
    ]);
    const short = { repetition: [0], definition: [3], values: [] };
    const plans = planColumns(NESTED, [both], { by: 'id', nameMapping: null }, place);
    await expect(readWhole(fakeFile(NESTED, 1, [a, short]), plans)).rejects.toThrow(/too few/);
    await expect(readWhole(fakeFile(NESTED, 1, [a, b]), plans)).resolves.toHaveLength(1);
  });
});

describe('older list layouts of Parquet', () => {
  it.each([
    [
      'of plain items',
      [element('l', 1, { children: 1, id: 1, converted: LIST }), element('array', 2, { id: 2 })],
    ],
    ['without a container', [element('l', 2, { id: 1 })]],
  ])('%s have required items', async (_name, elements) => {
    const schema = buildSchemaTree([element('root', 0, { children: 1 }), ...elements], place);
    const [leaf] = schema.leaves as [LeafNode];
    const file = fakeFile(schema, 2, [
      {
        repetition: [0, 1, 0],
        definition: [leaf.definition, leaf.definition, leaf.definition - 1],
        values: [4, 5],
      },
    ]);
    const fields = [field(1, 'l', listOf(2, INT))];
    const plans = planColumns(schema, fields, { by: 'id', nameMapping: null }, place);
    expect((await readWhole(file, plans))[0]).toEqual([[4, 5], []]);
  });
});

describe('projection of Parquet columns', () => {
  const schema = buildSchemaTree(
    [element('root', 0, { children: 2 }), element('x', 1), element('y', 1)],
    place,
  );
  const plan = (fields: Field[], names?: string[]) =>
    planColumns(
      schema,
      fields,
      {
        by: 'id',
        nameMapping: names ? [{ fieldId: 7, names, fields: [] }] : null,
      },
      place,
    );

  it('finds columns without ids by the name mapping, and refuses to guess', () => {
    expect(plan([field(7, 'z', INT)], ['gone', 'y'])[0]).toMatchObject({ leaf: { name: 'y' } });
    expect(plan([field(7, 'z', INT)], ['gone'])[0]).toEqual({ kind: 'constant', value: null });
    expect(() => plan([field(7, 'x', INT)])).toThrow(/no field ids/);
  });

  it('fills absent columns with defaults and refuses absent required ones', () => {
    const [filled] = plan([field(8, 'd', INT, { required: true, initialDefault: 3 })], ['x']);
    expect(filled).toEqual({ kind: 'constant', value: 3 });
    expect(() => plan([field(8, 'd', INT, { required: true })], ['x'])).toThrow(/"d"/);
    expect(() => plan([field(7, 's', { kind: 'string' })], ['x'])).toThrow(LakeError);
  });
});
