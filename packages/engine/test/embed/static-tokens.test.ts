import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { fixVectors } from '../../src/base/fixed-vector.ts';
import { textsOf } from '../../src/embed/embedder.ts';
import { modelFolder, openEmbedder } from '../../src/embed/open-embedder.ts';
import { embedKernels } from '../../src/embed/static/kernels.ts';
import { readVocabulary } from '../../src/embed/static/vocabulary.ts';
import { type PieceSink, WordPieces } from '../../src/embed/static/word-pieces.ts';
import { mapFile } from '../../src/storage/arena.ts';
import { idsOfWord, readReference, vectorOf, wordsOf } from './static-reference.ts';

const LONG = process.env.LHS_TEST_LONG !== undefined;
const RUNS = LONG ? 300_000 : 3000;
const seed = Number(process.env.LHS_SEED ?? Date.now() % 2 ** 31);
console.log(`static-tokens: LHS_SEED=${seed}`);

const folder = modelFolder('default');
const reference = readReference(folder);
const known = [...reference.vocabulary.keys()];
const region = mapFile(`${folder}/vocab.txt`);
const text = readFileSync(`${folder}/vocab.txt`);
const file = { path: 'vocab.txt', text };
const kernels = embedKernels(region.arena);
const compiled = readVocabulary(file, known.length - 1, region.arena, kernels);
afterAll(() => {
  for (const { release } of [compiled.region, region]) release();
});

class Ids implements PieceSink {
  readonly ids = new Int32Array(5);
  count = 0;
  all: number[] = [];
  flush(): void {
    this.all.push(...this.ids.subarray(0, this.count));
    this.count = 0;
  }
}
const sink = new Ids();
const rules = { unknownId: 100, maxWordChars: 100 };
const pieces = new WordPieces(compiled, rules, sink);

function idsOf(bytes: Uint8Array): number[] {
  sink.all = [];
  pieces.read(bytes, 0, bytes.length);
  sink.flush();
  return sink.all;
}
const idsByReference = (string: string): number[] =>
  wordsOf(string).flatMap((word) => idsOfWord(word, reference.vocabulary));

/** Code points where rules meet: marks that change places, capitals that grow, ends of ranges. */
const ODD = [
  '\u0130\u0131\u03a3\u03c2\u1e9e\ufb01\u2260\u037e\u1fef\u212a\u0345\u0301\u0316\u302e\u302f',
  '\u{1d15e}\u{1d165}\u{1d166}\u{1d16d}\u{16ff0}\u0085\u00a0\u2028\u3000\ufeff\u00ad\u200d\ufffd',
  '\u33ff\u3400\u4dbf\u4dc0\u4dff\u4e00\u9fff\ua000\uf8ff\uf900\ufaff\ufb00\u{20000}\u{2b81f}',
  '\u{2b820}\u{2b91f}\u{2ceaf}\u{2ceb0}\u{2f800}\u{2fa1f}\u{e000}\u{10ffff}\uac00\u1100\u00c5',
  '\t\n\r\u0000\u000b\u001f\u007f##[]$+<=>^`|~',
].flatMap((chars) => [...chars]);

/** Inside of ranges of ideographs, Hangul, private use, and where nothing is assigned. */
const uniform = (code: number): boolean =>
  (code > 0x3500 && code < 0x4d00) ||
  (code > 0x4f00 && code < 0x9f00) ||
  (code > 0xac80 && code < 0xf800) ||
  (code > 0x20100 && code < 0x2a600) ||
  (code > 0x2a800 && code < 0x2b700) ||
  (code > 0x2ba00 && code < 0x2ce00) ||
  code > 0x2fb00;

const word = fc.constantFrom(...known.slice(1000, 29_000)).map((w) => w.replace('##', ''));
const part = fc.oneof(
  { weight: 4, arbitrary: word },
  { weight: 3, arbitrary: fc.constantFrom(' ', ' ', '.', '-', '\n') },
  { weight: 2, arbitrary: fc.constantFrom(...ODD) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 6 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 6 }) },
  { weight: 1, arbitrary: fc.tuple(word, fc.integer({ min: 1, max: 60 })) },
);
const texts = fc
  .array(part, { maxLength: 24 })
  .map((parts) => parts.map((p) => (Array.isArray(p) ? p[0].repeat(p[1]) : p)).join(''))
  .chain((joined) => fc.constantFrom(joined, joined.toUpperCase()));

