// @module-tag campaign
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';
import { MemoryDirectory } from '../../../../test/support/memory-directory.ts';
import { mergeInverted } from '../../../../test/support/merge-inverted.ts';
import { plainArena } from '../../../../test/support/plain-arena.ts';
import { simpleAnalyzer } from '../analysis/simple.ts';
import { NO_DEADLINE } from '../base/time/deadline.ts';
import { wordsOf } from '../bitmap/bitmap.ts';
import { NO_MORE_DOCS } from '../postings/cursors.ts';
import { docsAt, docWidthOf } from '../postings/list-terms.ts';
import type { ListTerm } from '../postings/term-info.ts';
import type { FieldBlock } from '../schema/field-block.ts';
import { Spill } from '../storage/spill.ts';
import { checkInverted } from './check.ts';
import { eachTermOf } from './document-terms.ts';
import { InvertedReader } from './inverted-reader.ts';
import { markAll } from './pattern/documents.ts';
import { FoundTerms } from './pattern/found-terms.ts';
import { InvertedWriter, POSITION_GAP } from './write/inverted-writer.ts';

const SEED = 20_261_121;
const text = { kind: 'text', analyzer: simpleAnalyzer } as const;
const encoder = new TextEncoder();

/** Values by document -> a field block. */
function blockOf(docs: readonly (readonly string[])[]): FieldBlock {
  const values = docs.flat().map((v) => encoder.encode(v));
  const starts = new Int32Array(docs.length + 1);
  docs.forEach((d, i) => {
    starts[i + 1] = starts[i] + d.length;
  });
  const offsets = new Int32Array(values.length + 1);
  values.forEach((v, i) => {
    offsets[i + 1] = offsets[i] + v.length;
  });
  return { kind: 'bytes', starts, offsets, bytes: Buffer.concat(values) };
}

function open(
  parts: readonly Uint8Array[],
  docs: number,
  kind: 'text' | 'keyword',
): InvertedReader {
  const bytes = Buffer.concat(parts);
  const region = plainArena(bytes.length + (1 << 21)).allocate(bytes.length);
  region.bytes.set(bytes);
  return InvertedReader.open(region, docs, kind);
}

function build(
  docs: readonly (readonly string[])[],
  plan: typeof text | { kind: 'keyword' } = text,
) {
  const writer = new InvertedWriter(plan);
  const half = docs.length >> 1;
  if (half > 0) writer.add(0, half, blockOf(docs.slice(0, half)));
  writer.add(half, docs.length - half, blockOf(docs.slice(half)));
  return open(writer.finish(docs.length), docs.length, plan.kind);
}

type Model = Map<string, Map<number, number[]>>;

/** Term -> document -> positions, by brute force. */
function model(docs: readonly (readonly string[])[]): { terms: Model; lengths: number[] } {
  const terms: Model = new Map();
  const lengths = docs.map((values, doc) => {
    let position = 0;
    let length = 0;
    values.forEach((value, v) => {
      if (v > 0) position += POSITION_GAP;
      for (const word of value.toLowerCase().match(/[\p{Alphabetic}\p{N}]+/gu) ?? []) {
        const places = terms.get(word) ?? new Map<number, number[]>();
        terms.set(word, places);
        const list = places.get(doc) ?? [];
        places.set(doc, list);
        list.push(position++);
        length++;
      }
    });
    return length;
  });
  return { terms, lengths };
}

function dump(reader: InvertedReader): Model {
  const terms: Model = new Map();
  const into = new Int32Array(100_000);
  for (const cursor = reader.terms(); cursor.next(); ) {
    const places = new Map<number, number[]>();
    const postings = reader.postings(cursor.info());
    for (let doc = postings.next(); doc !== NO_MORE_DOCS; doc = postings.next()) {
      places.set(doc, reader.text ? [...into.subarray(0, postings.positions(into))] : []);
    }
    terms.set(Buffer.from(cursor.bytes()).toString(), places);
  }
  return terms;
}

function expectEqual(reader: InvertedReader, docs: readonly (readonly string[])[]): void {
  const wanted = model(docs);
  expect(new Map([...dump(reader)].sort())).toEqual(new Map([...wanted.terms].sort()));
  expect(Array.from({ length: docs.length }, (_, d) => reader.lengthOf(d))).toEqual(wanted.lengths);
  checkInverted(reader);
}

const word = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('the', 'a', 'to', 'of') },
  { weight: 2, arbitrary: fc.constantFrom('fix', 'test', 'merge', 'naïve', '日本', 'ab', 'abc') },
  { weight: 1, arbitrary: fc.string({ minLength: 1, maxLength: 4 }) },
);
const value = fc.array(word, { maxLength: 12 }).map((w) => w.join(' '));
const documents = fc.array(fc.array(value, { maxLength: 2 }), { minLength: 1, maxLength: 40 });

