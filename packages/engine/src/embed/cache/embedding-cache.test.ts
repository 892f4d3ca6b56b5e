import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openFilesBelow } from '../../../../../test/support/open-files.ts';
import { fixVectors } from '../../base/fixed-vector.ts';
import type { Embedder, ModelIdentity, Texts } from '../embedder.ts';
import { modelFolderName } from './cache-format.ts';
import { CachedEmbedder } from './cached-embedder.ts';
import { type CacheOptions, EmbeddingCache } from './embedding-cache.ts';
import { textKeys } from './text-keys.ts';

const DIMS = 3;
const MODEL: ModelIdentity = { name: 'm', checksum: 'a'.repeat(64), dims: DIMS };

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'lhs-cache-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function textsOf(...texts: readonly string[]): Texts {
  const parts = texts.map((text) => Buffer.from(text));
  const offsets = new Int32Array(texts.length + 1);
  parts.forEach((part, i) => {
    offsets[i + 1] = offsets[i] + part.length;
  });
  return { offsets, bytes: new Uint8Array(Buffer.concat(parts)) };
}

/** What the model of these tests makes of a text; "nothing" means nothing to it. */
function vectorOf(text: string): Float32Array {
  if (text === 'nothing') return new Float32Array(DIMS);
  const bytes = Buffer.from(text);
  return Float32Array.of(
    bytes.length,
    bytes[0],
    bytes.reduce((a, b) => a + b, 0),
  );
}

class Model implements Embedder {
  readonly identity = MODEL;
  readonly seen: string[] = [];

  async embed({ offsets, bytes }: Texts): Promise<Float32Array> {
    const out = new Float32Array((offsets.length - 1) * DIMS);
    for (let i = 0; i + 1 < offsets.length; i++) {
      const text = Buffer.from(bytes.subarray(offsets[i], offsets[i + 1])).toString();
      this.seen.push(text);
      out.set(vectorOf(text), i * DIMS);
    }
    return out;
  }
  async close(): Promise<void> {}
}

/** Texts through a cache of its own opening: their vectors, and which of them were embedded. */
async function embed(texts: readonly string[], options?: CacheOptions, end = false) {
  const model = new Model();
  const cache = EmbeddingCache.open(home, MODEL, options);
  try {
    const found = await new CachedEmbedder(model, cache).vectors(textsOf(...texts));
    if (end) cache.endBuild();
    expectVectors(texts, found);
    const { reused, computed } = found;
    return { seen: model.seen, reused, computed, entries: cache.entries, bytes: cache.bytes };
  } finally {
    cache.close();
  }
}

function expectVectors(
  texts: readonly string[],
  found: { scales: Float32Array; codes: Int16Array },
): void {
  texts.forEach((text, i) => {
    const { scales, codes } = fixVectors(text === '' ? new Float32Array(DIMS) : vectorOf(text), 3);
    expect(found.scales[i], text).toBe(scales[0]);
    expect(found.codes.slice(i * DIMS, (i + 1) * DIMS), text).toEqual(codes);
  });
}

const fileOf = (kind: string) => {
  const folder = join(home, modelFolderName(MODEL));
  const name = readdirSync(folder).find((file) => file.endsWith(kind));
  return join(folder, name ?? `no ${kind}`);
};

