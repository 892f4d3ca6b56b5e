import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LhsError } from '@lakehouse-search/contract';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkIndex } from '../../../../test/support/check-index.ts';
import { MemoryDirectory } from '../../../../test/support/memory-directory.ts';
import { plainArena } from '../../../../test/support/plain-arena.ts';
import { doubleFromOrdered, orderedFromDouble } from '../base/arrays/ordered-double.ts';
import { wordsOf } from '../bitmap/bitmap.ts';
import { decodeKey } from '../schema/keys/key.ts';
import { formatIp } from '../schema/values/ip-value.ts';
import type { SegmentReader } from '../segment/segment-reader.ts';
import { openLocalDirectory } from '../storage/local-directory.ts';
import type { CommittedField } from './commits/commit.ts';
import { type IndexSnapshot, openSnapshot } from './index-snapshot.ts';

/** What scripts/golden.ts wrote beside each golden index. */
interface Answer {
  readonly count: number;
  readonly digest: string;
}
interface Expected {
  readonly docs: number;
  readonly deleted: number;
  readonly segments: number;
  readonly snapshot: string;
  readonly sample: readonly Record<string, unknown>[];
  readonly digest: string;
  readonly terms: readonly (Answer & { readonly field: string; readonly term: string })[];
  readonly ranges: readonly (Answer & {
    readonly field: string;
    readonly lo: number;
    readonly hi: number;
  })[];
}

const fixtures = fileURLToPath(new URL('../../../../fixtures/', import.meta.url));
const versions = readdirSync(fixtures).filter((name) => name.startsWith('golden-v'));
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lhs-golden-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const text = (bytes: unknown): string => Buffer.from(bytes as Uint8Array).toString();
const sha256 = (data: string): string => createHash('sha256').update(data).digest('hex');

/** A document as expected.json tells it. */
function told(segment: SegmentReader, doc: number): Record<string, unknown> {
  const longs = (field: number): number[] => {
    const column = segment.numeric(field)!;
    return Array.from({ length: column.count(doc) }, (_, i) => Number(column.valueAt(doc, i)));
  };
  const strings = (field: number): Uint8Array[] => {
    const column = segment.ordinals(field)!;
    return Array.from({ length: column.count(doc) }, (_, i) => column.valueAt(doc, i));
  };
  const stored = segment.stored(doc);
  const [host] = strings(8);
  const [resolved] = longs(7);
  expect((stored.get(3) ?? []).map(text)).toEqual(strings(3).map(text));
  expect((stored.get(9) ?? []).map(Number)).toEqual(longs(9));
  return {
    key: decodeKey(segment.keys.key(doc)),
    file: segment.locators.file(doc),
    position: segment.locators.position(doc),
    hash: String(segment.hash(doc)),
    title: text(stored.get(1)?.[0]),
    service: text(strings(2)[0]),
    tags: strings(3).map(text),
    minutes: longs(4)[0] ?? null,
    cost: longs(5)[0] ?? null,
    opened: String(segment.numeric(6)!.valueAt(doc, 0)),
    resolved: resolved === undefined ? null : resolved === 1,
    host: host === undefined ? null : formatIp(host),
    codes: longs(9),
  };
}

