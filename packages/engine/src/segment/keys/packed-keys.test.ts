import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MemoryDirectory } from '../../../../../test/support/memory-directory.ts';
import { plainArena } from '../../../../../test/support/plain-arena.ts';
import { hashBytes } from '../../base/bytes/hash-bytes.ts';
import { runSteps } from '../../base/steps.ts';
import { encodeKey } from '../../schema/keys/key.ts';
import { openFramed, writeFramed } from '../../storage/frame.ts';
import { collectKeys, type VisitKey } from './key-order.ts';
import { packingKeys } from './key-rows.ts';
import { encodingFlatKeys, encodingKeys, KeysWriter } from './keys-writer.ts';
import { PackedKeys } from './packed-keys.ts';

const seed = 20_261_122;
const arena = plainArena();

/** A component over these keys, on disk and open again, and its bytes. */
function open(keys: readonly Uint8Array[]): { readonly keys: PackedKeys; readonly bytes: number } {
  const writer = new KeysWriter();
  for (const key of keys) writer.add(key, 0, key.length);
  const directory = new MemoryDirectory(arena);
  const { length } = writeFramed(directory, 'k', 'keys', runSteps(writer.finishing()));
  return { keys: PackedKeys.open(openFramed(directory, 'k', 'keys').payload, 'k'), bytes: length };
}

const hex = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length });
/** Texts of one key column: every encoding, and texts that almost have one. */
const column: fc.Arbitrary<fc.Arbitrary<string>> = fc.constantFrom(
  hex(8),
  hex(40),
  fc.uuid(),
  fc.integer({ min: -500, max: 70_000 }).map(String),
  fc.integer({ min: -(10 ** 14), max: 10 ** 14 }).map(String),
  fc.constantFrom('git', 'Perl', 'curl', ''),
  fc.constant('one'),
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.oneof({ weight: 20, arbitrary: hex(8) }, { weight: 1, arbitrary: hex(6) }),
  fc.oneof(fc.uuid(), fc.constant('00112233-4455-6677-8899-AABBCCDDEEFF')),
  fc.oneof(fc.nat(99).map(String), fc.constantFrom('007', '-0', '1e3', '1234567890123456')),
);
/** Keys of one to three columns, or any bytes at all. */
const keys: fc.Arbitrary<Uint8Array[]> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.array(column, { minLength: 1, maxLength: 3 }).chain((columns) =>
      fc.subarray(columns.map((_, i) => i)).chain((numbers) =>
        fc.array(
          fc.tuple(...columns).map((texts) => encodeKey(texts, numbers)),
          { minLength: 1, maxLength: 80 },
        ),
      ),
    ),
  },
  { weight: 1, arbitrary: fc.array(fc.uint8Array({ max: 2, maxLength: 6 }), { maxLength: 60 }) },
);

const sha = (i: number): string => createHash('sha1').update(String(i)).digest('hex');
const uuid = (i: number): string =>
  sha(i).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');

const text = (key: Uint8Array): string => Buffer.from(key).toString('latin1');

