import type { Batch, Field, SourceTable, Type, Value } from '@lakehouse-search/lake';
import { describe, expect, it } from 'vitest';
import { ANALYZER_CATALOG } from '../../analysis/registry.ts';
import { checkAgainstTable } from '../mapping.ts';
import { parseDefinition } from '../parse/parse-definition.ts';
import { initDefinition } from './init-definition.ts';

function fakeTable(
  columns: Record<string, { type: Type; values?: readonly (string | object)[] }>,
  key: number[] = [1],
) {
  const fields = Object.entries(columns).map(
    ([name, { type }], i): Field => ({ id: i + 1, name, required: false, type }),
  );
  const schema = { schemaId: 0, fields, identifierFieldIds: key };
  async function* scan({ columns: names }: { columns: readonly string[] }): AsyncGenerator<Batch> {
    const values = names.map((name) => columns[name].values ?? []);
    const rows = Math.max(...values.map((list) => list.length));
    yield {
      rows,
      file: 'f',
      positions: Int32Array.from({ length: rows }, (_, i) => i),
      columns: values.map((list) => {
        if (typeof list[0] === 'object')
          return { kind: 'values', values: list as readonly Value[] };
        const texts = Array.from({ length: rows }, (_, i) => Buffer.from(`${list[i] ?? ''}`));
        const offsets = Int32Array.from([0, ...texts.map((t) => t.length)]);
        for (let i = 1; i < offsets.length; i++) offsets[i] += offsets[i - 1];
        return { kind: 'utf8', nulls: null, offsets, bytes: Buffer.concat(texts) };
      }),
    };
  }
  return {
    name: 'Ops.My Incidents',
    schema,
    currentSnapshotId: 1n,
    scan,
  } as unknown as SourceTable;
}

const string: Type = { kind: 'string' };
/** Words that differ, of letters alone. */
const word = (head: string, i: number) =>
  head + String(i).replace(/[0-9]/g, (d) => 'abcdefghij'[+d]);
const many = <T>(of: (i: number) => T) => Array.from({ length: 100 }, (_, i) => of(i));

const field = (id: number, name: string, type: Type): Field => {
  return { id, name, required: false, type };
};
/** struct<city: string, floor: int, visits: list<struct<at: timestamptz>>> */
const PLACE: Type = {
  kind: 'struct',
  fields: [
    field(20, 'city', { kind: 'string' }),
    field(21, 'floor', { kind: 'int' }),
    field(22, 'visits', {
      kind: 'list',
      elementId: 23,
      elementRequired: false,
      element: { kind: 'struct', fields: [field(24, 'at', { kind: 'timestamptz' })] },
    }),
  ],
};

