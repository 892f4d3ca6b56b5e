import { Worker } from 'node:worker_threads';
import { LhsError } from '@lakehouse-search/contract';
import { type FixedVectors, fixVectors } from '../base/fixed-vector.ts';
import type {
  Embedder,
  ModelIdentity,
  ModelSource,
  OpenEmbedder,
  Texts,
} from '../embed/embedder.ts';
import { errorFromPlain } from '../shard/bytes.ts';
import type { FromEmbedThread, ToEmbedThread } from './embed-messages.ts';
import { EMBED_WORKER } from './entries.ts';

/** Fewer texts are embedded by the caller's thread: a thread takes 0.1 s to start. */
const LEAST_TEXTS = 256;
/** Heap of a thread, MiB: the model and the vectors lie outside of it. */
const HEAP_MB = 256;

/**
 * Opens models whose texts are embedded by `threads` threads. Models that threads cannot open stay
 * as they are. Vectors are the same as without threads.
 */
export const embedThreads =
  (open: OpenEmbedder, threads: number): OpenEmbedder =>
  async (model, from) => {
    const embedder = await open(model, from);
    const { source } = embedder;
    if (source === undefined || threads === 0) return embedder;
    return new ThreadedEmbedder(embedder, source, threads);
  };

/** A model that is open in this thread and, from the first large portion on, in others. */
export class ThreadedEmbedder implements Embedder {
  readonly identity: ModelIdentity;
  readonly #own: Embedder;
  readonly #source: ModelSource;
  readonly #count: number;
  #threads: readonly EmbedThread[] | null = null;
  #closed = false;

  constructor(own: Embedder, source: ModelSource, threads: number) {
    this.identity = own.identity;
    this.#own = own;
    this.#source = source;
    this.#count = threads;
  }

  embed(texts: Texts): Promise<Float32Array> {
    return this.#own.embed(texts);
  }

  fixedHere(texts: Texts): Promise<FixedVectors> {
    const own = this.#own;
    if (own.fixedHere !== undefined) return own.fixedHere(texts);
    return own.embed(texts).then((values) => fixVectors(values, this.identity.dims));
  }

  /** Null: too few texts for threads. Throws what a thread throws. */
  embedFixed(texts: Texts): Promise<FixedVectors> | null {
    const count = texts.offsets.length - 1;
    if (this.#closed || count < LEAST_TEXTS) return null;
    this.#threads ??= Array.from({ length: this.#count }, () => new EmbedThread(this.#source));
    const all = this.#threads;
    const cut = (at: number) => Math.floor((count * at) / all.length);
    const running = all.map((thread, i) => thread.run(slice(texts, cut(i), cut(i + 1))));
    return all.length === 1 ? running[0] : Promise.all(running).then(joined);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#threads?.map((thread) => thread.close()) ?? []);
    this.#threads = null;
    await this.#own.close();
  }
}

/** The texts [from, to) in memory of their own. */
function slice({ offsets, bytes }: Texts, from: number, to: number): Texts {
  const start = offsets[from];
  return {
    offsets: offsets.slice(from, to + 1).map((offset) => offset - start),
    // Not `slice`: that of a Buffer copies nothing.
    bytes: new Uint8Array(bytes.subarray(start, offsets[to])),
  };
}

function joined(parts: readonly FixedVectors[]): FixedVectors {
  const scales = new Float32Array(parts.reduce((sum, part) => sum + part.scales.length, 0));
  const codes = new Int16Array(parts.reduce((sum, part) => sum + part.codes.length, 0));
  let texts = 0;
  let at = 0;
  for (const part of parts) {
    scales.set(part.scales, texts);
    codes.set(part.codes, at);
    texts += part.scales.length;
    at += part.codes.length;
  }
  return { scales, codes };
}

/** A thread and the texts that it embeds. After it has ended, every call fails. */
class EmbedThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, PromiseWithResolvers<FixedVectors>>();
  #next = 0;
  #failure: unknown = null;

  constructor(source: ModelSource) {
    this.#worker = new Worker(EMBED_WORKER, {
      workerData: source,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
      name: 'lhs embed',
    });
    this.#worker.on('message', (message: FromEmbedThread) => this.#receive(message));
    this.#worker.on('error', (error) => this.#fail(error));
    this.#worker.on('exit', () => this.#fail(null));
  }

  /** The vectors of texts, whose memory goes to the thread. */
  run(texts: Texts): Promise<FixedVectors> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    const id = this.#next++;
    const transfer = [texts.offsets.buffer, texts.bytes.buffer] as ArrayBuffer[];
    this.#worker.postMessage({ id, texts } satisfies ToEmbedThread, transfer);
    const waiting = Promise.withResolvers<FixedVectors>();
    this.#waiting.set(id, waiting);
    return waiting.promise;
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #receive(message: FromEmbedThread): void {
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.kind === 'vectors') waiting?.resolve(message.vectors);
    else waiting?.reject(errorFromPlain(message.error));
  }

  #fail(cause: unknown): void {
    const why = cause instanceof Error ? cause.message : 'it ended';
    this.#failure ??= new LhsError('internal', `an embedding thread failed: ${why}`, { cause });
    for (const { reject } of this.#waiting.values()) reject(this.#failure);
    this.#waiting.clear();
  }
}
