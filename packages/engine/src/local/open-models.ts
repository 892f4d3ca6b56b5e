import type { Embedder, OpenEmbedder } from '../embed/embedder.ts';

/** Models that are kept open: a transformer holds hundreds of megabytes. */
const KEPT_MODELS = 4;

/**
 * Models that searches have asked for, open until the engine closes or others take their place; the
 * one that was asked longest ago goes first.
 */
export class OpenModels {
  readonly #openEmbedder: OpenEmbedder;
  /** By folder of the definition and name; the last asked last. */
  readonly #open = new Map<string, Promise<Embedder>>();

  constructor(openEmbedder: OpenEmbedder) {
    this.#openEmbedder = openEmbedder;
  }

  /**
   * A model by its name in a definition of the folder `baseDir`. Throws model_unavailable, and tries
   * again when it is asked again.
   */
  async open(model: string, baseDir: string): Promise<Embedder> {
    const name = JSON.stringify([model, baseDir]);
    let opened = this.#open.get(name);
    if (opened === undefined) {
      opened = this.#openEmbedder(model, baseDir);
      opened.catch(() => this.#open.delete(name));
    }
    this.#open.delete(name);
    this.#open.set(name, opened);
    this.#shrink();
    return opened;
  }

  /** Closes all of them. */
  async close(): Promise<void> {
    const all = [...this.#open.values()];
    this.#open.clear();
    for (const one of all) await closeModel(one);
  }

  #shrink(): void {
    for (const [name, oldest] of this.#open) {
      if (this.#open.size <= KEPT_MODELS) return;
      this.#open.delete(name);
      void closeModel(oldest);
    }
  }
}

/** One that could not be opened has nothing to close. */
async function closeModel(model: Promise<Embedder>): Promise<void> {
  const embedder = await model.catch(() => null);
  await embedder?.close();
}