describe('the proposed definition', () => {
  it('proposes what columns and their values suggest', async () => {
    const table = fakeTable({
      id: { type: { kind: 'long' } },
      body: {
        type: string,
        values: many((i) => `the pool of service ${i} was drained after the certificate rotation`),
      },
      Title: { type: string, values: many((i) => `Timeout number ${i} of the gateway`) },
      service: { type: string, values: many((i) => ['billing', 'search'][i % 2]) },
      host: { type: string, values: many((i) => `10.0.0.${i}`) },
      at: { type: { kind: 'timestamptz' } },
      place: { type: PLACE },
      picture: { type: { kind: 'binary' } },
      meta: { type: { kind: 'variant' } },
    });
    const source = {
      catalog: { type: 'filesystem' as const, warehouse: '/a lake' },
      table: 'ops.incidents',
    };
    expect(await initDefinition(table, { source })).toMatchInlineSnapshot(`
      "# What is indexed of the table, and how. docs/definition.md explains every key.
      version: 1
      index: my_incidents
      source:
        catalog: { type: filesystem, warehouse: "/a lake" }
        table: ops.incidents
      key:
        identifier: [id]     # the table's identifier fields
      default_fields: [Title^3, body, service, place, meta]     # of bare words, with weights
      fields:
        - { name: Title, type: TEXT, analyzer: folded, cached: true }  # 100 % distinct, 32 characters on average
        - { name: id, type: LONG }                                     # part of the key
        - { name: body, type: TEXT, analyzer: folded }                 # 100 % distinct, 65 characters on average
        - { name: service, type: KEYWORD, folded: true, fast: true, cached: true } # 2 % distinct, 7 characters on average
        - { name: host, type: IP }                                     # addresses
        - { name: at, type: DATE, cached: true }
        # semantic and hybrid search (docs/definition.md, vectors):
        # - { name: meaning, type: VECTOR, source: Title }
      variants:
        - column: place     # found as place.<path>:<value> and place:<text>
          flatten: true
          analyzer: folded
          shapes:
            - name: typed     # ranges, sorts and aggregations
              fields:
                - { path: floor, type: LONG }
                - { path: visits.at, type: DATE }
        - { column: meta, flatten: true, analyzer: folded }     # found as meta.<path>:<value> and meta:<text>
      # not indexed: "picture": binary cannot be indexed
      "
    `);
  });

  it.each([
    [many((i) => (i % 20 === 0 ? 'NA' : `${i}.5`)), '; 95 % are numbers, compared as texts'],
    [many((i) => `${i}`), '; 100 % are numbers, compared as texts'],
    [many((i) => (i % 3 === 0 ? 'NA' : `${i}`)), 'on average'],
    [many((i) => `${i}`.padStart(5, '0')), 'on average'],
  ])('says that a column of texts has numbers, unless they are codes: %#', async (values, end) => {
    const columns = { id: { type: { kind: 'long' } as const }, delay: { type: string, values } };
    const text = await initDefinition(fakeTable(columns), { source: { path: '/t' } });
    expect(text).toMatch(new RegExp(`name: delay, type: KEYWORD.*${end}$`, 'm'));
  });

  it('lets bare words search flattened columns with texts, behind other texts', async () => {
    const floors: Type = { kind: 'struct', fields: [field(20, 'floor', { kind: 'int' })] };
    const columns = {
      id: { type: { kind: 'long' } as const },
      code: { type: string, values: many((i) => ['billing', 'search'][i % 2]) },
      place: { type: PLACE },
      floors: { type: floors },
      meta: { type: { kind: 'variant' } as const },
    };
    const source = { path: '/t' };
    const text = await initDefinition(fakeTable(columns), { source });
    expect(text).toContain('default_fields: [code, place, meta] ');
    expect(parseDefinition(text, ANALYZER_CATALOG).issues).toEqual([]);
    const prose = {
      type: string,
      values: many((i) => `the pool ${i} of this service was drained`),
    };
    const other = await initDefinition(fakeTable({ ...columns, prose }), { source });
    expect(other).toMatch(/^default_fields: \[prose\^3, code, place, meta\] /m);
    const ids = Array.from({ length: 20 }, (_, n) => {
      return [`id${n}`, { type: string, values: many((i) => `${n}-${i}`) }] as const;
    });
    const wide = { ...columns, ...Object.fromEntries(ids), name: { type: PLACE }, prose };
    const fields = (await initDefinition(fakeTable(wide), { source })).match(/_fields: (.*]) /);
    const codes = Array.from({ length: 19 }, (_, n) => `id${n}^10`).join(', ');
    expect(fields?.[1]).toBe(`[prose, code, ${codes}, place, meta, name^3]`);
  });

  it('gives types to categories inside structs, behind numbers and dates', async () => {
    const values = many((i) => ({ city: ['Bern', 'Thun'][i % 2], floor: i }));
    const table = (of: object[]) => fakeTable({ place: { type: PLACE, values: of } }, []);
    const leavesOf = async (of: object[]) => {
      const text = await initDefinition(table(of), { source: { path: '/t' } });
      const { definition, issues } = parseDefinition(text, ANALYZER_CATALOG);
      expect(issues).toEqual([]);
      return definition?.fields.map(({ name, type, fast, folded }) =>
        [name, type, fast && 'fast', folded && 'folded'].join(' '),
      );
    };
    const typed = ['place.floor LONG fast ', 'place.visits.at DATE fast '];
    expect(await leavesOf(values)).toEqual([...typed, 'place.city KEYWORD fast folded']);
    const wordy = many((i) => ({ city: ['Bern', 'San Juan'][i % 2], floor: i }));
    expect(await leavesOf(wordy)).toEqual([...typed, 'place.city KEYWORD fast folded']);
    const ids = values.map((value, i) => ({ ...value, city: `${i}-x` }));
    expect(await leavesOf(ids)).toEqual(typed);
  });

  const cases: readonly (readonly [string, (i: number) => string, string, string?, string?])[] = [
    [
      'prose',
      (i) => `the pool ${i} of this service was drained before lunch`,
      'TEXT',
      'folded, cached',
    ],
    ['names with blanks', (i) => `Crème ${i} brûlée`, 'TEXT', 'folded, cached'],
    ['last names', (i) => word('Ruth', i), 'TEXT', 'folded, cached'],
    ['names in Hebrew', (i) => word('רות', i), 'TEXT', 'folded, cached'],
    ['codes', (i) => word('', i).toUpperCase(), 'KEYWORD', 'folded'],
    ['categories', (i) => ['billing', 'search'][i % 2], 'KEYWORD', 'folded, fast, cached'],
    [
      'categories with blanks',
      (i) => ['Food & Drink', 'Travel'][i % 2],
      'TEXT',
      'folded, cached',
      'exact',
    ],
    ['states', (i) => (i % 50 ? 'Ohio' : 'New York'), 'TEXT', 'folded, cached', 'exact'],
    ['models', (i) => (i % 50 ? `B-7${i % 9}` : 'PA-31 NAVAJO'), 'KEYWORD', 'folded, fast, cached'],
    ['repeated names', (i) => `Ruth ${i % 40} Lee`, 'TEXT', 'folded, cached', 'exact'],
    ['names that few rows repeat', (i) => `Ruth ${i % 60} Lee`, 'TEXT', 'folded, cached', 'exact'],
    ['names that differ but for a few', (i) => `Ruth ${i % 95} Lee`, 'TEXT', 'folded, cached'],
    ['addresses of pages', (i) => `https://example.org/${i}`, 'KEYWORD'],
    ['log lines', (i) => `2026-05-20 status unpacked libc6:amd64 ${i}`, 'TEXT', 'split, cached'],
    ['messages of programs', (i) => `GET user_id=${i} level:error`, 'TEXT', 'split, cached'],
    ['initials', (i) => `J.R.R. ${word('Tolk', i)} e.g. 10.0.0.1 3:45`, 'TEXT', 'folded, cached'],
    ['Japanese', (i) => `庭に猫が${i}匹いるのを見ました`, 'TEXT', 'characters, cached'],
    ['provinces', (i) => ['北京市', '上海市'][i % 2], 'TEXT', 'characters, cached', 'exact'],
    ['Thai', (i) => `ฉันมีแมว${i}ตัวอยู่ที่บ้าน`, 'TEXT', 'folded, cached'],
    ['Korean', (i) => `우리는 ${i} 서울에서 만났습니다`, 'TEXT', 'korean, cached'],
    ['Arabic', (i) => `بِسۡمِ ٱللَّهِ ${i}`, 'TEXT', 'arabic_folded, cached'],
    ['Persian', (i) => `کتاب‌های تازه ${i} رسیدند`, 'TEXT', 'folded, cached'],
    ['Hindi', (i) => `मेज़ पर ${i} कलम रखी है`, 'TEXT', 'hindi_folded, cached'],
  ];
  it.each(cases.map((one) => [one[0], one] as const))(
    'makes of %s what its readers look for',
    async (_, one) => {
      const [, of, type, options = '', exact = ''] = one;
      const table = fakeTable({
        id: { type: { kind: 'long' } },
        it: { type: string, values: many(of) },
      });
      const text = await initDefinition(table, { source: { path: '/x' } });
      const [analyzer, ...flags] = options.split(', ').filter((word) => word !== '');
      const field = { name: 'it', type, ...(type === 'TEXT' ? { analyzer } : {}) };
      const isFolded = type === 'KEYWORD' && options.includes('folded');
      const isCached = options.includes('cached');
      const { definition, issues } = parseDefinition(text, ANALYZER_CATALOG);
      expect(issues).toEqual([]);
      expect(definition?.fields.find(({ name }) => name === 'it')).toMatchObject({
        ...field,
        cached: isCached,
        ...(isFolded ? { folded: true } : {}),
        fast: [analyzer, ...flags].includes('fast'),
      });
      const twin = definition?.fields.find(({ name }) => name === 'it_exact');
      expect(twin?.type).toBe(exact === '' ? undefined : 'KEYWORD');
    },
  );

  it.each([
    ['birthCity, nameFirst, nameLast', 'nameLast^3, nameFirst^2, birthCity'],
    ['city, first_name, full_name', 'full_name^3, first_name^2, city'],
    ['airport_city, airport_name', 'airport_name^3, airport_city'],
    ['city, surname', 'surname^3, city'],
    ['host_name, Product Label', 'Product_Label^3, host_name^2'],
    ['city, country', 'city^3, country'],
    ['group*, city', 'city^3, group'],
    ['group*, name*', 'name^3, group'],
    ['group*, kind*', 'group, kind'],
    ['city, city_ascii, admin_name*', 'city^3, city_ascii, admin_name^2'],
    ['product_name*, city', 'product_name^3, city'],
    ['city, name*', 'name^3, city'],
  ])('prefers titles and names among %s', async (columns, expected) => {
    const values = many((i) => word('Ruth', i));
    const groups = many((i) => `the group ${i % 3}`);
    const texts = columns.split(', ').map((name) => {
      const of = name.endsWith('*') ? groups : values;
      return [name.replace('*', ''), { type: string, values: of }];
    });
    const text = await initDefinition(fakeTable(Object.fromEntries(texts), []), {
      source: { path: '/x' },
    });
    expect(/default_fields: \[(.*)\]/.exec(text)?.[1]).toBe(expected);
  });

  it('caches the first numbers, which have columns anyway, but no key', async () => {
    const columns = Array.from({ length: 9 }, (_, n) => [`n${n}`, { type: { kind: 'long' } }]);
    const table = fakeTable(Object.fromEntries(columns));
    const text = await initDefinition(table, { source: { path: '/x' } });
    const { definition } = parseDefinition(text, ANALYZER_CATALOG);
    const cached = definition?.fields.filter((one) => one.cached).map(({ name }) => name);
    expect(cached).toEqual(['n1', 'n2', 'n3', 'n4', 'n5', 'n6']);
  });

  it('has a short text of a struct as title if no column is one, or has a worse name', async () => {
    const inner: Type = {
      kind: 'struct',
      fields: [field(31, 'status', string), field(32, 'place', string), field(33, 'name', string)],
    };
    const values = many((i) => {
      return { status: 'reviewed', place: word('Bern', i), name: word('Near', i) };
    });
    const linesOf = async (more: object) => {
      const table = fakeTable({ properties: { type: inner, values }, ...more }, []);
      const text = await initDefinition(table, { source: { path: '/x' } });
      expect(parseDefinition(text, ANALYZER_CATALOG).issues).toEqual([]);
      return text.split('\n').filter((line) => line.includes('{ path:'));
    };
    const status = '          - { path: status, type: KEYWORD, folded: true, fast: true }';
    expect(await linesOf({})).toEqual([
      '          - { path: name, type: TEXT, analyzer: folded, cached: true }',
      status,
    ]);
    const title = { type: string, values: many((i) => word('Ruth', i)) };
    expect(await linesOf({ title })).toEqual([status]);
    expect(await linesOf({ capital: title })).toHaveLength(2);
  });

  it('names the columns that are beyond the limit of default_fields', async () => {
    const columns = Array.from({ length: 26 }, (_, n) => {
      return [`c${n}`, { type: string, values: many((i) => `${String.fromCharCode(65 + n)}${i}`) }];
    });
    const table = fakeTable(Object.fromEntries(columns), []);
    const text = await initDefinition(table, { source: { path: '/x' } });
    const [, list = '', without] = /^default_fields: \[(.*)\].*without (.*)$/m.exec(text) ?? [];
    expect([list.split(', ').length, without]).toEqual([24, 'c24, c25']);
    expect(parseDefinition(text, ANALYZER_CATALOG).issues).toEqual([]);
  });

  it('lets bare words search the values if no column has words', async () => {
    const table = fakeTable({
      code: { type: string, values: many((i) => `A${i % 3}`) },
      state: { type: string, values: many((i) => ['open', 'shut'][i % 2]) },
      size: { type: { kind: 'long' } },
    });
    const text = await initDefinition(table, { source: { path: '/x' } });
    const { definition, issues } = parseDefinition(text, ANALYZER_CATALOG);
    expect(issues).toEqual([]);
    expect(definition?.defaultFields).toEqual(['code', 'state']);
  });

  it('writes a valid definition for columns with any name', async () => {
    const names = [
      'a b',
      'a:b',
      'no',
      '#',
      '"\\\n',
      `$${'{X}'}`,
      "it's",
      '- x',
      '{',
      '7',
      '_score',
      'Ünïcode',
      '日本',
      'a\u2028b',
    ];
    const table = fakeTable(
      Object.fromEntries(names.map((name) => [name, { type: { kind: 'long' } }])),
      [],
    );
    const source = { path: '/x/"y"\n' };
    const text = await initDefinition(table, { source, name: 'odd' });
    const fields = [...table.schema.fields, field(2_147_483_447, '_row', string)];
    const issues = checkAgainstTable(
      parseDefinition(text, ANALYZER_CATALOG),
      text,
      { ...table.schema, fields },
      'odd',
    );
    expect(issues).toEqual([]);
    for (const name of ['a_b', 'a_b_2', 'a_b_3', 'it_s', 'x', 'X', 'score', 'field']) {
      expect(text).toContain(`{ name: ${name}, source: `);
    }
    const columns = parseDefinition(text, ANALYZER_CATALOG).definition?.fields.flatMap(
      (field) => field.source,
    );
    expect(columns?.toSorted()).toEqual(names.toSorted());
  });
});

