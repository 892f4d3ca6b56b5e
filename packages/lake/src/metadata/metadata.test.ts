import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { metadataJson } from '../../test/metadata-json.ts';
import { encodeAvro } from '../avro/write-container.ts';
import { LakeError } from '../base/errors.ts';
import { createTableFiles } from '../base/files/table-files.ts';
import { formatJson, type JsonObject, type JsonValue, parseJson } from '../base/json.ts';
import { JsonNode } from '../base/json-node.ts';
import type { StructType, Value } from '../schema/type.ts';
import { readManifest } from './manifest.ts';
import { type ManifestFile, readManifestList } from './manifest-list.ts';
import { manifestEntrySchema, manifestListSchema } from './manifest-schema.ts';
import { metadataFromBytes } from './read-metadata.ts';
import { ancestryOf, parseTableMetadata, schemaById, snapshotOf } from './table-metadata.ts';

const FIELDS = [
  { id: 1, name: 'id', required: true, type: 'long' },
  { id: 2, name: 'day', required: false, type: 'date' },
];
const snapshot = (id: number, parent: number | null, more: JsonObject = {}): JsonObject => ({
  'snapshot-id': id,
  ...(parent === null ? {} : { 'parent-snapshot-id': parent }),
  'sequence-number': id,
  'timestamp-ms': id * 1000,
  'manifest-list': `/t/metadata/snap-${id}.avro`,
  summary: { operation: 'append' },
  'schema-id': 0,
  ...more,
});
const v2 = (over: JsonObject = {}): JsonObject =>
  metadataJson({
    'table-uuid': 'u',
    location: '/t',
    'last-sequence-number': 3,
    'last-updated-ms': 3000,
    'last-column-id': 2,
    schemas: [{ type: 'struct', 'schema-id': 0, fields: FIELDS }],
    'current-snapshot-id': 3,
    snapshots: [snapshot(1, null), snapshot(2, 1), snapshot(3, 2)],
    refs: {
      main: { 'snapshot-id': 3, type: 'branch' },
      v1: { 'snapshot-id': 1, type: 'tag', 'max-ref-age-ms': 5 },
    },
    ...over,
  });
const parse = (json: JsonValue) =>
  parseTableMetadata(new JsonNode(parseJson(formatJson(json)), '', 'm.json'));