describe('an embedding cache', () => {
  it('embeds each distinct text once, also after it was closed', async () => {
    expect(await embed(['a', 'bb', 'a', '', 'nothing', 'bb'])).toMatchObject({
      seen: ['a', 'bb', 'nothing'],
      computed: 3,
      reused: 2,
    });
    expect(await embed(['nothing', 'c', 'bb', 'a'])).toMatchObject({
      seen: ['c'],
      computed: 1,
      reused: 3,
    });
    expect((await embed(['a', 'bb', 'c'])).seen).toEqual([]);
  });

  it('that only reads finds what is there, and changes nothing', async () => {
    const onlyReads = true;
    expect(await embed(['a'], { onlyReads })).toMatchObject({ seen: ['a'], entries: 0 });
    expect(readdirSync(home)).toEqual([]);
    await embed(['a', 'bb']);
    const writer = EmbeddingCache.open(home, MODEL);
    truncateSync(fileOf('keys'), statSync(fileOf('keys')).size - 1);
    const torn = readFileSync(fileOf('keys'));
    expect(await embed(['a', 'bb', 'c'], { onlyReads }, true)).toMatchObject({
      seen: ['bb', 'c'],
      entries: 1,
    });
    expect(readFileSync(fileOf('keys'))).toEqual(torn);
    writer.close();
  });

  it('keeps thousands of texts, found in any order and company', async () => {
    const texts = Array.from({ length: 5000 }, (_, i) => `text ${i}`);
    expect((await embed(texts)).computed).toBe(5000);
    const mixed = texts.toSorted((a, b) => (a.length * 31 + a < b.length * 31 + b ? -1 : 1));
    expect((await embed([...mixed.slice(0, 900), 'new', ...mixed.slice(4000)])).seen).toEqual([
      'new',
    ]);
  });

  it('is of one model: another has its own', async () => {
    await embed(['a']);
    const other = EmbeddingCache.open(home, { ...MODEL, checksum: 'b'.repeat(64) });
    expect(other.find(textKeys(textsOf('a')))).toEqual(Int32Array.of(-1));
    other.close();
    const wider = EmbeddingCache.open(home, { ...MODEL, dims: 4 });
    expect(wider.entries).toBe(0);
    wider.close();
  });

  it('has at most as many bytes as it may, and goes on embedding', async () => {
    const texts = Array.from({ length: 100 }, (_, i) => `text ${i}`);
    const options = { mostBytes: 1000 };
    const { entries, bytes } = await embed(texts, options);
    expect(bytes).toBeLessThanOrEqual(1000);
    expect(entries).toBeGreaterThan(20);
    expect((await embed(texts, options)).computed).toBe(100 - entries);
  });

  it('drops unused entries of a build if they are most of it or near the bound', async () => {
    const texts = Array.from({ length: 100 }, (_, i) => `text ${i}`);
    await embed(texts);
    expect((await embed(texts.slice(0, 10), {}, true)).entries).toBe(100);
    expect((await embed(texts.slice(0, 30), { compactBytes: 0 }, true)).entries).toBe(100);
    expect((await embed(texts.slice(0, 20), { compactBytes: 0 }, true)).entries).toBe(20);
    expect((await embed(texts.slice(0, 20))).seen).toEqual([]);
    await embed(texts, { mostBytes: 1200 });
    const { entries } = await embed(texts.slice(90), { mostBytes: 1200 }, true);
    expect(entries).toBeLessThanOrEqual(10);
    expect(readdirSync(join(home, modelFolderName(MODEL)))).toHaveLength(2);
  });

  it("removes other models' caches where all are too large together", async () => {
    const other = EmbeddingCache.open(home, { ...MODEL, checksum: 'b'.repeat(64) });
    other.close();
    await embed(['a'], {}, true);
    expect(readdirSync(home)).toHaveLength(2);
    await embed(['a'], { mostBytes: 200 }, true);
    expect(readdirSync(home)).toEqual([modelFolderName(MODEL)]);
  });

  it('leaves caches of other models alone that are in use', async () => {
    const other = { ...MODEL, checksum: 'b'.repeat(64) };
    EmbeddingCache.open(home, other).close();
    const cache = EmbeddingCache.open(home, MODEL, { mostBytes: 200 });
    cache.endBuild([MODEL, other]);
    expect(readdirSync(home)).toHaveLength(2);
    cache.endBuild([MODEL]);
    cache.close();
    expect(readdirSync(home)).toEqual([modelFolderName(MODEL)]);
  });

  it.skipIf(process.platform !== 'linux')('gives back the files that it rewrites', async () => {
    const open = () => openFilesBelow(home).length;
    const texts = ['a', 'b', 'c', 'd', 'e'];
    await embed(texts);
    const before = open();
    expect((await embed(['a'], { compactBytes: 0 }, true)).entries).toBe(1);
    expect(open()).toBe(before);
  });

  it('does not lose what was embedded before the model failed', async () => {
    const model = new Model();
    const texts = Array.from({ length: 2100 }, (_, i) => `text ${i}`);
    const embedOne = model.embed.bind(model);
    model.embed = async (asked) => {
      if (model.seen.length > 1500) throw new Error('the model fails');
      return embedOne(asked);
    };
    const cache = EmbeddingCache.open(home, MODEL);
    const embedder = new CachedEmbedder(model, cache);
    await expect(embedder.vectors(textsOf(...texts))).rejects.toThrow('the model fails');
    cache.close();
    expect((await embed(texts)).computed).toBe(2100 - 2048);
  });
});

