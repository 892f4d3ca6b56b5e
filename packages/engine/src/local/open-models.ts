import type { Embedder, OpenEmbedder } from '../embed/embedder.ts';

/** Models that are kept open: a transformer holds hundreds of megabytes. */
const KEPT_MODELS = 4;

/** A model that is kept open. */
interface KeptModel {
  readonly embedder: Promise<Embedder>;
  /** Checksums that an index asked for in vain: its files are not read for them again. */
  readonly missed: Set<string>;
}

/**
 * Models that searches have asked for, open until the engine closes or others take their place; the
 * one that was asked longest ago goes first.
 */
export class OpenModels {
  readonly #openEmbedder: OpenEmbedder;
  /** By folder of the definition and name; the last asked last. */
  readonly #open = new Map<string, KeptModel>();

  constructor(openEmbedder: OpenEmbedder) {
    this.#openEmbedder = openEmbedder;
  }

  /**
   * A model by its name in a definition of the folder `baseDir`. Where the one that is open has
   * another checksum than the index was built with, its files are read anew: they may have changed.
   * Throws model_unavailable, and tries again when it is asked again.
   */
  async open(model: string, baseDir: string, checksum?: string): Promise<Embedder> {
    const name = JSON.stringify([model, baseDir]);
    const kept = this.#open.get(name);
    if (kept === undefined) return this.#keep(name, model, baseDir).embedder;
    this.#open.delete(name);
    this.#open.set(name, kept);
    const embedder = await kept.embedder;
    if (checksum === undefined || embedder.identity.checksum === checksum) return embedder;
    if (kept.missed.has(checksum)) return embedder;
    kept.missed.add(checksum);
    // Another search may have read them anew meanwhile.
    const now = this.#open.get(name);
    if (now !== undefined && now !== kept) return now.embedder;
    const fresh = this.#keep(name, model, baseDir);
    fresh.missed.add(checksum);
    void closeModel(kept.embedder);
    return fresh.embedder;
  }

  /** Closes all of them. */
  async close(): Promise<void> {
    const all = [...this.#open.values()];
    this.#open.clear();
    for (const { embedder } of all) await closeModel(embedder);
  }

  #keep(name: string, model: string, baseDir: string): KeptModel {
    const kept = { embedder: this.#openEmbedder(model, baseDir), missed: new Set<string>() };
    kept.embedder.catch(() => {
      if (this.#open.get(name) === kept) this.#open.delete(name);
    });
    this.#open.delete(name);
    this.#open.set(name, kept);
    this.#shrink();
    return kept;
  }

  #shrink(): void {
    for (const [name, { embedder }] of this.#open) {
      if (this.#open.size <= KEPT_MODELS) return;
      this.#open.delete(name);
      void closeModel(embedder);
    }
  }
}

/** One that could not be opened has nothing to close. */
async function closeModel(model: Promise<Embedder>): Promise<void> {
  const embedder = await model.catch(() => null);
  await embedder?.close();
}
