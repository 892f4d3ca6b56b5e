import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ModelIdentity } from '../embedder.ts';
import { modelFolderName } from './cache-format.ts';
import { EmbeddingCache } from './embedding-cache.ts';
import { cachePairs, eachCacheEntry, purgeCache } from './purge-cache.ts';
import { textKeys } from './text-keys.ts';

const MODEL: ModelIdentity = { name: 'm', checksum: 'a'.repeat(64), dims: 2 };

let home: string;
const folder = () => join(home, modelFolderName(MODEL));
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'lhs-purge-'));
  const cache = EmbeddingCache.open(home, MODEL);
  const scales = Float32Array.of(1, 0.5, 0);
  cache.add(keysOf('a', 'bb', 'c'), { scales, codes: Int16Array.of(1, 2, 3, 4, 0, 0) });
  cache.close();
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function keysOf(...texts: readonly string[]) {
  const bytes = Buffer.from(texts.join(''));
  const offsets = new Int32Array(texts.length + 1);
  texts.forEach((text, i) => {
    offsets[i + 1] = offsets[i] + text.length;
  });
  return textKeys({ offsets, bytes });
}

/** Entries of the newest pair. */
function entries() {
  const found: [scale: number, codes: number[]][] = [];
  const newest = cachePairs(folder()).pairs.at(-1)!;
  eachCacheEntry(folder(), newest, ({ scale, codes }) => found.push([scale, [...codes]]));
  return found;
}

describe('a purge of an embedding cache', () => {
  it('removes the entries that are named, and the cache still finds the others', () => {
    expect(entries()).toEqual([
      [1, [1, 2]],
      [0.5, [3, 4]],
      [0, [0, 0]],
    ]);
    expect(purgeCache(folder(), ({ scale }) => scale === 0.5)).toBe(1);
    expect(readdirSync(folder()).sort()).toEqual(['000002.keys', '000002.vectors']);
    const cache = EmbeddingCache.open(home, MODEL);
    expect([...cache.find(keysOf('a', 'bb', 'c'))]).toEqual([0, -1, 1]);
    cache.close();
  });

  it('writes nothing if nothing is to be removed', () => {
    expect(purgeCache(folder(), () => false)).toBe(0);
    expect(readdirSync(folder()).sort()).toEqual(['000001.keys', '000001.vectors']);
  });

  it('removes former pairs and drafts that a crash left', () => {
    for (const kind of ['keys', 'vectors']) {
      cpSync(join(folder(), `000001.${kind}`), join(folder(), `000004.${kind}`));
    }
    writeFileSync(join(folder(), '000005.keys.tmp'), 'torn');
    expect(cachePairs(folder())).toEqual({ pairs: [1, 4], others: ['000005.keys.tmp'] });
    expect(purgeCache(folder(), () => false)).toBe(0);
    expect(readdirSync(folder()).sort()).toEqual(['000005.keys', '000005.vectors']);
    expect(entries()).toHaveLength(3);
  });

  it('of a folder that is not there removes nothing', () => {
    expect(cachePairs(join(home, 'none'))).toEqual({ pairs: [], others: [] });
    expect(purgeCache(join(home, 'none'), () => true)).toBe(0);
  });
});
