import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { seededBelow } from '../../../../../test/support/random.ts';
import { BUNDLE_BLOCK, type BundleFile, encodeOpening, readOpening } from '../bundle.ts';
import { fileBlocks } from '../bundle-files.ts';
import { type FileToPlace, placeFiles } from './place-files.ts';
import { chosen, copyOf, placeOf, readPlaced, spansOf } from './plan-reads.ts';

const DOCS = 100_000;

/** A file whose part has as many bytes for each document. */
function someFile(below: (n: number) => number, page: string | undefined): FileToPlace {
  const width = 1 + below(4);
  const [before, after] = [below(40_000), below(40_000)];
  const block = 4096 << below(3);
  const length = before + width * DOCS + after;
  const docAt = (offset: number) => Math.floor((offset - before) / width);
  const parts = below(5) === 0 ? [] : [{ from: before, to: before + width * DOCS, docAt }];
  return { length, block, page, parts, isMovable: below(2) === 0, isWhole: false };
}

/** A bundle of files, and the bytes of each. */
function someBundle(seed: number) {
  const below = seededBelow(seed);
  const files = Array.from({ length: 1 + below(8) }, (): FileToPlace => {
    const page = [undefined, 's1', 's2'][below(3)];
    return page === undefined && below(2) === 0
      ? { ...someFile(below, undefined), parts: [], isWhole: true }
      : someFile(below, page);
  });
  const ordered = [...files].sort((a, b) => Number(a.isWhole) - Number(b.isWhole));
  const contents = ordered.map(({ length }) => randomBytes(length));
  const placed = placeFiles(ordered);
  const object = Buffer.alloc(placed.end);
  for (const { file, at, from, length } of placed.pieces) {
    contents[file]!.copy(object, from, at, at + length);
  }
  const listed = ordered.map(({ length, block }, i): BundleFile => {
    const offset = placed.pieces.find(({ file, at }) => file === i && at === 0)!.from;
    const own = { name: `f${i}`, length, offset, block };
    return { ...own, crcs: new Array(Math.ceil(length / block)).fill(7), ...ENDS };
  });
  const opening = Buffer.from(encodeOpening(listed, placed.regions));
  const [size, crc] = [placed.end + opening.length, crc32(opening)];
  const ref = { object: 'b', size, whole: placed.whole, opening: placed.end, crc };
  return { below, ordered, contents, object, placed, found: readOpening(opening, ref, 'b') };
}
const ENDS = { resident: null, footer: null };

describe('a bundle with regions', () => {
  it('has each byte of each file where its opening says', async () => {
    for (let seed = 0; seed < 60; seed++) {
      const { below, contents, object, found, placed } = someBundle(seed);
      const sum = placed.pieces.reduce((bytes, { length }) => bytes + length, 0);
      expect(sum).toBe(object.length);
      for (const [i, file] of found.entries()) {
        const own = fileBlocks(file, 'b');
        const read = async ({ at, length }: { at: number; length: number }) =>
          object.subarray(at, at + length);
        for (const at of [0, below(file.length)]) {
          const length = at === 0 ? file.length : 1 + below(file.length - at);
          const bytes = await readPlaced({ ...file }, file.block, { at, length }, read);
          expect(contents[i]!.equals(Buffer.from(bytes)) || at > 0).toBe(true);
          expect(contents[i]!.subarray(at, at + length).equals(bytes)).toBe(true);
        }
        for (let block = 0; block < file.crcs.length; block++) {
          const right = contents[i]!.subarray(block * file.block, (block + 1) * file.block);
          for (const at of [placeOf(own, block, file.block), copyOf(own, block)]) {
            if (at === undefined) continue;
            expect(object.subarray(at, at + right.length).equals(right)).toBe(true);
          }
        }
      }
    }
  });

  it('has what belongs to a document near each other', () => {
    const below = seededBelow(3);
    const widths = [20, 36, 1, 8];
    const files = widths.map((width, i): FileToPlace => {
      const docAt = (offset: number) => Math.floor(offset / width);
      const block = Math.min(BUNDLE_BLOCK, 4096 * 2 ** Math.floor(Math.log2(width)));
      const parts = [{ from: 0, to: width * DOCS, docAt }];
      return { length: width * DOCS, block, page: 's', parts, isMovable: i < 2, isWhole: false };
    });
    const { pieces } = placeFiles(files);
    for (let n = 0; n < 500; n++) {
      const doc = below(DOCS);
      const wanted = files.map(({ block }, file) => {
        const at = Math.floor((doc * widths[file]!) / block) * block;
        const [here = null, copy] = pieces.filter((one) => one.file === file && one.at === at);
        return { at: here!.from, length: here!.length, copy: copy?.from };
      });
      expect(spansOf(chosen(wanted))).toHaveLength(1);
    }
  });

  it('with a region that lacks blocks is refused', () => {
    const file = { name: 'f', length: 10, offset: 0, block: 4, crcs: [1, 2, 3], ...ENDS };
    for (const [from, to, blocks] of [
      [0, 3, 2],
      [0, 2, 3],
      [0, 4, 4],
    ] as const) {
      const lanes = [{ file: 0, from, to, isCopy: false }];
      const region = { at: 0, lanes, order: new Uint16Array(blocks) };
      const opening = Buffer.from(encodeOpening([file], [region]));
      const ref = { object: 'b', size: 0, whole: 0, opening: 0, crc: crc32(opening) };
      expect(() => readOpening(opening, ref, 'b')).toThrow(/regions do not fit/);
    }
  });
});

describe('reads of an object', () => {
  it('cover all pieces, and few bytes that nobody needs', () => {
    const below = seededBelow(9);
    for (let n = 0; n < 200; n++) {
      const pieces = Array.from({ length: 1 + below(40) }, () => {
        return { at: below(2 ** 24), length: 1 + below(2 ** 17) };
      });
      const spans = spansOf(pieces);
      expect(spans.flatMap((span) => span.pieces).length).toBe(pieces.length);
      for (const [i, span] of spans.entries()) {
        for (const { at, length } of span.pieces) {
          expect(at >= span.at && at + length <= span.at + span.length).toBe(true);
        }
        expect(span.length).toBeLessThanOrEqual(2 ** 23);
        if (i > 0) expect(span.at).toBeGreaterThan(spans[i - 1]!.at);
      }
    }
  });
});