function everyDocument(snapshot: IndexSnapshot): Record<string, unknown>[] {
  const documents = snapshot.segments.flatMap((segment) =>
    Array.from({ length: segment.docs }, (_, doc) => doc)
      .filter((doc) => !segment.isDeleted(doc))
      .map((doc) => told(segment, doc)),
  );
  const key = (document: Record<string, unknown>) => (document.key as string[]).join('/');
  return documents.sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** Live documents that `fill` marks: how many, and a digest of their keys. */
function answer(
  snapshot: IndexSnapshot,
  fill: (segment: SegmentReader, bits: Int32Array) => void,
): Answer {
  const keys: string[] = [];
  for (const segment of snapshot.segments) {
    const bits = new Int32Array(wordsOf(segment.docs));
    fill(segment, bits);
    for (let doc = 0; doc < segment.docs; doc++) {
      if (segment.isDeleted(doc) || ((bits[doc >> 5] >>> (doc & 31)) & 1) === 0) continue;
      keys.push(decodeKey(segment.keys.key(doc)).join('/'));
    }
  }
  return { count: keys.length, digest: sha256(keys.sort().join('\n')) };
}

const idOf = (fields: readonly CommittedField[], name: string): number =>
  fields.find((field) => field.name === name)!.id;

describe.each(versions)('golden index %s', (version) => {
  const expected = JSON.parse(
    readFileSync(join(fixtures, version, 'expected.json'), 'utf8'),
  ) as Expected;
  let snapshot: IndexSnapshot;
  beforeEach(() => {
    cpSync(join(fixtures, version, 'index'), folder, { recursive: true });
    snapshot = openSnapshot(openLocalDirectory(folder));
  });
  afterEach(() => snapshot.release());

  test('opens whole, with every document as it was written', () => {
    expect(checkIndex(snapshot)).toEqual([]);
    expect(snapshot.checkpoint?.snapshot_id).toBe(expected.snapshot);
    expect(snapshot.segments.length).toBe(expected.segments);
    expect([snapshot.liveDocs, snapshot.deletedDocs]).toEqual([expected.docs, expected.deleted]);
    const documents = everyDocument(snapshot);
    expect(documents.filter((_, i) => i % 37 === 0)).toEqual(expected.sample);
    expect(sha256(JSON.stringify(documents))).toBe(expected.digest);
  });

  test('answers terms and ranges as it did', () => {
    const { fields } = snapshot.commit;
    for (const { field, term, ...wanted } of expected.terms) {
      const found = answer(snapshot, (segment, bits) => {
        const inverted = segment.inverted(idOf(fields, field))!;
        const info = inverted.lookup(Buffer.from(term));
        if (info !== null) inverted.fill(info, bits);
      });
      expect(found, `${field}:${term}`).toEqual(wanted);
    }
    for (const { field, lo, hi, ...wanted } of expected.ranges) {
      const found = answer(snapshot, (segment, bits) => {
        const column = segment.numeric(idOf(fields, field))!;
        const bound = (n: number) => (column.double ? orderedFromDouble(n) : BigInt(n));
        column.fillRange(bound(lo), bound(hi), bits);
      });
      expect(found, `${field}: ${lo} to ${hi}`).toEqual(wanted);
      expect(doubleFromOrdered(orderedFromDouble(lo))).toBe(lo);
    }
  });
});

describe('golden indexes', () => {
  test.each(versions)('%s: detect a flipped bit of any file at its first use', (version) => {
    const source = join(fixtures, version, 'index');
    const names = readdirSync(source);
    const files = new Map(names.map((name) => [name, readFileSync(join(source, name))]));
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.nat(), fc.nat(7), (name, at, bit) => {
        const bytes = Buffer.from(files.get(name)!);
        bytes[at % bytes.length] ^= 1 << bit;
        const damaged = new MemoryDirectory(arena, new Map([...files, [name, bytes]]));
        expect(
          errorOf(() => useAll(damaged)),
          `${name}, byte ${at % bytes.length}`,
        ).toMatch(/corrupt_index|unsupported/);
      }),
      { seed: 20_260_309, numRuns: 300 },
    );
    expect(errorOf(() => useAll(new MemoryDirectory(arena, files)))).toBe('none');
  });

  const arena = plainArena();

  /** Opens a commit and every structure of it. */
  function useAll(directory: MemoryDirectory): void {
    const snapshot = openSnapshot(directory);
    try {
      snapshot.files.all();
      for (const segment of snapshot.segments) {
        segment.stored(0);
        for (const { kind, field } of segment.entry.components) {
          if (kind === 'core' || kind === 'keys') segment.keys.find(new Uint8Array(1));
          if (kind === 'hashes') segment.hash(0);
          if (kind === 'locators') segment.locators.file(0);
          if (kind === 'text' || kind === 'keyword') segment.inverted(field);
          if (kind === 'numeric') segment.numeric(field);
          if (kind === 'ordinal') segment.ordinals(field);
        }
      }
    } finally {
      snapshot.release();
    }
  }

  function errorOf(call: () => void): string {
    try {
      call();
      return 'none';
    } catch (error) {
      return error instanceof LhsError ? error.code : String(error);
    }
  }

  test('exist', () => {
    for (const version of ['golden-v1', 'golden-v2', 'golden-v2-shards', 'golden-v3']) {
      expect(versions).toContain(version);
    }
  });
});
