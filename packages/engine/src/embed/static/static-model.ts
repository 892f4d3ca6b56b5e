/**
 * A static model that is open: text -> word pieces -> sum of their rows -> length 1.
 *
 *  1. model.json is read, lengths are compared, SHA-256 of all files unless remembered
 *  2. the rows are mapped; scales and vocabulary (3 % of the model) are read
 *  3. each text by itself: nothing of one text enters the vector of another
 */
import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { LhsError } from '@lakehouse-search/contract';
import { type FixedVectors, fixVectors } from '../../base/fixed-vector.ts';
import { mapFile } from '../../storage/arena.ts';
import type { Region } from '../../storage/directory.ts';
import type { Embedder, ModelIdentity, ModelSource, Texts } from '../embedder.ts';
import { checkLength, checkSum } from '../file-sums.ts';
import { COPY_AGAIN, modelUnavailable, requireFinite } from '../model-faults.ts';
import { FixedTexts, fixable } from './fixed-texts.ts';
import { embedKernels } from './kernels.ts';
import { readStaticManifest, type StaticManifest } from './static-manifest.ts';
import { TokenSums } from './token-sums.ts';
import { readVocabulary } from './vocabulary.ts';
import { WordPieces } from './word-pieces.ts';

/** Bytes of text between two looks at what else waits: about 20 ms. */
const TURN_BYTES = 1 << 18;

/** How a static model is opened. */
export type StaticOptions = Omit<ModelSource, 'folder'>;

/** Opens the static model of a folder. Throws model_unavailable. */
export function openStaticModel(folder: string, options: StaticOptions): StaticModel {
  const manifest = readStaticManifest(folder);
  const { dims, vocab } = manifest;
  for (const file of [manifest.vectors, manifest.scales, vocab]) checkLength(file);
  const text = readFileSync(vocab.path);
  checkSum(vocab, () => text);
  const scales = readScales(manifest);
  const rows = mapFile(manifest.vectors.path);
  const regions: Pick<Region, 'release'>[] = [rows];
  try {
    checkSum(manifest.vectors, () => rows.bytes, options.remembered);
    const kernels = embedKernels(rows.arena);
    const file = { path: vocab.path, text };
    const vocabulary = readVocabulary(file, manifest.vocabSize, rows.arena, kernels);
    regions.push(vocabulary.region);
    const sums = new TokenSums(rows, scales, dims, kernels);
    regions.push(sums);
    const pieces = new WordPieces(vocabulary, manifest, sums);
    let fixed: FixedTexts | null = null;
    if (fixable(dims)) {
      const { arena } = rows;
      const parts = { arena, vocabulary, rules: manifest, dims, sums, pieces, kernels };
      fixed = new FixedTexts(parts);
      regions.push(fixed);
    }
    const identity = Object.freeze({ name: options.name, checksum: manifest.checksum, dims });
    const source = Object.freeze({ folder, name: options.name, remembered: options.remembered });
    return new StaticModel({ identity, source }, regions, { sums, pieces, fixed });
  } catch (error) {
    for (const each of regions) each.release();
    throw error;
  }
}

function readScales({ scales, vocabSize }: StaticManifest): Float32Array {
  const bytes = readFileSync(scales.path);
  checkSum(scales, () => bytes);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const values = Float32Array.from({ length: vocabSize }, (_, i) => view.getFloat32(4 * i, true));
  const wrong = values.findIndex((value) => !Number.isFinite(value));
  if (wrong < 0) return values;
  const found = `has ${values[wrong]} for token ${wrong}; expected a finite number`;
  throw modelUnavailable({ path: scales.path, found, hint: COPY_AGAIN });
}

/** An open static model. */
export class StaticModel implements Embedder {
  readonly identity: ModelIdentity;
  readonly source: ModelSource;
  readonly #regions: readonly Pick<Region, 'release'>[];
  readonly #sums: TokenSums;
  readonly #pieces: WordPieces;
  readonly #fixed: FixedTexts | null;
  #closed = false;

  constructor(
    { identity, source }: Pick<StaticModel, 'identity' | 'source'>,
    regions: readonly Pick<Region, 'release'>[],
    { sums, pieces, fixed }: { sums: TokenSums; pieces: WordPieces; fixed: FixedTexts | null },
  ) {
    this.identity = identity;
    this.source = source;
    this.#regions = regions;
    this.#sums = sums;
    this.#pieces = pieces;
    this.#fixed = fixed;
  }

  async embed({ offsets, bytes }: Texts): Promise<Float32Array> {
    const { dims } = this.identity;
    const count = offsets.length - 1;
    const vectors = new Float32Array(count * dims);
    let turn = offsets[0] + TURN_BYTES;
    let squares = 0;
    for (let i = 0; i < count; i++) {
      if (offsets[i] > turn) {
        await setImmediate();
        turn = offsets[i] + TURN_BYTES;
      }
      if (this.#closed) throw new LhsError('interrupted', 'the model was closed');
      this.#pieces.read(bytes, offsets[i], offsets[i + 1]);
      squares += this.#sums.take(vectors, i * dims);
    }
    if (!Number.isFinite(squares)) requireFinite(vectors, this.identity.name);
    return vectors;
  }

  hasWord(word: string): boolean {
    if (this.#closed) throw new LhsError('interrupted', 'the model was closed');
    const bytes = new TextEncoder().encode(word);
    this.#pieces.read(bytes, 0, bytes.length);
    const { count } = this.#sums;
    this.#sums.take(new Float32Array(this.identity.dims), 0);
    return count === 1;
  }

  async fixedHere(texts: Texts): Promise<FixedVectors> {
    const { dims } = this.identity;
    if (this.#fixed === null) return fixVectors(await this.embed(texts), dims);
    const { offsets } = texts;
    const count = offsets.length - 1;
    const out = { scales: new Float32Array(count), codes: new Int16Array(count * dims) };
    let turn = offsets[0] + TURN_BYTES;
    let squares = 0;
    for (let i = 0, to = 0; i < count; i = to) {
      if (offsets[i] > turn) {
        await setImmediate();
        turn = offsets[i] + TURN_BYTES;
      }
      if (this.#closed) throw new LhsError('interrupted', 'the model was closed');
      to = this.#fixed.end(texts, i);
      squares += this.#fixed.fix(texts, i, to, out);
    }
    // `embed` finds the number that is not finite.
    return Number.isFinite(squares) ? out : fixVectors(await this.embed(texts), dims);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const regions of this.#regions) regions.release();
  }
}
