import type { Embedder, OpenEmbedder } from '../../embed/embedder.ts';

/** Open models at most: a transformer holds hundreds of megabytes. */
const MOST_MODELS = 4;

/** An open model. */
interface OpenModel {
  readonly embedder: Promise<Embedder>;
  /** Checksums that its files do not have: they are not read again for these. */
  readonly missed: Set<string>;
}

/**
 * The models that searches use. They stay open until the engine closes; beyond the limit, the least
 * recently used one is closed.
 */
export class OpenModels {
  readonly #openEmbedder: OpenEmbedder;
  /** By folder of the definition and name, the most recently used last. */
  readonly #open = new Map<string, OpenModel>();

  constructor(openEmbedder: OpenEmbedder) {
    this.#openEmbedder = openEmbedder;
  }

  /**
   * A model by its name in a definition of the folder `baseDir`. Where the one that is open has
   * another checksum than the index was built with, its files are read anew: they may have changed.
   * Throws model_unavailable, and tries again with the next call.
   */
  async open(model: string, baseDir: string, checksum?: string): Promise<Embedder> {
    const name = JSON.stringify([model, baseDir]);
    const open = this.#open.get(name);
    if (open === undefined) return this.#keep(name, model, baseDir).embedder;
    this.#open.delete(name);
    this.#open.set(name, open);
    const embedder = await open.embedder;
    if (checksum === undefined || embedder.identity.checksum === checksum) return embedder;
    if (open.missed.has(checksum)) return embedder;
    open.missed.add(checksum);
    // Another search may have read them anew meanwhile.
    const now = this.#open.get(name);
    if (now !== undefined && now !== open) return now.embedder;
    const fresh = this.#keep(name, model, baseDir);
    fresh.missed.add(checksum);
    void closeModel(open.embedder);
    return fresh.embedder;
  }

  /** Closes all of them. */
  async close(): Promise<void> {
    const all = [...this.#open.values()];
    this.#open.clear();
    for (const { embedder } of all) await closeModel(embedder);
  }

  #keep(name: string, model: string, baseDir: string): OpenModel {
    const open = { embedder: this.#openEmbedder(model, baseDir), missed: new Set<string>() };
    open.embedder.catch(() => {
      if (this.#open.get(name) === open) this.#open.delete(name);
    });
    this.#open.delete(name);
    this.#open.set(name, open);
    this.#shrink();
    return open;
  }

  #shrink(): void {
    for (const [name, { embedder }] of this.#open) {
      if (this.#open.size <= MOST_MODELS) return;
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