describe('a cache of format version 1', () => {
  const golden = fileURLToPath(new URL('../../../../../fixtures/embeddings-v1', import.meta.url));
  const texts = ['alpha', 'beta', 'büro', 'nothing'];

  it('opens for ever', async () => {
    if (process.env.LHS_MAKE_GOLDEN === '1') {
      await embed(texts);
      cpSync(home, golden, { recursive: true });
    }
    cpSync(golden, home, { recursive: true });
    expect(await embed(texts)).toMatchObject({ computed: 0, reused: 4, entries: 4 });
  });

  it('is written byte for byte as it was', async () => {
    await embed(texts);
    for (const kind of ['keys', 'vectors']) {
      const name = join(modelFolderName(MODEL), `000001.${kind}`);
      expect(readFileSync(join(home, name))).toEqual(readFileSync(join(golden, name)));
    }
  });
});

describe('a damaged embedding cache', () => {
  const texts = ['alpha', 'beta', 'gamma', 'nothing'];

  it.each(['.keys', '.vectors'])('%s cut anywhere: what is whole is used', async (kind) => {
    await embed(texts);
    const path = fileOf(kind);
    const whole = readFileSync(path);
    const other = fileOf(kind === '.keys' ? '.vectors' : '.keys');
    const beside = readFileSync(other);
    for (let length = 0; length < whole.length; length++) {
      writeFileSync(path, whole.subarray(0, length));
      writeFileSync(other, beside);
      const { computed } = await embed(texts);
      const entry = kind === '.keys' ? 16 : 8 + 2 * DIMS;
      const kept = length < 64 ? 0 : Math.floor((length - 64) / entry);
      expect(computed, `${length} bytes`).toBe(texts.length - kept);
      expect((await embed(texts)).computed).toBe(0);
      rmSync(join(home, modelFolderName(MODEL)), { recursive: true });
      await embed(texts);
    }
  });

  it.each(['.keys', '.vectors'])('%s with any bit wrong: no wrong vector', async (kind) => {
    await embed(texts);
    const [path, other] = [fileOf(kind), fileOf(kind === '.keys' ? '.vectors' : '.keys')];
    const [whole, beside] = [readFileSync(path), readFileSync(other)];
    for (let at = 0; at < whole.length; at++) {
      for (const bit of [1, 0x80]) {
        const damaged = Buffer.from(whole);
        damaged[at] ^= bit;
        rmSync(join(home, modelFolderName(MODEL)), { recursive: true });
        await embed([]);
        writeFileSync(path, damaged);
        writeFileSync(other, beside);
        const { computed } = await embed(texts);
        expect(computed, `byte ${at}`).toBe(at < 64 ? texts.length : 1);
        expect((await embed(texts)).computed, `byte ${at}, again`).toBe(0);
      }
    }
  });

  it('of which records never reached the disk is embedded again', async () => {
    await embed(texts);
    const path = fileOf('.vectors');
    const whole = readFileSync(path);
    writeFileSync(path, Buffer.concat([whole.subarray(0, 64), Buffer.alloc(whole.length - 64)]));
    expect((await embed(texts)).computed).toBe(texts.length);
    expect((await embed(texts)).computed).toBe(0);
  });

  it('with a successor that was not finished is as before it', async () => {
    await embed(texts);
    const folder = join(home, modelFolderName(MODEL));
    writeFileSync(join(folder, '000002.vectors.tmp'), 'half');
    writeFileSync(join(folder, '000002.vectors'), 'whole, but without its keys');
    expect((await embed(texts)).computed).toBe(0);
    expect(readdirSync(folder).sort()).toEqual(['000001.keys', '000001.vectors']);
  });
});
