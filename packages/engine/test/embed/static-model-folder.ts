import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What of a small static model is different from the usual. */
export interface StaticFolder {
  readonly dims?: number;
  /** Words of the vocabulary behind [UNK]. */
  readonly words?: readonly string[];
  /** Changes the numbers: another seed is another model. */
  readonly seed?: number;
  /** Takes the place of members of model.json. */
  readonly json?: Readonly<Record<string, unknown>>;
}

/** The folder of a static model of a few words and dimensions, written there. */
export function writeStaticFolder(folder: string, options: StaticFolder = {}): string {
  const { dims = 8, words = ['red', 'green', 'blue', '##ish', 'a'], seed = 1 } = options;
  const tokens = ['[UNK]', ...words];
  const rows = new Int8Array(tokens.length * dims);
  for (let i = dims; i < rows.length; i++) rows[i] = ((i * 37 * seed + seed) % 255) - 127;
  const scales = Float32Array.from(tokens, (_, id) => (id === 0 ? 0 : id / 64));
  const files = {
    'vectors.i8': Buffer.from(rows.buffer),
    'scales.f32': Buffer.from(scales.buffer),
    'vocab.txt': Buffer.from(`${tokens.join('\n')}\n`),
  };
  mkdirSync(folder, { recursive: true });
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
  const listed = (name: keyof typeof files) => ({
    path: name,
    sha256: createHash('sha256').update(files[name]).digest('hex'),
  });
  const json = {
    name: 'tiny',
    version: '1',
    kind: 'static token embeddings',
    language: 'en',
    dims,
    vocabSize: tokens.length,
    tokenizer: {
      type: 'WordPiece',
      lowercase: true,
      stripAccents: true,
      cleanText: true,
      splitCjk: true,
      continuingPrefix: '##',
      unknownId: 0,
      maxWordChars: 100,
      addSpecialTokens: false,
    },
    similarity: 'cosine',
    files: {
      vectors: { ...listed('vectors.i8'), type: 'int8', order: 'row-major' },
      scales: { ...listed('scales.f32'), type: 'float32', endian: 'little' },
      vocab: listed('vocab.txt'),
    },
    ...options.json,
  };
  writeFileSync(join(folder, 'model.json'), JSON.stringify(json));
  return folder;
}
