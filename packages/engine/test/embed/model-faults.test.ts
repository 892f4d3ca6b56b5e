import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LhsError } from '@lakehouse-search/contract';
import fc from 'fast-check';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { textsOf } from '../../src/embed/embedder.ts';
import { openEmbedder } from '../../src/embed/open-embedder.ts';
import { openStaticModel } from '../../src/embed/static/static-model.ts';
import { type StaticFolder, writeStaticFolder } from './static-model-folder.ts';

const home = mkdtempSync(join(tmpdir(), 'lhs-models-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));
let made = 0;
const tiny = (options?: StaticFolder): string =>
  writeStaticFolder(join(home, `tiny-${made++}`), options);

async function refused(model: string, from?: string): Promise<LhsError> {
  const opened = await openEmbedder(model, { from }).catch((error: unknown) => error);
  expect(opened).toBeInstanceOf(LhsError);
  const error = opened as LhsError;
  expect(error.code).toBe('model_unavailable');
  expect(error.status).toBe(412);
  expect(error.hint).toBeTruthy();
  return error;
}

function change(folder: string, file: string, at: number): void {
  const bytes = readFileSync(join(folder, file));
  bytes[at] ^= 1;
  writeFileSync(join(folder, file), bytes);
}

const FAULTS: readonly {
  readonly what: string;
  readonly options?: StaticFolder;
  readonly damage?: (folder: string) => void;
  readonly file: string;
  readonly says: string;
}[] = [
  {
    what: 'truncated rows',
    damage: (f) => truncateSync(join(f, 'vectors.i8'), 47),
    file: 'vectors.i8',
    says: 'has 47 bytes, its model says 48',
  },
  {
    what: 'rows of the right length and another sum',
    damage: (f) => change(f, 'vectors.i8', 20),
    file: 'vectors.i8',
    says: 'has the SHA-256 ',
  },
  {
    what: 'changed scales',
    damage: (f) => change(f, 'scales.f32', 5),
    file: 'scales.f32',
    says: 'has the SHA-256 ',
  },
  {
    what: 'a longer vocabulary',
    damage: (f) => appendFileSync(join(f, 'vocab.txt'), 'more\n'),
    file: 'vocab.txt',
    says: 'has the SHA-256 ',
  },
  {
    what: 'a file that is not there',
    damage: (f) => rmSync(join(f, 'vocab.txt')),
    file: 'vocab.txt',
    says: 'is missing',
  },
  {
    what: 'model.json that ends early',
    damage: (f) => truncateSync(join(f, 'model.json'), 100),
    file: 'model.json',
    says: 'is no JSON',
  },
  {
    what: 'another kind of model',
    options: { json: { kind: 'n-gram embeddings' } },
    file: 'model.json',
    says: 'has "kind": "n-gram embeddings"; expected "static token embeddings"',
  },
  {
    what: 'a shape of more dimensions than there are',
    options: { json: { dims: 9 } },
    file: 'vectors.i8',
    says: 'has 48 bytes, its model says 54',
  },
  {
    what: 'no dimensions',
    options: { json: { dims: 0 } },
    file: 'model.json',
    says: 'has "dims": 0; expected a whole number from 1 to 4096',
  },
  {
    what: 'dimensions that are no number',
    options: { json: { dims: '8' } },
    file: 'model.json',
    says: 'has "dims": "8"',
  },
  {
    what: 'a file elsewhere',
    options: { json: { files: { vectors: { path: '../x', type: 'int8', order: 'row-major' } } } },
    file: 'model.json',
    says: 'has "files.',
  },
  {
    what: 'tokens that it has not',
    options: { json: { tokenizer: { type: 'SentencePiece' } } },
    file: 'model.json',
    says: 'has "tokenizer.type": "SentencePiece"; expected "WordPiece"',
  },
];

describe('a damaged static model', () => {
  it.each(FAULTS)('$what', async ({ options, damage, file, says }) => {
    const folder = tiny(options);
    damage?.(folder);
    const error = await refused(folder);
    expect(error.message).toContain(`the model file "${join(folder, file)}" ${says}`);
  });

  it('more and fewer tokens than lines', async () => {
    const words = ['a', 'b', 'c'];
    const more = tiny({ words: [...words, 'd\ne'] });
    expect((await refused(more)).message).toContain('has more than the 5 tokens of its model');
    const fewer = tiny({ words: [...words, ''] });
    truncateSync(join(fewer, 'vocab.txt'), 12);
    expect((await refused(fewer)).message).toContain('vocab.txt');
  });

  it('a scale that is no number', async () => {
    const folder = tiny();
    const nan = Buffer.alloc(24);
    nan.writeFloatLE(Number.NaN, 8);
    writeFileSync(join(folder, 'scales.f32'), nan);
    const { createHash } = await import('node:crypto');
    const json = readFileSync(join(folder, 'model.json'), 'utf8');
    const sum = createHash('sha256').update(nan).digest('hex');
    const before = JSON.parse(json).files.scales.sha256;
    writeFileSync(join(folder, 'model.json'), json.replace(before, sum));
    expect((await refused(folder)).message).toContain(
      'has NaN for token 2; expected a finite number',
    );
  });

  it('a folder that is not there, or has no model in it', async () => {
    const missing = await refused('models/none', home);
    expect(missing.message).toContain(`"${join(home, 'models/none')}" is missing`);
    expect(missing.hint).toContain('"default", which ships with lhs');
    expect((await refused(home)).message).toContain(
      'model.json" is missing, and so is "config.json"',
    );
  });
});

describe('a static model from a folder', () => {
  it('is refused or gives the same vectors after any changed byte of any file', async () => {
    const seed = Number(process.env.LHS_SEED ?? Date.now() % 2 ** 31);
    console.log(`model-faults: LHS_SEED=${seed}`);
    const folder = tiny();
    const list = textsOf(['red', 'greenish blue', 'a red a', 'other words']);
    const model = await openEmbedder(folder);
    const { checksum } = model.identity;
    const wanted = await model.embed(list);
    await model.close();
    const seen = { refused: 0, harmless: 0, another: 0 };
    const damages = fc.sample(
      fc.record({
        file: fc.constantFrom('model.json', 'vectors.i8', 'scales.f32', 'vocab.txt'),
        at: fc.nat(),
        byte: fc.integer({ min: 0, max: 255 }),
        cut: fc.boolean(),
      }),
      { seed, numRuns: 400 },
    );
    for (const { file, at, byte, cut } of damages) {
      const path = join(folder, file);
      const whole = readFileSync(path);
      const damaged = Buffer.from(whole.subarray(0, cut ? at % whole.length : whole.length));
      if (damaged.length > 0 && !cut) damaged[at % damaged.length] = byte;
      writeFileSync(path, damaged);
      const opened = await openEmbedder(folder).catch((error: LhsError) => error);
      if (opened instanceof Error) {
        expect(opened, `${file} ${at} ${byte} ${cut}`).toMatchObject({ code: 'model_unavailable' });
        seen.refused++;
      } else {
        if (opened.identity.checksum !== checksum) seen.another++;
        else {
          expect(await opened.embed(list)).toEqual(wanted);
          seen.harmless++;
        }
        await opened.close();
      }
      writeFileSync(path, whole);
    }
    console.log(`model-faults: ${JSON.stringify(seen)}`);
    expect(seen.refused).toBeGreaterThan(200);
  });

  it('resolves a relative folder against the given base', async () => {
    const folder = tiny();
    const model = await openEmbedder(folder.slice(home.length + 1), { from: home });
    expect(model.identity).toMatchObject({ name: folder.slice(home.length + 1), dims: 8 });
    await model.close();
  });

  it('has a checksum of its numbers, not of its name', async () => {
    const checksumOf = async (options?: StaticFolder) => {
      const model = await openEmbedder(tiny(options));
      await model.close();
      return model.identity.checksum;
    };
    const usual = await checksumOf();
    expect(await checksumOf({ json: { name: 'other', version: '9' } })).toBe(usual);
    expect(await checksumOf({ seed: 2 })).not.toBe(usual);
    expect(await checksumOf({ words: ['red', 'green', 'blue', '##ish', 'b'] })).not.toBe(usual);
  });

  it.each([1, 8, 31, 32, 40, 100])('sums %i dimensions rounded at each step', async (dims) => {
    const folder = tiny({ dims });
    const [RED, BLUE, ISH, A] = [1, 3, 4, 5];
    const texts: readonly (readonly [text: string, ids: readonly number[]])[] = [
      ['red', [RED]],
      ['redish a', [RED, ISH, A]],
      ['blueish, RED!', [BLUE, ISH, 0, RED, 0]],
      ['none', [0]],
      ['a '.repeat(5000), Array.from({ length: 5000 }, () => A)],
    ];
    const rows = new Int8Array(readFileSync(join(folder, 'vectors.i8')));
    const expected = texts.flatMap(([, ids]) => {
      const sums = new Float32Array(dims);
      // The scale of a token is its id / 64.
      for (const id of ids) {
        for (let d = 0; d < dims; d++) sums[d] += Math.fround((id / 64) * rows[id * dims + d]);
      }
      const length = Math.sqrt(sums.reduce((sum, value) => sum + value * value, 0)) || 1;
      return Array.from(sums, (value) => Math.fround(value / length));
    });
    const model = openStaticModel(folder, { name: 'x' });
    const vectors = await model.embed(textsOf(texts.map(([text]) => text)));
    expect([...vectors]).toEqual(expected);
    await model.close();
  });
});

describe('model files that were verified', () => {
  const old = new Date(Date.now() - 60_000);
  const fresh = async () => {
    vi.resetModules();
    return import('../../src/embed/file-sums.ts');
  };

  it('by the stamp of the file, for other processes in a file', async () => {
    const folder = tiny();
    const path = join(folder, 'vectors.i8');
    const remembered = join(folder, 'checked');
    const { sumOf } = await fresh();
    vi.setSystemTime(Date.now() + 10_000);
    const sum = sumOf(path, undefined, remembered);
    const again = (await fresh()).sumOf;
    const unread = () => {
      throw new Error('it was read again');
    };
    expect(again(path, unread, remembered)).toBe(sum);
    utimesSync(path, old, old);
    expect(() => again(path, unread, remembered)).toThrow('it was read again');
    writeFileSync(remembered, 'no JSON');
    expect((await fresh()).sumOf(path, undefined, remembered)).toBe(sum);
    vi.useRealTimers();
  });

  it('so that a change is found all the same', async () => {
    const folder = tiny();
    const whole = join(home, 'whole');
    cpSync(folder, whole, { recursive: true });
    const remembered = join(home, 'checked');
    vi.setSystemTime(Date.now() + 10_000);
    await (await openEmbedder(folder, { remembered })).close();
    change(folder, 'vectors.i8', 30);
    await expect(openEmbedder(folder, { remembered })).rejects.toThrow('has the SHA-256');
    await (await openEmbedder(whole, { remembered })).close();
    vi.useRealTimers();
  });
});