describe('the word pieces of a text', () => {
  it('are those of the plain tokenizer over strings', () => {
    fc.assert(
      fc.property(texts, (string) => {
        expect(idsOf(Buffer.from(string))).toEqual(idsByReference(string));
      }),
      { seed, numRuns: RUNS },
    );
  });

  it('are those of what a decoder makes of the bytes, whatever they are', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc
        .tuple(texts, fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }))))
        .map(([string, changes]) => {
          const damaged = Buffer.from(string);
          for (const [at, byte] of changes) damaged[at % Math.max(1, damaged.length)] = byte;
          return new Uint8Array(damaged);
        }),
    );
    fc.assert(
      fc.property(bytes, (given) => {
        expect(idsOf(given)).toEqual(idsByReference(new TextDecoder('utf-8').decode(given)));
      }),
      { seed, numRuns: RUNS },
    );
  });

  it('are right for each code point inside a word', () => {
    const wrong: string[] = [];
    for (let code = 0; code < 0x110000; code++) {
      if (code >= 0xd800 && code < 0xe000) continue;
      if (!LONG && uniform(code) && code % 61 !== 0) continue;
      const string = `a${String.fromCodePoint(code)}b`;
      const ids = idsOf(Buffer.from(string));
      if (ids.join() !== idsByReference(string).join()) wrong.push(code.toString(16));
    }
    expect(wrong).toEqual([]);
  });
});

describe('the static model in WebAssembly', () => {
  it('indexes the tokens of the vocabulary', () => {
    const { starts, ends, ids } = compiled;
    const lines = text.toString().trimEnd().split('\n');
    let at = 0;
    const places = lines.map((line) => {
      const begin = at;
      at += Buffer.byteLength(line) + 1;
      return [begin + (/^##./.test(line) ? 2 : 0), at - 1];
    });
    expect(lines.map((_, id) => [starts[id], ends[id]])).toEqual(places);
    expect(new Set(ids).size - 1).toBe(lines.length);
  });

  it('gives the same fixed point by kernels as by sums and rounding, bit by bit', async () => {
    const model = await openEmbedder('default');
    const ascii = fc.oneof(word, fc.string({ unit: 'grapheme-ascii', maxLength: 200 }), part);
    const long = ['a bc-d '.repeat(5000), 'x\u00e9 '.repeat(30_000), 'y'.repeat(70_000), ''];
    const joined = fc.sample(fc.array(ascii, { maxLength: 30 }), { seed, numRuns: 400 });
    const words = joined.map((parts) => parts.join(' '));
    const all = textsOf([...words, ...long, ...fc.sample(texts, { seed, numRuns: 200 }), 'end']);
    const wanted = fixVectors(await model.embed(all), 384);
    expect(await model.fixedHere!(all)).toEqual(wanted);
    const { offsets, bytes } = all;
    const part7 = { offsets: offsets.subarray(7, 18), bytes };
    const codes = wanted.codes.subarray(7 * 384, 17 * 384);
    const scales = wanted.scales.subarray(7, 17);
    expect(await model.fixedHere!(part7)).toEqual({ scales, codes });
    expect((await model.fixedHere!(textsOf([]))).scales.length).toBe(0);
    await model.close();
  });

  it('sums rows as the plain model does', async () => {
    const model = await openEmbedder('default');
    const list = fc.sample(texts, { seed, numRuns: 200 });
    const vectors = await model.embed(textsOf(list));
    for (const [i, string] of list.entries()) {
      const wanted = vectorOf(idsByReference(string), reference);
      const off = wanted.map((value, d) => Math.abs(value - vectors[384 * i + d]));
      expect(Math.max(...off), JSON.stringify(string)).toBeLessThan(2e-6);
    }
    await model.close();
  });
});
