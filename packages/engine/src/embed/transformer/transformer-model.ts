/**
 * A transformer that is open. Its thread starts with the first text; texts go there few at a time,
 * one call behind the other, so that memory is bounded by what the callers hold themselves.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { LhsError } from '@lakehouse-search/contract';
import type { Embedder, ModelIdentity, Texts } from '../embedder.ts';
import { COPY_AGAIN, modelUnavailable, requireFinite } from '../model-faults.ts';
import { readTransformer, type TransformerManifest } from './transformer-manifest.ts';
import { installCommand, locateRuntime, RUNTIME } from './transformer-runtime.ts';
import type { SessionFault } from './transformer-session.ts';
import { TransformerThread } from './transformer-thread.ts';

/** Texts and bytes of one message to the thread. */
const REQUEST_TEXTS = 16;
const REQUEST_BYTES = 1 << 20;
/** Texts of about a second. */
const PORTION = 32;
/** Calls that wait for the thread. */
const MOST_WAITING = 64;
const MOST_THREADS = 4;

/** How a transformer is opened. */
export interface TransformerOptions {
  /** What the definition calls it. */
  readonly name: string;
  /** A file that remembers which files were found whole. */
  readonly remembered?: string;
  /** Another package in the place of `@huggingface/transformers` (tests). */
  readonly runtime?: string;
}

/**
 * Opens the transformer of a folder. Throws model_unavailable, also where its package is missing.
 */
export function openTransformer(folder: string, options: TransformerOptions): Embedder {
  const name = options.runtime ?? RUNTIME;
  const manifest = readTransformer(folder, options.remembered);
  const runtime = locateRuntime(name);
  if (runtime === undefined) throw packageMissing(folder, `"${name}" is not installed`);
  return new TransformerModel(manifest, options, runtime);
}

const packageMissing = (folder: string, why: string): LhsError =>
  new LhsError('model_unavailable', `the model "${folder}" is a transformer: ${why}`, {
    hint: installCommand(),
    details: { path: folder },
  });

class TransformerModel implements Embedder {
  readonly identity: ModelIdentity;
  readonly portion = PORTION;
  readonly #manifest: TransformerManifest;
  readonly #runtime: string;
  readonly #remembered: string | undefined;
  #thread: Promise<TransformerThread> | null = null;
  #turn: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #closed = false;

  constructor(manifest: TransformerManifest, options: TransformerOptions, runtime: string) {
    const { checksum, dims } = manifest;
    this.identity = Object.freeze({ name: options.name, checksum, dims });
    this.#manifest = manifest;
    this.#remembered = options.remembered;
    this.#runtime = runtime;
  }

  embed(texts: Texts): Promise<Float32Array> {
    if (this.#waiting >= MOST_WAITING) {
      const what = `${MOST_WAITING} calls wait for the model "${this.identity.name}"`;
      return Promise.reject(new LhsError('limit_exceeded', what, { hint: 'ask again later' }));
    }
    this.#waiting++;
    const answer = this.#turn.then(() => this.#embed(texts)).finally(() => this.#waiting--);
    this.#turn = answer.catch(() => undefined);
    return answer;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const thread = await this.#thread?.catch(() => null);
    this.#thread = null;
    await thread?.stop();
  }

  async #embed({ offsets, bytes }: Texts): Promise<Float32Array> {
    const { dims } = this.identity;
    const count = offsets.length - 1;
    const vectors = new Float32Array(count * dims);
    for (let from = 0; from < count; ) {
      const to = requestEnd(offsets, from);
      const part = offsets.slice(from, to + 1).map((offset) => offset - offsets[from]);
      const thread = await this.#running();
      const own = bytes.slice(offsets[from], offsets[to]);
      vectors.set(await thread.embed({ offsets: part, bytes: own }), from * dims);
      from = to;
    }
    requireFinite(vectors, this.identity.name);
    return vectors;
  }

  /** The thread; started where there is none, again where it ended by itself. */
  async #running(): Promise<TransformerThread> {
    const before = await this.#thread?.catch(() => null);
    if (this.#closed) throw new LhsError('interrupted', 'the model was closed');
    if (before !== undefined && before !== null && !before.ended) return before;
    this.#thread = this.#start();
    return this.#thread;
  }

  async #start(): Promise<TransformerThread> {
    const { folder, checksum } = readTransformer(this.#manifest.folder, this.#remembered);
    if (checksum !== this.#manifest.checksum) {
      const found = 'and those beside it are not those that were opened';
      const hint = 'start again: they changed in the meantime';
      throw modelUnavailable({ path: join(folder, 'config.json'), found, hint });
    }
    const threads = Math.max(1, Math.min(MOST_THREADS, availableParallelism() - 1));
    const job = { model: this.#manifest, runtime: this.#runtime, threads };
    const started = await TransformerThread.start(job);
    if (started instanceof TransformerThread) return started;
    throw this.#faulty(started);
  }

  #faulty({ kind, message }: SessionFault): LhsError {
    if (kind === 'package') return packageMissing(this.#manifest.folder, message);
    const { files } = this.#manifest;
    const at = kind === 'tokenizer' ? /^tokenizer\.json$/ : /\.onnx$/;
    const path = files.find(({ name }) => at.test(name))?.path ?? this.#manifest.folder;
    return modelUnavailable({ path, found: `does not load: ${message}`, hint: COPY_AGAIN });
  }
}

function requestEnd(offsets: Int32Array, from: number): number {
  let to = from + 1;
  const last = Math.min(offsets.length - 1, from + REQUEST_TEXTS);
  while (to < last && offsets[to + 1] - offsets[from] <= REQUEST_BYTES) to++;
  return to;
}
