import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LakeError } from '../base/errors.ts';
import { snappyDecompress } from '../base/snappy.ts';
import {
  type Field,
  MapValue,
  type StructType,
  type Type,
  type Value,
  VariantValue,
} from '../schema/type.ts';
import { openAvro, readAvroRows } from './container.ts';
import { AvroSink } from './value-writer.ts';
import { encodeAvro } from './write-container.ts';

/**
 * Rows that fastavro 1.x encoded and pyarrow compressed (its Snappy block followed by zlib's
 * CRC-32).
 */
const BLOCKS = {
  null: 'goCAgICAgICAAQIMw6nwn5iA///4OgGCgKy+7fLbBQQCAmEAAAICawAAAAAAAOA/AAIBAv8JAQAAAAABop4C///mpLrDjwEAAAD+////Dw==',
  deflate:
    'a2qAAkYmnsMrP8yf0fD//w8rxqaGNfvefrrNysLElMjAwMSUzQAGD+wZmBiZ/nMygjiMi+Yx/f//bMmuw/0g/r/////zAwA=',
  snappy:
    'TwSCgA0BfAECDMOp8J+YgP//+DoBgoCsvu3y2wUEAgJhAAACAmsABQEg4D8AAgEC/wkBAQ5MAaKeAv//5qS6w48BAAAA/v///w98z5eo',
  zstandard:
    'KLUv/SBPeQIAgoCAgICAgICAAQIMw6nwn5iA///4OgGCgKy+7fLbBQQCAmEAAAICawAAAAAAAOA/AAIBAv8JAQAAAAABop4C///mpLrDjwEAAAD+////Dw==',
} as const;

const FIELDS = [
  { name: 'id', type: 'long', 'field-id': 1 },
  { name: 'name', type: ['null', 'string'], 'field-id': 2 },
  {
    name: 'amount',
    type: { type: 'fixed', name: 'dec', size: 4, logicalType: 'decimal', precision: 9, scale: 2 },
    'field-id': 3,
  },
  { name: 'day', type: { type: 'int', logicalType: 'date' }, 'field-id': 4 },
  {
    name: 'at',
    type: { type: 'long', logicalType: 'timestamp-micros', 'adjust-to-utc': true },
    'field-id': 5,
  },
  {
    name: 'tags',
    type: { type: 'array', items: ['null', 'string'], 'element-id': 7 },
    'field-id': 6,
  },
  {
    name: 'm',
    type: { type: 'map', values: 'double', 'key-id': 9, 'value-id': 10 },
    'field-id': 8,
  },
  {
    name: 'extra',
    type: [
      'null',
      {
        type: 'record',
        name: 'x',
        fields: [
          { name: 'a', type: 'int', 'field-id': 12 },
          { name: 'b', type: 'bytes', 'field-id': 13 },
        ],
      },
    ],
    'field-id': 11,
  },
  { name: 'small', type: 'int', 'field-id': 14 },
];

const SYNC = Buffer.from('0123456789abcdef');

function container(
  codec: string,
  block: Uint8Array,
  options: { rows?: number; schema?: object } = {},
) {
  const sink = new AvroSink();
  sink.raw(Buffer.from('Obj\x01', 'latin1'));
  const schema = options.schema ?? { type: 'record', name: 'row', fields: FIELDS };
  sink.long(2);
  for (const text of ['avro.schema', JSON.stringify(schema), 'avro.codec', codec]) {
    sink.prefixed(Buffer.from(text));
  }
  sink.long(0);
  sink.raw(SYNC);
  sink.long(options.rows ?? 2);
  sink.prefixed(block);
  sink.raw(SYNC);
  return sink.bytes();
}