describe('table metadata', () => {
  it('of v1 with its old single fields', () => {
    const { schemas: _s, 'partition-specs': _p, refs: _r, ...rest } = v2();
    const old = {
      ...rest,
      'format-version': 1,
      'current-schema-id': undefined,
      'table-uuid': undefined,
      schema: { type: 'struct', fields: FIELDS },
      'partition-spec': [{ name: 'd', transform: 'day', 'source-id': 2 }],
      'current-snapshot-id': 9,
      snapshots: [
        {
          'snapshot-id': 9,
          'timestamp-ms': 1,
          manifests: ['/t/metadata/m.avro'],
          'parent-snapshot-id': 8,
        },
      ],
    };
    const metadata = parse(JSON.parse(JSON.stringify(old)) as JsonObject);
    expect(metadata).toMatchObject({ formatVersion: 1, uuid: '', nextRowId: null });
    expect(metadata.specs[0]!.fields[0]).toMatchObject({
      fieldId: 1000,
      transform: { kind: 'day' },
    });
    expect(metadata.refs).toEqual([{ name: 'main', kind: 'branch', snapshotId: 9n }]);
    expect(ancestryOf(metadata, 9n).map((s) => s.id)).toEqual([9n]);
    expect(snapshotOf(metadata, 9n)).toMatchObject({
      manifests: ['/t/metadata/m.avro'],
      sequenceNumber: 0n,
    });
  });

  it('keeps what it does not know, and takes -1 and null for no snapshot', () => {
    const metadata = parse(v2({ future: { x: [1n << 62n] } }));
    expect(formatJson(metadata.raw.future!)).toBe('{"x":[4611686018427387904]}');
    for (const none of [-1, null]) {
      const empty = parse(v2({ 'current-snapshot-id': none, snapshots: [], refs: {} }));
      expect(empty.currentSnapshotId).toBeNull();
      expect(empty.refs).toEqual([]);
    }
  });

  it('reads how long branches and tags are kept', () => {
    const branch = { type: 'branch', 'snapshot-id': 3n, 'min-snapshots-to-keep': 7 };
    const refs = {
      main: { ...branch, 'max-snapshot-age-ms': 1000, 'max-ref-age-ms': 9223372036854775807n },
      old: { type: 'tag', 'snapshot-id': 1n },
    };
    const retention = { minSnapshots: 7, maxSnapshotAgeMs: 1000, maxRefAgeMs: 2 ** 63 };
    expect(parse(v2({ refs })).refs).toEqual([
      { name: 'main', kind: 'branch', snapshotId: 3n, retention },
      { name: 'old', kind: 'tag', snapshotId: 1n },
    ]);
  });

  it('answers questions about snapshots and schemas, or says what there is', () => {
    const metadata = parse(v2());
    expect(ancestryOf(metadata, 3n).map((s) => s.id)).toEqual([3n, 2n, 1n]);
    expect(() => snapshotOf(metadata, 7n)).toThrow(
      expect.objectContaining({
        reason: 'snapshot_not_found',
        message: expect.stringContaining('1, 2, 3'),
      }),
    );
    expect(schemaById(metadata, null)).toBe(metadata.schema);
    expect(() => schemaById(metadata, 5)).toThrow(/schema 5 is not in "m.json"; known are 0/);
  });

  it('reads tables with unknown transforms', () => {
    const spec = { name: 'z', transform: 'zorder[4]', 'source-ids': [1, 2], 'field-id': 1000 };
    const over = { 'partition-specs': [{ 'spec-id': 0, fields: [spec] }] };
    const metadata = parse(v2({ ...over, 'format-version': 3, 'next-row-id': 12 }));
    expect(metadata.nextRowId).toBe(12n);
    expect(metadata.specs[0]!.fields[0]).toMatchObject({
      sourceIds: [1, 2],
      transform: { kind: 'unknown' },
    });
    expect(parse(v2(over)).specs[0]!.fields[0]!.transform).toMatchObject({ text: 'zorder[4]' });
  });

  const cyclic = [snapshot(1, 3), snapshot(2, 1), snapshot(3, 2)];
  it.each([
    ['a longer cycle', { snapshots: cyclic }, /its own ancestor/],
    ['a doubled snapshot', { snapshots: [snapshot(3, null), snapshot(3, null)] }, /occurs twice/],
    ['a lost ref', { refs: { b: { 'snapshot-id': 8, type: 'branch' } } }, /"b" names snapshot 8/],
    ['a strange ref', { refs: { b: { 'snapshot-id': 1, type: 'leaf' } } }, /the type "leaf"/],
    [
      'a main elsewhere',
      { refs: { main: { 'snapshot-id': 1, type: 'branch' } } },
      /"main" is at 1/,
    ],
    ['no specs', { 'partition-specs': [] }, /no partition spec/],
    ['a lost default spec', { 'default-spec-id': 4 }, /names no partition spec/],
    [
      'no manifest list',
      { snapshots: [snapshot(3, null, { 'manifest-list': null })], refs: {} },
      /no manifest-list/,
    ],
    ['an id beyond 64 bits', { 'current-snapshot-id': 2n ** 64n }, /64-bit integer/],
    ['a location of numbers', { location: 5 }, /"location" is 5, expected a string/],
  ] as readonly (readonly [string, JsonObject, RegExp])[])('refuses %s', (_what, over, words) => {
    expect(() => parse(v2(over))).toThrow(
      expect.objectContaining({
        reason: 'metadata_invalid',
        message: expect.stringMatching(words),
      }),
    );
  });

  it('ends in a LakeError whatever is changed in it, never in a crash', async () => {
    const text = formatJson(v2());
    const keys = Object.keys(v2());
    await fc.assert(
      fc.asyncProperty(fc.nat(text.length), fc.nat(8), fc.string(), async (at, cut, put) => {
        const broken = text.slice(0, at) + put + text.slice(at + cut);
        const outcome = await metadataFromBytes(Buffer.from(broken), 'f').catch((e: Error) => e);
        if (outcome instanceof Error) expect(outcome).toBeInstanceOf(LakeError);
      }),
      { seed: 20_260_714, numRuns: 500 },
    );
    fc.assert(
      fc.property(fc.constantFrom(...keys), fc.jsonValue({ maxDepth: 2 }), (key, value) => {
        try {
          parse(v2({ [key]: value as JsonValue }));
        } catch (error) {
          expect(error).toBeInstanceOf(LakeError);
        }
      }),
      { seed: 20_260_715, numRuns: 500 },
    );
  });
});

