import { modelFolderName } from '../embed/cache/cache-format.ts';
import type { CommittedField } from '../index/commits/commit.ts';
import type { SegmentReader } from '../segment/segment-reader.ts';
import { VectorHash } from './vector-hash.ts';

const STEP_VECTORS = 1000;

/** Hashes of the vectors of one model's fields. */
interface ModelVectors {
  /** Of live documents. */
  readonly live: Set<number>;
  /** Of documents with an erased key: the number of the key. */
  readonly erased: Map<number, number>;
}

/** The vectors in the segments of an index, by the folder name of the model that made them. */
export class VectorsSeen {
  readonly #models = new Map<string, ModelVectors>();
  readonly #walked = new Set<string>();

  /** Of a model; nothing was seen of an unknown one. */
  of(folder: string): ModelVectors {
    let known = this.#models.get(folder);
    if (known === undefined)
      this.#models.set(folder, (known = { live: new Set(), erased: new Map() }));
    return known;
  }

  /** Takes the vectors of a segment's live documents without an erased key, each file once. */
  *addLive(
    reader: SegmentReader,
    fields: readonly CommittedField[],
    erased: ReadonlySet<number>,
  ): Generator<void, void, undefined> {
    const name = `${reader.path}/${reader.id}/${reader.deletedDocs}`;
    if (this.#walked.has(name)) return;
    this.#walked.add(name);
    for (const { vectors, folder } of modelFields(reader, fields)) {
      const { live } = this.of(folder);
      const hash = new VectorHash(vectors.dims);
      for (let slot = 0; slot < vectors.count; slot++) {
        if (slot % STEP_VECTORS === 0) yield;
        const doc = vectors.docAt(slot);
        if (reader.isDeleted(doc) || erased.has(doc)) continue;
        vectors.codes(slot, hash.codes);
        live.add(hash.of(vectors.scales[slot]));
      }
    }
  }

  /** Takes the vectors of a document with an erased key. */
  addErased(
    reader: SegmentReader,
    doc: number,
    key: number,
    fields: readonly CommittedField[],
  ): void {
    for (const { vectors, folder } of modelFields(reader, fields)) {
      const slot = vectors.slotOf(doc);
      if (slot < 0) continue;
      const hash = new VectorHash(vectors.dims);
      vectors.codes(slot, hash.codes);
      this.of(folder).erased.set(hash.of(vectors.scales[slot]), key);
    }
  }
}

function modelFields(reader: SegmentReader, fields: readonly CommittedField[]) {
  return fields.flatMap(({ id, vector }) => {
    const vectors = vector?.model ? reader.vectors(id) : null;
    if (vectors === null || !vector?.model) return [];
    const { name, checksum } = vector.model;
    return [{ vectors, folder: modelFolderName({ name, checksum, dims: vector.dims }) }];
  });
}