const field = (id: number, name: string, type: Type, required = false): Field => ({
  id,
  name,
  required,
  type,
});
const struct = (...fields: Field[]): StructType => ({ kind: 'struct', fields });
const ROW = struct(
  field(1, 'id', { kind: 'long' }),
  field(2, 'renamed', { kind: 'string' }),
  field(3, 'amount', { kind: 'decimal', precision: 12, scale: 2 }),
  field(4, 'day', { kind: 'date' }),
  field(5, 'at', { kind: 'timestamptz' }),
  field(6, 'tags', {
    kind: 'list',
    elementId: 7,
    elementRequired: false,
    element: { kind: 'string' },
  }),
  field(8, 'm', {
    kind: 'map',
    keyId: 9,
    key: { kind: 'string' },
    valueId: 10,
    valueRequired: true,
    value: { kind: 'double' },
  }),
  field(
    11,
    'extra',
    struct(field(13, 'b', { kind: 'binary' }), field(99, 'gone', { kind: 'int' })),
  ),
  field(14, 'small', { kind: 'long' }),
  { ...field(20, 'later', { kind: 'int' }), initialDefault: 42 },
);
const EXPECTED = [
  {
    id: 2n ** 62n + 1n,
    renamed: 'é😀',
    amount: -1990n,
    day: -1,
    at: 1609459200000001n,
    tags: ['a', null],
    m: new MapValue([['k', 0.5]]),
    extra: { b: new Uint8Array([255]), gone: null },
    small: -5n,
    later: 42,
  },
  {
    id: -1n,
    renamed: null,
    amount: 1n,
    day: 18321,
    at: -315619200000000n,
    tags: [],
    m: new MapValue([]),
    extra: null,
    small: 2147483647n,
    later: 42,
  },
];

const options = { code: 'data_file_invalid' } as const;
const read = (bytes: Uint8Array, type = ROW) => [...readAvroRows(bytes, 'f.avro', type, options)];
const block = (name: keyof typeof BLOCKS) => Buffer.from(BLOCKS[name], 'base64');

describe('reading of Avro files', () => {
  it.each(['null', 'deflate', 'snappy', 'zstandard'] as const)('%s blocks by field id', (codec) => {
    expect(read(container(codec, block(codec)))).toEqual(EXPECTED);
  });

  it('steps over columns that nobody asked for', () => {
    const small = struct(field(14, 'small', { kind: 'int' }));
    expect(read(container('null', block('null')), small)).toEqual([
      { small: -5 },
      { small: 2147483647 },
    ]);
  });

  it('finds columns without ids by the name mapping', () => {
    const schema = {
      type: 'record',
      name: 'r',
      fields: FIELDS.map(({ 'field-id': _, ...rest }) => rest),
    };
    const bytes = container('null', block('null'), { schema });
    const nameMapping = [{ fieldId: 1, names: ['ID', 'id'], fields: [] }];
    const type = struct(field(1, 'key', { kind: 'long' }), field(2, 'name', { kind: 'string' }));
    const rows = [...readAvroRows(bytes, 'f', type, { ...options, nameMapping })];
    expect(rows).toEqual([
      { key: 2n ** 62n + 1n, name: null },
      { key: -1n, name: null },
    ]);
  });

  it('fills a column that the file lacks with its default, whatever it is called', () => {
    const names = ['__proto__', 'constructor'];
    const missing = names.map((name, i) => {
      return { ...field(50 + i, name, { kind: 'string' }), initialDefault: `its ${name}` };
    });
    const wanted = struct(field(1, 'id', { kind: 'long' }), ...missing);
    const rows = read(container('null', block('null')), wanted);
    expect(Object.entries(rows[1] ?? {})).toEqual([
      ['id', -1n],
      ['__proto__', 'its __proto__'],
      ['constructor', 'its constructor'],
    ]);
  });

  it('hands variants to the decoder it was given, and refuses them without one', () => {
    const type = {
      type: 'record',
      name: 'v',
      logicalType: 'variant',
      fields: [
        { name: 'metadata', type: 'bytes' },
        { name: 'value', type: 'bytes' },
      ],
    };
    const schema = { type: 'record', name: 'r', fields: [{ name: 'v', type, 'field-id': 1 }] };
    const bytes = container('null', new Uint8Array([2, 7, 4, 8, 9]), { schema, rows: 1 });
    const row = struct(field(1, 'v', { kind: 'variant' }));
    const variant = (metadata: Uint8Array, value: Uint8Array) =>
      new VariantValue({ kind: 'string', value: `${metadata.join()}|${value.join()}` });
    const [decoded] = readAvroRows(bytes, 'f', row, { ...options, variant });
    expect(decoded!.v).toEqual(new VariantValue({ kind: 'string', value: '7|8,9' }));
    expect(() => read(bytes, row)).toThrow(expect.objectContaining({ code: 'unsupported' }));
  });
});