describe('manifests', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lake-manifest-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const NO_FILE = Object.fromEntries(
    [
      ...['value_counts', 'null_value_counts', 'nan_value_counts', 'lower_bounds', 'upper_bounds'],
      ...['key_metadata', 'equality_ids', 'first_row_id', 'referenced_data_file'],
      ...['content_offset', 'content_size_in_bytes'],
    ].map((key) => [key, null]),
  );
  const file = (path: string, over: Record<string, Value> = {}): Record<string, Value> => ({
    ...NO_FILE,
    content: 0,
    file_path: path,
    file_format: 'PARQUET',
    partition: {},
    record_count: 10n,
    file_size_in_bytes: 100n,
    ...over,
  });
  const entry = (status: number, sequence: bigint | null, data: Record<string, Value>) => ({
    status,
    snapshot_id: null,
    sequence_number: sequence,
    file_sequence_number: sequence,
    data_file: data,
  });
  const NO_PARTITION: StructType = { kind: 'struct', fields: [] };
  const manifestFile = (over: Partial<ManifestFile> = {}): ManifestFile => ({
    path: '/t/metadata/m.avro',
    length: 1,
    specId: 0,
    content: 'data',
    sequence: 7n,
    minSequence: 1n,
    addedSnapshotId: 3n,
    firstRowId: null,
    addedFiles: null,
    existingFiles: null,
    deletedFiles: null,
    raw: {},
    ...over,
  });
  const read = async (
    rows: readonly Record<string, Value>[],
    over: Partial<ManifestFile> = {},
    options: { partition?: StructType; metadata?: JsonObject } = {},
  ) => {
    const partition = options.partition ?? NO_PARTITION;
    const struct = manifestEntrySchema(partition, 3, { reading: false, details: false });
    await writeFile(join(folder, 'm.avro'), encodeAvro(struct, rows, { name: 'manifest_entry' }));
    const files = createTableFiles({ location: '/t/metadata', root: folder });
    return readManifest(manifestFile(over), parse(options.metadata ?? v2()), files);
  };

  it('inherit sequence numbers and snapshot ids for added entries only', async () => {
    const [added, kept, gone] = await read([
      entry(1, null, file('/t/a')),
      entry(0, 2n, file('/t/b')),
      entry(2, 1n, file('/t/c')),
    ]);
    expect(added).toMatchObject({
      status: 'added',
      dataSequence: 7n,
      fileSequence: 7n,
      snapshotId: 3n,
    });
    expect(kept).toMatchObject({ status: 'existing', dataSequence: 2n });
    expect(gone).toMatchObject({ status: 'deleted', dataSequence: 1n });
    await expect(read([entry(0, null, file('/t/b'))])).rejects.toThrow(
      /existing without a sequence number/,
    );
    const [old] = await read([entry(0, null, file('/t/b'))], { sequence: 0n });
    expect(old).toMatchObject({ dataSequence: 0n });
  });

  it('number rows from the manifest on, past files with row ids and deleted ones', async () => {
    const rows = [
      entry(1, null, file('/t/a')),
      entry(2, 1n, file('/t/b')),
      entry(0, 1n, file('/t/c', { first_row_id: 5n })),
      entry(1, null, file('/t/d')),
    ];
    const ids = (await read(rows, { firstRowId: 100n })).map((e) =>
      e.content === 'data' ? e.file.firstRowId : undefined,
    );
    expect([ids[0], ids[2], ids[3]]).toEqual([100n, 5n, 110n]);
    const before = await read(rows);
    expect(before.map((e) => e.content === 'data' && e.file.firstRowId)).toEqual([
      null,
      null,
      5n,
      null,
    ]);
  });

  it('read partition tuples of unknown transforms with the types of the file', async () => {
    const spec = { name: 'z', transform: 'zorder[4]', 'source-ids': [1, 2], 'field-id': 1000 };
    const metadata = v2({
      'format-version': 3,
      'partition-specs': [{ 'spec-id': 0, fields: [spec] }],
    });
    const partition: StructType = {
      kind: 'struct',
      fields: [{ id: 1000, name: 'z', required: false, type: { kind: 'binary' } }],
    };
    const z = new Uint8Array([1, 2]);
    const [first] = await read(
      [entry(1, null, file('/t/a', { partition: { z } }))],
      {},
      { partition, metadata },
    );
    expect(first!.file.partition).toEqual([z]);
  });

  it.each([
    ['an unknown status', entry(5, 1n, file('/t/a')), {}, 'manifest_invalid', /status 5/],
    [
      'an unknown format',
      entry(1, null, file('/t/a', { file_format: 'LANCE' })),
      {},
      'unsupported',
      /"lance"/,
    ],
    [
      'a negative count',
      entry(1, null, file('/t/a', { record_count: -1n })),
      {},
      'manifest_invalid',
      /record count -1/,
    ],
    [
      'encryption',
      entry(1, null, file('/t/a', { key_metadata: new Uint8Array(1) })),
      {},
      'unsupported',
      /encrypted/,
    ],
    [
      'deletes among data',
      entry(1, null, file('/t/a', { content: 1 })),
      {},
      'manifest_invalid',
      /does not belong/,
    ],
    [
      'an unknown content',
      entry(1, null, file('/t/a', { content: 9 })),
      { content: 'deletes' },
      'manifest_invalid',
      /content 9/,
    ],
    [
      'a vector of nothing',
      entry(1, null, file('/t/a', { content: 1, file_format: 'PUFFIN' })),
      { content: 'deletes' },
      'manifest_invalid',
      /referenced_data_file/,
    ],
    [
      'an equality delete of no columns',
      entry(1, null, file('/t/a', { content: 2 })),
      { content: 'deletes' },
      'manifest_invalid',
      /equality_ids/,
    ],
    ['an unknown spec', entry(1, null, file('/t/a')), { specId: 4 }, 'metadata_invalid', /spec 4/],
  ] as const)('refuse %s', async (_what, row, over, code, words) => {
    await expect(read([row], over)).rejects.toMatchObject({
      reason: code,
      message: expect.stringMatching(words),
    });
  });

  it('lists: refuse encryption and unknown contents, take inline manifests of v1', async () => {
    const files = createTableFiles({ location: '/t/metadata', root: folder });
    const row = {
      ...Object.fromEntries(manifestListSchema(3, false).fields.map((f) => [f.name, null])),
      manifest_path: '/t/metadata/m.avro',
      manifest_length: 1n,
      partition_spec_id: 0,
      ...{ content: 0, sequence_number: 1n, min_sequence_number: 1n, added_snapshot_id: 1n },
      ...{ added_files_count: 1, existing_files_count: 0, deleted_files_count: 0 },
      ...{ added_rows_count: 1n, existing_rows_count: 0n, deleted_rows_count: 0n },
    };
    const list = async (over: Record<string, Value>) => {
      const bytes = encodeAvro(manifestListSchema(3, false), [{ ...row, ...over }], {
        name: 'manifest_file',
      });
      await writeFile(join(folder, 'snap-1.avro'), bytes);
      return readManifestList(snapshotOf(parse(v2()), 1n), files);
    };
    expect((await list({}))[0]).toMatchObject({
      path: '/t/metadata/m.avro',
      sequence: 1n,
      firstRowId: null,
    });
    await expect(list({ content: 4 })).rejects.toThrow(/content 4/);
    await expect(list({ key_metadata: new Uint8Array(2) })).rejects.toThrow(/encrypted/);
    const keyed = { ...snapshotOf(parse(v2()), 1n), keyId: 'k' };
    await expect(readManifestList(keyed, files)).rejects.toHaveProperty('code', 'unsupported');
    const inline = { ...keyed, keyId: null, manifestList: null, manifests: ['/t/metadata/m.avro'] };
    expect(await readManifestList(inline, files)).toMatchObject([
      { specId: null, content: 'data' },
    ]);
  });
});