describe('packed keys', () => {
  test('give every key back, in any order and one by one', () => {
    fc.assert(
      fc.property(keys, fc.array(fc.nat(79)), (list, docs) => {
        const { keys } = open(list);
        const walked: string[] = [];
        keys.forEach((bytes, length) => {
          walked.push(text(bytes.subarray(0, length)));
        });
        expect(walked).toEqual(list.map(text));
        for (const doc of docs) if (doc < list.length) expect(keys.key(doc)).toEqual(list[doc]);
      }),
      { seed, numRuns: 500 },
    );
  });

  test('find exactly the documents that have a key and are not hidden', () => {
    fc.assert(
      fc.property(keys, keys, fc.array(fc.nat(79)), (list, others, dead) => {
        const { keys } = open(list);
        const deleted = new Int32Array(8);
        for (const doc of dead) deleted[doc >> 5] |= 1 << (doc & 31);
        keys.hide(deleted);
        for (const key of [...list, ...others]) {
          const same = list.flatMap((own, doc) => (text(own) === text(key) ? [doc] : []));
          const live = same.filter((doc) => !dead.includes(doc));
          expect(keys.findAll(key)).toEqual(live);
          expect(keys.find(key)).toBe(live[0] ?? -1);
          const inside = Uint8Array.of(7, ...key, 0);
          const hash = hashBytes(key, 0, key.length);
          expect(keys.findHashed(hash, inside, 1, 1 + key.length)).toBe(live[0] ?? -1);
          if (same.length > 0) expect(keys.mayHave(hash)).toBe(true);
          for (let doc = 0; doc < list.length; doc += 3) {
            expect(keys.isKey(doc, inside, 1, 1 + key.length)).toBe(same.includes(doc));
          }
        }
      }),
      { seed, numRuns: 200 },
    );
  });

  test.each([
    ['hexadecimal texts', (i: number) => sha(i), (i: number) => `tag-${i}`, 20],
    ['UUIDs', (i: number) => uuid(i), (i: number) => uuid(i).toUpperCase(), 16],
    ['integers', (i: number) => String(i * 7 - 9000), (i: number) => `n${i}`, 3],
  ])('keep the short form of %s beside a few others', (_, usual, other, width) => {
    const texts = Array.from({ length: 5000 }, (_, i) => (i % 53 === 5 ? other(i) : usual(i)));
    const list = texts.map((text) => encodeKey([text]));
    const { keys, bytes } = open(list);
    const { bytes: plain } = open(texts.map((_, i) => encodeKey([usual(i)])));
    // of each exception: its document, an offset and its text
    expect(bytes - plain).toBeLessThan(95 * (8 + 37) + 64);
    expect(plain).toBeLessThan(5000 * (width + 9) + 500);
    list.forEach((key, doc) => {
      expect(keys.find(key)).toBe(doc);
      expect(keys.key(doc)).toEqual(key);
    });
    for (const i of [5, 58, 4, 4999]) {
      expect(keys.find(encodeKey([`${texts[i]}x`]))).toBe(-1);
      expect(keys.find(encodeKey([i % 53 === 5 ? usual(i) : other(i)]))).toBe(-1);
    }
    expect(keys.find(encodeKey(['0'.repeat(2 * width)]))).toBe(-1);
  });

  test('rank in byte order, equal keys in document order, stored or not', () => {
    fc.assert(
      fc.property(keys, fc.boolean(), (list, sorted) => {
        const own = sorted ? list.toSorted(Buffer.compare) : list;
        const { keys } = open(own);
        const order = own.map((_, doc) => doc);
        order.sort((a, b) => Buffer.compare(own[a], own[b]) || a - b);
        const ranks = own.map((_, doc) => order.indexOf(doc));
        const inOrder = ranks.every((rank, doc) => rank === doc);
        expect(keys.ranks === null ? null : [...keys.ranks]).toEqual(inOrder ? null : ranks);
        expect(own.map((_, doc) => keys.rank(doc))).toEqual(ranks);
      }),
      { seed, numRuns: 200 },
    );
  });

  test('have the same bytes when they are packed while they are walked', () => {
    let packed = 0;
    fc.assert(
      fc.property(keys, fc.nat(80), (list, cut) => {
        const walkOf = (own: readonly Uint8Array[]) => (visit: VisitKey) => {
          for (const key of own) visit(Uint8Array.of(7, ...key, 0), 1, 1 + key.length);
        };
        const walks = [walkOf(list.slice(0, cut)), walkOf(list.slice(cut))];
        const flat = () => collectKeys({ docs: list.length, walks });
        const source = { docs: list.length, walks, flat };
        const bytes = Buffer.concat(runSteps(encodingKeys(source, 0)));
        expect(bytes.equals(Buffer.concat(runSteps(encodingFlatKeys(flat()))))).toBe(true);
        if (runSteps(packingKeys(source, 8)) !== null) packed++;
      }),
      { seed, numRuns: 200 },
    );
    expect(packed).toBeGreaterThan(20);
  });

  test('of numbers in sorting form are packed, and their rows rank them by value', () => {
    const values = Array.from({ length: 3000 }, (_, i) => ((i * 7919) % 3000) - 1000);
    const { keys, bytes } = open(values.map((value) => encodeKey([String(value)], [0])));
    const sorted = values.toSorted((a, b) => a - b);
    expect(values.map((_, doc) => keys.rank(doc))).toEqual(values.map((v) => sorted.indexOf(v)));
    expect((bytes - 400) / values.length).toBeLessThan(2 + 4 + 3 + 0.6);
    const walk = (visit: VisitKey) => {
      for (const value of values) {
        const key = encodeKey([String(value)], [0]);
        visit(key, 0, key.length);
      }
    };
    const source = { docs: values.length, walks: [walk] };
    const packed = runSteps(packingKeys({ ...source, flat: () => collectKeys(source) }, 8));
    expect(packed?.heads).toMatchObject([{ encoding: 'number', width: 2, base: -1000 }]);
  });

  test('of many documents are found in blocks beyond 65,536', () => {
    const count = 16 * 2 ** 16 + 40;
    const list = Array.from({ length: count }, (_, i) => Buffer.from(String(i * 3)));
    const { keys, bytes } = open(list);
    for (const doc of [0, 1, 16, 65_535, 999_999, count - 41, count - 40, count - 1]) {
      expect(keys.find(list[doc])).toBe(doc);
    }
    expect(keys.find(Buffer.from('1'))).toBe(-1);
    expect(keys.find(Buffer.from(String(count * 3)))).toBe(-1);
    expect(bytes / count).toBeLessThan(3 + 4 + 1 + 2 + 1 + 0.6);
  });

  test.each([
    ['a repository and a hexadecimal hash', ['git', 'deadbeef'.repeat(5)], 1 + 20],
    ['a UUID', ['00112233-4455-6677-8899-aabbccddeeff'], 16],
    ['an integer as text', ['123456'], 2],
  ])('take few bytes for %s', (_, [...parts], width) => {
    const last = parts.at(-1)!;
    const tenants = ['git', 'curl', 'vim'];
    const list = Array.from({ length: 5000 }, (_, i) => {
      const digits = String((i * 7919) % 5000).padStart(4, '0');
      const own = `${last.slice(0, -4)}${digits}`;
      return encodeKey(parts.length === 1 ? [own] : [tenants[i % 3], own]);
    });
    const { keys, bytes } = open(list);
    expect(keys.find(list[4711])).toBe(4711);
    const perDoc = (bytes - 400) / list.length;
    expect(perDoc).toBeGreaterThan(width + 4 + 3);
    expect(perDoc).toBeLessThan(width + 4 + 3 + 0.6);
  });
});