describe('damaged Avro files', () => {
  const good = container('deflate', block('deflate'));
  const damaged = (change: (bytes: Uint8Array) => void) => {
    const bytes = good.slice();
    change(bytes);
    return bytes;
  };
  it.each([
    ['no bytes', new Uint8Array(0), /magic/],
    ['another magic', damaged((b) => b.fill(0, 0, 1)), /magic/],
    ['a wrong sync marker', damaged((b) => b.fill(0, b.length - 1)), /sync marker/],
    ['a truncated block', good.slice(0, -20), /past the end/],
    ['an unknown codec', container('bzip2', block('null')), /codec is "bzip2"/],
    ['a broken deflate block', container('deflate', block('null')), /cannot be decompressed/],
    [
      'a snappy checksum',
      container('snappy', Buffer.concat([block('snappy').subarray(0, -4), Buffer.alloc(4)])),
      /checksum/,
    ],
    ['too few rows', container('null', block('null'), { rows: 1 }), /after its last row/],
    ['too many rows', container('null', block('null'), { rows: 3 }), /./],
    ['absurdly many rows', container('null', block('null'), { rows: 2 ** 40 }), /claims/],
  ])('%s is named', (_what, bytes, words) => {
    expect(() => read(bytes)).toThrow(
      expect.objectContaining({
        reason: 'data_file_invalid',
        message: expect.stringMatching(words),
      }),
    );
  });

  it('never goes unnamed, wherever a bit flips', () => {
    for (let bit = 0; bit < good.length * 8; bit += 3) {
      const bytes = damaged((b) => {
        b[bit >> 3]! ^= 1 << (bit & 7);
      });
      try {
        read(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(LakeError);
      }
    }
  });

  it('in schemas is named: recursion, unknown names, depth, missing required columns', () => {
    const rec = { type: 'record', name: 'r', fields: [{ name: 'x', type: ['null', 'r'] }] };
    const deep = Array.from({ length: 200 }).reduce<unknown>(
      (t) => ({ type: 'array', items: t }),
      'int',
    );
    const open = (schema: object) => () =>
      openAvro(container('null', block('null'), { schema }), 'f', 'manifest_invalid');
    expect(open(rec)).toThrow(/contains itself/);
    expect(open({ type: 'record', name: 'r', fields: [{ name: 'x', type: 'nope' }] })).toThrow(
      /"nope" is not defined/,
    );
    expect(open(deep as object)).toThrow(/too deeply/);
    const record = (name: string, type: unknown) => ({
      type: 'record',
      name,
      fields: [
        { name: 'x', type },
        { name: 'y', type: typeof type === 'string' ? type : `r${Number(name.slice(1)) - 1}` },
      ],
    });
    const doubling = Array.from({ length: 40 }).reduce<unknown>(
      (inner, _, i) => record(`r${i}`, inner),
      'null',
    );
    expect(open(doubling as object)).toThrow(/stands for more than 200000 types/);
    expect(() => read(good, struct(field(77, 'must', { kind: 'int' }, true)))).toThrow(
      /lacks the required field "must"/,
    );
    expect(() => read(good, struct(field(2, 'name', { kind: 'int' })))).toThrow(
      /string cannot be read as int/,
    );
  });
});

describe('writing of Avro files', () => {
  const type = struct(
    field(1, 'a', { kind: 'long' }, true),
    field(2, 'b c', { kind: 'string' }),
    field(3, '9', { kind: 'decimal', precision: 38, scale: 3 }),
    field(4, 'u', { kind: 'uuid' }),
    field(5, 'f', { kind: 'fixed', length: 3 }),
    field(6, 'l', {
      kind: 'list',
      elementId: 7,
      elementRequired: true,
      element: { kind: 'double' },
    }),
    field(8, 'm', {
      kind: 'map',
      keyId: 9,
      key: { kind: 'int' },
      valueId: 10,
      valueRequired: false,
      value: { kind: 'binary' },
    }),
    field(
      11,
      's',
      struct(field(12, 't', { kind: 'timestamp_ns' }), field(13, 'o', { kind: 'boolean' }, true)),
    ),
    field(14, 'x', { kind: 'float' }),
  );
  const nullable = (value: fc.Arbitrary<Value>) => fc.option(value, { nil: null });
  const bytes = (n: number) => fc.uint8Array({ minLength: n, maxLength: n });
  const long = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
  const row = fc.record<Record<string, Value>>({
    a: long,
    'b c': nullable(fc.string({ unit: 'grapheme' })),
    '9': nullable(fc.bigInt({ min: -(10n ** 38n) + 1n, max: 10n ** 38n - 1n })),
    u: nullable(fc.uuid()),
    f: nullable(bytes(3)),
    l: nullable(fc.array(fc.double())),
    m: nullable(fc.array(fc.tuple(fc.integer(), nullable(bytes(2)))).map((e) => new MapValue(e))),
    s: nullable(fc.record({ t: nullable(long), o: fc.boolean() })),
    x: nullable(fc.float()),
  });

  it('gives rows that are read back the same', () => {
    fc.assert(
      fc.property(
        fc.array(row, { maxLength: 20 }),
        fc.constantFrom('null', 'deflate'),
        (rows, codec) => {
          const written = encodeAvro(type, rows, {
            name: 'r',
            codec: codec as 'null',
            metadata: { k: 'é' },
          });
          expect(openAvro(written, 'f', 'internal').metadata.get('k')).toBe('é');
          expect(read(written, type)).toEqual(rows);
        },
      ),
      { seed: 20_260_712, numRuns: 200 },
    );
  });

  it('splits many rows into blocks', () => {
    const rows = Array.from({ length: 20_000 }, (_, i) => ({ a: BigInt(i), 'b c': 'some text' }));
    const back = read(encodeAvro(type, rows, { name: 'r' }), type);
    expect(back.length).toBe(rows.length);
    expect(back.at(-1)!.a).toBe(19_999n);
  });

  it('refuses a null where the field is required', () => {
    expect(() => encodeAvro(type, [{ a: null }], { name: 'r' })).toThrow(
      /required field "a" is null/,
    );
  });
});

describe('Avro files of other writers', () => {
  it('are read with the snappy blocks of pyarrow, and damaged ones do not crash', () => {
    const raw = Buffer.from(
      '6AQIYWJj/gMA/gMASgMAGGljZWJlcmf+BwD+BwD+BwAdB/D/AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+P0BBQkNERUZHSElKS0xNTk9QUVJTVFVWV1hZWltcXV5fYGFiY2RlZmdoaWprbG1ub3BxcnN0dXZ3eHl6e3x9fn+AgYKDhIWGh4iJiouMjY6PkJGSk5SVlpeYmZqbnJ2en6ChoqOkpaanqKmqq6ytrq+wsbKztLW2t7i5uru8vb6/wMHCw8TFxsfIycrLzM3Oz9DR0tPU1dbX2Nna29zd3t/g4eLj5OXm5+jp6uvs7e7v8PHy8/T19vf4+fr7/P3+/w==',
      'base64',
    );
    const all = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
    const expected = Buffer.concat([Buffer.from('abc'.repeat(50) + 'iceberg'.repeat(30)), all]);
    expect(Buffer.from(snappyDecompress(raw, 1e6)).equals(expected)).toBe(true);
    expect(() => snappyDecompress(raw, 100)).toThrow(/claims/);
    for (let i = 0; i < raw.length; i++) {
      const broken = Buffer.from(raw);
      broken[i]! ^= 0x55;
      try {
        snappyDecompress(broken.subarray(0, raw.length - (i % 3)), 1e6);
      } catch (error) {
        expect((error as Error).message).toMatch(/damaged|claims/);
      }
    }
  });
});
