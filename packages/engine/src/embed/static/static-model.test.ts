import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { mapFile } from '../../storage/arena.ts';
import { textsOf } from '../embedder.ts';
import { modelFolder, openEmbedder } from '../open-embedder.ts';
import { embedKernels } from './kernels.ts';
import { openStaticModel } from './static-model.ts';
import { readVocabulary } from './vocabulary.ts';
import { type PieceSink, WordPieces } from './word-pieces.ts';

interface Golden {
  readonly texts: readonly { text: string; ids: number[]; embedding: number[] }[];
}
const below = (path: string) => fileURLToPath(new URL(`../../../../${path}`, import.meta.url));
const goldens = [
  'packages/model-static-384/golden.json',
  '../shared/models/static-384/golden.json',
];
const folder = modelFolder('default');
const model = openStaticModel(folder, { name: 'default' });
const vocabFile = mapFile(`${folder}/vocab.txt`);
afterAll(async () => {
  await model.close();
  vocabFile.release();
});

describe.each(goldens)('the golden texts of %s', (name) => {
  const path = below(name);
  const { texts } = existsSync(path)
    ? (JSON.parse(readFileSync(path, 'utf8')) as Golden)
    : { texts: [] };

  it.skipIf(texts.length === 0)('have their ids', () => {
    const bytes = readFileSync(`${folder}/vocab.txt`);
    const file = { path: 'vocab.txt', text: bytes };
    const ids: number[] = [];
    const sink: PieceSink = {
      ids: new Int32Array(7),
      count: 0,
      flush() {
        ids.push(...this.ids.subarray(0, this.count));
        this.count = 0;
      },
    };
    const vocabulary = readVocabulary(file, 30_522, vocabFile.arena, embedKernels(vocabFile.arena));
    const rules = { unknownId: 100, maxWordChars: 100 };
    const pieces = new WordPieces(vocabulary, rules, sink);
    for (const { text, ids: wanted } of texts) {
      const { bytes } = textsOf([text]);
      pieces.read(bytes, 0, bytes.length);
      sink.flush();
      expect(ids.splice(0), text.slice(0, 80)).toEqual(wanted);
    }
    vocabulary.region.release();
  });

  it.skipIf(texts.length === 0)('have their vectors, to 1e-5', async () => {
    const vectors = await model.embed(textsOf(texts.map(({ text }) => text)));
    for (const [i, { text, embedding }] of texts.entries()) {
      const off = embedding.map((value, d) => Math.abs(value - vectors[384 * i + d]));
      expect(Math.max(...off), text.slice(0, 80)).toBeLessThan(1e-5);
    }
  });

  it.skipIf(texts.length === 0)('have the same bits alone', async () => {
    const list = texts.map(({ text }) => text);
    const together = await model.embed(textsOf(list));
    for (const [i, text] of list.entries()) {
      const alone = await model.embed(textsOf([text]));
      expect(alone, text.slice(0, 80)).toEqual(together.subarray(384 * i, 384 * i + 384));
    }
  });
});

describe('the static model', () => {
  it('gives no vector to texts without a known word', async () => {
    const words = [
      '',
      ' \t\n',
      '\u0000\u200b',
      '東東'.replaceAll('東', '\u{2ceb0}'),
      'x'.repeat(101),
    ];
    const vectors = await model.embed(textsOf(words));
    expect(vectors.length).toBe(words.length * 384);
    expect(vectors.every((value) => value === 0)).toBe(true);
  });

  it('gives length 1 to the others, and takes no texts', async () => {
    const vectors = await model.embed(textsOf(['one', 'a much longer text of words '.repeat(900)]));
    for (const at of [0, 384]) {
      const squares = vectors.subarray(at, at + 384).reduce((sum, v) => sum + v * v, 0);
      expect(squares).toBeCloseTo(1, 6);
    }
    expect((await model.embed(textsOf([]))).length).toBe(0);
  });

  it('reads texts that begin anywhere in their bytes', async () => {
    const { bytes } = textsOf(['skip this, fix a leak']);
    const from = bytes.length - 'fix a leak'.length;
    const part = await model.embed({ bytes, offsets: Int32Array.of(from, bytes.length) });
    expect(part).toEqual(await model.embed(textsOf(['fix a leak'])));
  });

  it('ships with lhs under the name default', async () => {
    const shipped = await openEmbedder('default');
    expect(dirname(folder)).toMatch(/packages$/);
    expect(shipped.identity).toEqual({
      name: 'default',
      checksum: '0f09cc6d0ec95cbd0922618556a4786c73ce3e2de5af71dcaf99597d1a998a91',
      dims: 384,
    });
    await shipped.close();
    await shipped.close();
    await expect(shipped.embed(textsOf(['a']))).rejects.toMatchObject({ code: 'interrupted' });
  });
});