describe('the definition of a wide table', () => {
  const catalog_ = {
    type: 'filesystem' as const,
    warehouse: '/lake',
    allowed_roots: ['/a b'],
    s3: { region: 'x', path_style: true },
  };
  const source = { catalog: catalog_, table: 'w.t' };
  it.each([
    ['text columns', (i: number) => [`column_${i}`, { type: string, values: ['some words'] }]],
    ['columns of long names', (i: number) => [`${i}${'x'.repeat(300)}`, { type: string }]],
    ['variants', (i: number) => [`v${'y'.repeat(60)}${i}`, { type: { kind: 'variant' } }]],
    ['structs', (i: number) => [`s${i}`, { type: { kind: 'struct', fields: [] } }]],
  ] as const)('is cut at its limits, and says so: %s', async (_, column) => {
    const columns = Object.fromEntries([
      ['id', { type: { kind: 'long' } }],
      ...Array.from({ length: 5000 }, (_, i) => column(i)),
    ]) as Parameters<typeof fakeTable>[0];
    const text = await initDefinition(fakeTable(columns), { source });
    expect(text).toMatch(/# [1-9]\d* more .* left out: a definition holds 1000 fields and 262144/);
    expect(parseDefinition(text, ANALYZER_CATALOG)).toMatchObject({ issues: [] });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(262_144);
  });

  it('proposes one of two columns if objects repeat their key', async () => {
    const codes = many((i) => `c${i}`);
    const columns = { key: { type: string, values: codes }, zip: { type: string, values: codes } };
    const text = await initDefinition(fakeTable(columns, []), { source: { path: '/t' } });
    expect(text).toContain('identifier: [zip]');
    expect(text).toContain('# not indexed: "key": its values are those of zip');
    expect(text).not.toContain('name: key');
    const different = { ...columns, zip: { type: string, values: [...codes.slice(1), 'x'] } };
    const both = await initDefinition(fakeTable(different, []), { source: { path: '/t' } });
    expect(both).toContain('name: key');
  });
});
