/**
 * The embedding caches of an index. An entry belongs to an erased row if its key is the hash of a
 * text of the row, or if its vector is that of a document with an erased key. An entry whose vector
 * no live document has cannot be attributed: it may be a former text of any row. An entry whose
 * vector a live document has is in use.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE_FOLDER } from '../documents/vectors/models-in-use.ts';
import {
  type CacheEntry,
  cachePairs,
  eachCacheEntry,
  purgeCache,
} from '../embed/cache/purge-cache.ts';
import { textKeys } from '../embed/cache/text-keys.ts';
import { ioError, systemCode } from '../storage/io-errors.ts';
import type { Findings } from './findings.ts';
import { VectorHash } from './vector-hash.ts';
import type { VectorsSeen } from './vectors-seen.ts';

const MODEL_FOLDER = /^[0-9a-f]{32}$/;

/** Texts of erased rows by the key of their cache entry (hexadecimal), with the number of the key. */
export type ErasedTexts = ReadonlyMap<string, number | null>;

/** The cache keys of texts. */
export function erasedTexts(
  texts: readonly { readonly key: number | null; readonly text: Uint8Array }[],
): ErasedTexts {
  return new Map(
    texts.map(({ key, text }) => {
      const keys = textKeys({ offsets: Int32Array.of(0, text.length), bytes: text });
      return [Buffer.from(keys.bytes).toString('hex'), key];
    }),
  );
}

/** What makes an entry a remain. */
type Verdict =
  | { readonly kind: 'used' | 'without vector' | 'unused' }
  | { readonly kind: 'erased'; readonly key: number | null };

/** Judges the entries of one model. */
function judging(folder: string, texts: ErasedTexts, vectors: VectorsSeen) {
  const { live, erased } = vectors.of(folder);
  let hash: VectorHash | null = null;
  return ({ key, scale, codes }: CacheEntry): Verdict => {
    if (scale === 0) {
      const own = texts.get(Buffer.from(key).toString('hex'));
      return own === undefined ? { kind: 'without vector' } : { kind: 'erased', key: own };
    }
    hash ??= new VectorHash(codes.length);
    hash.codes.set(codes);
    const value = hash.of(scale);
    if (live.has(value)) return { kind: 'used' };
    const own = texts.get(Buffer.from(key).toString('hex')) ?? erased.get(value);
    return own === undefined ? { kind: 'unused' } : { kind: 'erased', key: own };
  };
}

/** The folders of the models' caches. */
function modelFolders(indexFolder: string): readonly string[] {
  try {
    return readdirSync(join(indexFolder, CACHE_FOLDER)).filter((name) => MODEL_FOLDER.test(name));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw ioError(error, 'list', join(indexFolder, CACHE_FOLDER));
  }
}

/** Whether an index has embedding caches. */
export const hasEmbeddings = (indexFolder: string): boolean => modelFolders(indexFolder).length > 0;

/**
 * Searches the caches of an index. `building`: a reindex adds entries of documents that are not
 * live yet, so entries without a live document are not remains. Returns the keys of all entries
 * that may stay, in hexadecimal.
 */
export function searchEmbeddings(
  indexFolder: string,
  texts: ErasedTexts,
  {
    findings,
    vectors,
    building,
  }: {
    readonly findings: Findings;
    readonly vectors: VectorsSeen;
    readonly building: boolean;
  },
): ReadonlySet<string> {
  const staying = new Set<string>();
  for (const model of modelFolders(indexFolder)) {
    const folder = join(indexFolder, CACHE_FOLDER, model);
    const where = findings.shown(folder);
    const { pairs, others } = cachePairs(folder);
    const judge = judging(model, texts, vectors);
    let unused = 0;
    const found = new Map<number | null, number>();
    for (const number of pairs) {
      findings.examined.cache_entries += eachCacheEntry(folder, number, (entry) => {
        const verdict = judge(entry);
        if (verdict.kind === 'erased') found.set(verdict.key, 1 + (found.get(verdict.key) ?? 0));
        else if (verdict.kind === 'unused' && !building) unused++;
        else staying.add(Buffer.from(entry.key).toString('hex'));
      });
    }
    const add = (key: number | null, detail: string) =>
      findings.add({ place: 'embedding_cache', key, where, detail, goes: 'erase' });
    for (const [key, count] of found) add(key, `${count} vectors of the row's texts`);
    if (unused > 0) add(null, `${unused} vectors of texts that no live row has`);
    if (others.length > 0) add(null, `${others.length} files of an interrupted rewrite`);
  }
  return staying;
}

/** Removes what `searchEmbeddings` reports. The caller holds the lock of the caches. */
export function purgeEmbeddings(
  indexFolder: string,
  texts: ErasedTexts,
  vectors: VectorsSeen,
): number {
  return modelFolders(indexFolder).reduce((sum, model) => {
    const judge = judging(model, texts, vectors);
    const drop = (entry: CacheEntry) => ['erased', 'unused'].includes(judge(entry).kind);
    return sum + purgeCache(join(indexFolder, CACHE_FOLDER, model), drop);
  }, 0);
}