describe('an inverted component', () => {
  it('gives back every posting, position and length', () => {
    fc.assert(
      fc.property(documents, (docs) => expectEqual(build(docs), docs)),
      { seed: SEED, numRuns: 300 },
    );
  });

  it('keeps dense, list and short terms, long documents and holes', () => {
    const docs = Array.from({ length: 6000 }, (_, d) => {
      const words = ['all', d % 3 ? 'most' : 'x', d % 30 === 0 ? 'list list' : '', `only${d}`];
      if (d === 77) words.push('deep '.repeat(5000));
      if (d === 78)
        words.push(...Array.from({ length: 3000 }, (_, i) => (i % 2 ? 'all' : `w${i % 9}`)));
      return d % 50 === 0 ? [words.join(' '), 'second all value'] : [words.join(' ')];
    });
    const reader = build(docs);
    expectEqual(reader, docs);
    const all = reader.lookup(encoder.encode('all'));
    expect(all?.df).toBe(6000);
    const bits = new Int32Array(wordsOf(6000));
    reader.fill(reader.lookup(encoder.encode('list')) as NonNullable<typeof all>, bits);
    for (let d = 0; d < 6000; d++)
      expect((bits[d >> 5] >>> (d & 31)) & 1).toBe(d % 30 === 0 ? 1 : 0);
  });

  it('writes wide offsets where a range holds much text', () => {
    const long = 'common word '.repeat(9000);
    const docs = Array.from({ length: 300 }, (_, d) => [d < 40 ? long : 'common']);
    expectEqual(build(docs), docs);
  });

  it('finds terms, and walks from any place', () => {
    fc.assert(
      fc.property(documents, fc.string({ maxLength: 5 }), (docs, from) => {
        const reader = build(docs);
        const sorted = [...model(docs).terms.keys()].sort((a, b) =>
          Buffer.compare(Buffer.from(a), Buffer.from(b)),
        );
        for (const term of sorted)
          expect(reader.lookup(encoder.encode(term))?.df).toBe(model(docs).terms.get(term)?.size);
        const bytes = encoder.encode(from);
        const seen: string[] = [];
        for (const cursor = reader.terms(bytes); cursor.next(); )
          seen.push(Buffer.from(cursor.bytes()).toString());
        expect(seen).toEqual(
          sorted.filter((t) => Buffer.compare(Buffer.from(t), Buffer.from(bytes)) >= 0),
        );
        expect(reader.lookup(encoder.encode(`${from}\u0000zz`))).toBeNull();
      }),
      { seed: SEED, numRuns: 150 },
    );
  });

  it('advances as a scan would', () => {
    const docs = Array.from({ length: 5000 }, (_, d) => [
      `${d % 2 ? 'odd' : ''} ${d % 40 === 7 ? 'list' : ''} ${d % 997 === 5 ? 'rare' : ''}`,
    ]);
    const reader = build(docs);
    for (const [term, match] of [
      ['odd', (d: number) => d % 2 === 1],
      ['list', (d: number) => d % 40 === 7],
      ['rare', (d: number) => d % 997 === 5],
    ] as const) {
      fc.assert(
        fc.property(fc.array(fc.integer({ min: 0, max: 900 }), { maxLength: 30 }), (steps) => {
          const postings = reader.postings(
            reader.lookup(encoder.encode(term)) as NonNullable<
              ReturnType<InvertedReader['lookup']>
            >,
          );
          let target = 0;
          for (const step of steps) {
            target += step;
            let want = target;
            while (want < 5000 && !match(want)) want++;
            expect(postings.advance(target)).toBe(want < 5000 ? want : NO_MORE_DOCS);
          }
        }),
        { seed: SEED, numRuns: 60 },
      );
    }
  });

  it('merges to what a rebuild gives, without dropped documents', () => {
    const many = fc.array(documents, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(many, fc.integer({ min: 1, max: 5 }), (parts, every) => {
        const kept: (readonly string[])[] = [];
        const inputs = parts.map((docs, p) => {
          const docMap = Int32Array.from(docs, (_, d) =>
            (d + p) % every === 0 && every > 1 ? -1 : kept.push(docs[d]) - 1,
          );
          return { reader: p === 1 && docs.length > 30 ? build(docs) : build(docs), docMap };
        });
        const merged = open(mergeInverted(inputs, kept.length), kept.length, 'text');
        expectEqual(merged, kept);
      }),
      { seed: SEED, numRuns: 150 },
    );
  });

  it.each([1, 300, 4096])(
    'merges to the same bytes if postings above %i are spilled',
    (fromBytes) => {
      const words = (doc: number) =>
        Array.from({ length: 40 }, (_, i) => `w${(doc * i * i + i) % (7 + 60 * (i % 9))}`);
      const parts = [0, 1, 2].map((part) =>
        Array.from({ length: 900 }, (_, i) => [words(1000 * part + i).join(' ')]),
      );
      const inputs = parts.map((docs, part) => ({
        reader: build(docs),
        docMap: Int32Array.from(docs, (_, doc) => part * 900 + doc),
      }));
      const directory = new MemoryDirectory();
      let spilled = 0;
      const open = (what: string) => {
        const spill = new Spill(directory, what);
        const { write } = spill;
        spill.write = (bytes) => {
          spilled++;
          write.call(spill, bytes);
        };
        return spill;
      };
      const merged = mergeInverted(inputs, 2700, { open, fromBytes });
      expect(Buffer.concat(merged)).toEqual(Buffer.concat(mergeInverted(inputs, 2700)));
      expect(spilled).toBeGreaterThan(2);
      expect(directory.list()).toEqual([]);
    },
  );

  it.each([239, 240, 241, 70_000])('takes %d keywords of one document', (count) => {
    const many = Array.from({ length: count }, (_, i) => `value ${i}`);
    const docs = [['value 1'], many, []];
    const reader = build(docs, { kind: 'keyword' });
    checkInverted(reader);
    const last = reader.lookup(encoder.encode(`value ${count - 1}`));
    expect(last?.df).toBe(1);
    expect(reader.lookup(encoder.encode('value 1'))?.df).toBe(2);
    const inputs = [{ reader, docMap: new Int32Array([-1, 0, 1]) }];
    const merged = open(mergeInverted(inputs, 2), 2, 'keyword');
    checkInverted(merged);
    expect(merged.lookup(encoder.encode(`value ${count - 1}`))?.df).toBe(1);
  });

  it('takes keywords whole, by document only', () => {
    const docs = [['a b', 'c'], [], ['a b', 'a b'], ['日本'.repeat(200)]];
    const reader = build(docs, { kind: 'keyword' });
    const seen = dump(reader);
    expect([...seen.keys()]).toEqual(['a b', 'c', '日本'.repeat(200)]);
    expect([...(seen.get('a b') as Map<number, number[]>).keys()]).toEqual([0, 2]);
    expect(reader.docsWithField).toBe(3);
    checkInverted(reader);
  });

  it('finds the terms of one document: short, list, dense and long ones', () => {
    const docs = Array.from({ length: 6000 }, (_, d) => [
      'dense',
      ...(d % 29 === 0 ? [`list${d % 58}`] : []),
      ...(d % 97 < 50 ? [`short${d % 97}`, `${'l'.repeat(300)}${d % 40}`] : []),
      `own${d}`,
    ]);
    const reader = build(docs, { kind: 'keyword' });
    const df = (term: string) => docs.filter((values) => values.includes(term)).length;
    for (const doc of [0, 1, 29, 58, 97, 5999]) {
      for (const prefix of ['', 's', 'short4', 'list', 'l', 'own59', 'zz', 'a']) {
        const wanted = docs[doc].filter((term) => term.startsWith(prefix)).sort();
        const found: [string, number][] = [];
        const request = { doc, prefix: encoder.encode(prefix), deadline: Infinity };
        const whole = eachTermOf(reader, request, (term, info) => {
          found.push([Buffer.from(term).toString(), info.df]);
        });
        expect(whole).toBe(true);
        expect(found).toEqual(wanted.map((term) => [term, df(term)]));
      }
    }
  });

  it('ends the search for the terms of a document at the deadline', () => {
    const reader = build([['a b c']]);
    const request = { doc: 0, prefix: new Uint8Array(0), deadline: -1 };
    expect(eachTermOf(reader, request, () => expect.fail('nothing is visited'))).toBe(false);
  });

  it('refuses or survives flipped bytes: no hang, no access outside', () => {
    const docs = Array.from({ length: 2000 }, (_, d) => [
      `all ${d % 20 ? '' : 'list'} w${d % 300}`,
    ]);
    const writer = new InvertedWriter(text);
    writer.add(0, docs.length, blockOf(docs));
    const bytes = Buffer.concat(writer.finish(docs.length));
    let state = SEED;
    for (let i = 0; i < byEffort(25, 300); i++) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      const flipped = Buffer.from(bytes);
      flipped[state % bytes.length] ^= 1 << (state >>> 29);
      try {
        checkInverted(open([flipped], docs.length, 'text'));
      } catch (error) {
        expect((error as { code?: string }).code).toMatch(/corrupt_index/);
      }
    }
  });

  it('blames the index for postings that lead out of it', () => {
    const docs = Array.from({ length: 6000 }, (_, d) => [d % 30 === 0 ? 'all list' : 'all']);
    const reader = build(docs);
    const { arena } = reader;
    const info = reader.lookup(encoder.encode('list'))!;
    const list = reader.big(info) as ListTerm;
    expect(list.blocks).toBe(2);
    for (let block = 0; block < list.blocks; block++) {
      const data = docsAt(arena, list, block) >> 2;
      arena.i32.fill(-1, data, data + 4 * docWidthOf(arena, list, block));
    }
    const size = wordsOf(docs.length);
    const near = new Int32Array(arena.memory.buffer, arena.allocate(4 * size).offset, size);
    const found = new FoundTerms();
    found.add(info.df, -1 - info.at);
    const damaged = expect.objectContaining({ code: 'corrupt_index' });
    expect(() => reader.fill(info, near)).toThrow(damaged);
    expect(() => markAll(reader, found, near, NO_DEADLINE)).toThrow(damaged);
  });
});
