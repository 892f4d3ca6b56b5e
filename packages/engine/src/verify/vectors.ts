/**
 * Whether documents have a vector where their rows give one, while verify reads the rows:
 *
 * 1. Vectors that come with the rows: the row decides the presence.
 * 2. Of a text: none where it is empty. A document without a vector whose text is not empty is in
 *    doubt: the model may know nothing of it. Those texts are embedded in the end, without a cache.
 *
 * What the numbers of a vector are is not looked at: the checksums of its file are.
 */

import { LhsError } from '@lakehouse-search/contract';
import type { Batch } from '@lakehouse-search/lake';
import { fieldOfRows } from '../documents/rows-to-block.ts';
import type { Embedder } from '../embed/embedder.ts';
import type { Commit } from '../index/commits/commit.ts';
import { coordinatesOf, formatKey } from '../schema/keys/key.ts';
import type { MappedField } from '../schema/mapping.ts';
import { refuseAborted } from '../source/source-errors.ts';
import type { ComparedSides } from './sides.ts';

/** Opens the model of a plan. */
export type OpenModel = (model: string) => Promise<Embedder>;

/** Documents of one kind that are named at most. */
const SHOWN = 10;
/** Limit of doubtful texts and of their bytes; beyond it, a warning. */
const DOUBTS = 10_000;
const DOUBT_BYTES = 64 * 2 ** 20;

interface Doubt {
  readonly field: MappedField;
  readonly doc: number;
  readonly text: Uint8Array;
}

/** What is found about vectors; `faults` ends it. */
export class VectorPresence {
  readonly #sides: ComparedSides;
  readonly #fields: readonly MappedField[];
  readonly #wrong = new Map<string, number[]>();
  readonly #doubts: Doubt[] = [];
  #doubtBytes = 0;
  #passedOver = 0;

  constructor(sides: ComparedSides) {
    this.#sides = sides;
    this.#fields = sides.mapping.fields.filter(({ plan }) => plan.vector !== undefined);
  }

  /** Rows of a batch, and for each the document that is equal to it, or -1. */
  look(batch: Batch, docs: Int32Array): void {
    for (const field of this.#fields) this.#lookAt(field, batch, docs);
  }

  /**
   * What is wrong, a line a kind and field. `openModel` absent: doubts stay. Throws interrupted.
   */
  async faults(
    commit: Commit,
    openModel: OpenModel | undefined,
    signal?: AbortSignal,
  ): Promise<readonly string[]> {
    for (const field of this.#fields) {
      const own = this.#doubts.filter((doubt) => doubt.field === field);
      if (own.length > 0 && openModel !== undefined)
        await this.#settle(field, own, commit, openModel, signal);
    }
    if (this.#passedOver > 0) warn(`${this.#passedOver} texts are more than are tried`);
    return [...this.#wrong].map(([what, docs]) => this.#line(what, docs));
  }

  #lookAt(field: MappedField, batch: Batch, docs: Int32Array): void {
    const { plan } = field;
    const block = fieldOfRows(this.#sides.mapping, field, batch, new Map());
    for (let row = 0; row < batch.rows; row++) {
      const indexed = docs[row] < 0 ? null : this.#sides.docs.hasVector(docs[row], plan.id);
      if (indexed === null) continue;
      const value = block.starts[row];
      let present = value < block.starts[row + 1];
      if (block.kind === 'bytes') present &&= block.offsets[value] < block.offsets[value + 1];
      if (present === indexed) continue;
      if (indexed)
        this.#note(`has a vector in "${plan.name}" that its row does not give`, docs[row]);
      else if (block.kind !== 'bytes') this.#note(missing(field), docs[row]);
      else {
        const text = block.bytes.subarray(block.offsets[value], block.offsets[value + 1]);
        this.#doubt(field, docs[row], text);
      }
    }
  }

  #doubt(field: MappedField, doc: number, text: Uint8Array): void {
    if (this.#doubts.length >= DOUBTS || this.#doubtBytes + text.length > DOUBT_BYTES) {
      this.#passedOver++;
      return;
    }
    this.#doubts.push({ field, doc, text: text.slice() });
    this.#doubtBytes += text.length;
  }

  #note(what: string, doc: number): void {
    const docs = this.#wrong.get(what);
    if (docs === undefined) this.#wrong.set(what, [doc]);
    else docs.push(doc);
  }

  /** Without the model that the vectors were made by nothing can be said. */
  async #settle(
    field: MappedField,
    doubts: readonly Doubt[],
    { fields }: Commit,
    openModel: OpenModel,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { id, vector } = field.plan;
    const committed = fields.find((one) => one.id === id)?.vector?.model ?? null;
    const model = await openOrTell(vector!.model!, openModel);
    try {
      if (model === null) return;
      if (model.identity.checksum !== committed?.checksum) {
        warn(`model "${vector!.model}" is not the one that the index was built with`);
        return;
      }
      for (const { doc, text } of doubts) {
        refuseAborted(signal);
        const offsets = Int32Array.of(0, text.length);
        const found = await model.embed({ offsets, bytes: text });
        if (found.some((component) => component !== 0)) this.#note(missing(field), doc);
      }
    } finally {
      await model?.close();
    }
  }

  #line(what: string, docs: readonly number[]): string {
    const { mapping, docs: all } = this.#sides;
    const keys = docs
      .slice(0, SHOWN)
      .map((doc) => formatKey(coordinatesOf(mapping.key, all.key(doc))));
    const more = docs.length > SHOWN ? `, … (${docs.length} in all)` : '';
    return `a document ${what}: ${keys.join('; ')}${more}`;
  }
}

const missing = ({ plan }: MappedField): string =>
  `has no vector in "${plan.name}", its row gives one`;

async function openOrTell(model: string, openModel: OpenModel): Promise<Embedder | null> {
  try {
    return await openModel(model);
  } catch (error) {
    if (!(error instanceof LhsError)) throw error;
    warn(error.message);
    return null;
  }
}

function warn(why: string): void {
  process.emitWarning(`vectors that are missing were not looked for: ${why}`, 'LhsWarning');
}
