import { Worker } from 'node:worker_threads';
import { LhsError } from '@lakehouse-search/contract';
import { requireWorker, workerEntry } from '../../base/worker-entry.ts';
import type { Texts } from '../embedder.ts';
import type { SessionFault, SessionJob } from './transformer-session.ts';

/** Texts to embed, in a message. */
export type Request = Texts;
/** Messages of the thread: first whether it runs, then a response to each request. */
export type Answer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'fault'; readonly fault: SessionFault }
  | { readonly kind: 'vectors'; readonly vectors: Float32Array }
  | { readonly kind: 'failed'; readonly message: string };

const ENTRY = workerEntry('transformer-worker', import.meta.url);
/** Heap of the thread in MiB, without weights and activations. */
const HEAP_MB = 1024;

/** The thread of one transformer: one request at a time. */
export class TransformerThread {
  readonly #worker: Worker;
  #waiting: PromiseWithResolvers<Answer> | null = null;
  #ended: LhsError | null = null;

  private constructor(job: SessionJob) {
    this.#worker = new Worker(ENTRY, {
      workerData: job,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
      name: 'lhs embed',
    });
    this.#worker.on('message', (answer: Answer) => this.#settle(answer));
    this.#worker.on('error', (error) => this.#end(error));
    this.#worker.on('exit', () => this.#end(new Error('it exited')));
  }

  /** Starts a thread; gives it once the model runs, or what keeps it from running. */
  static async start(job: SessionJob): Promise<TransformerThread | SessionFault> {
    requireWorker(ENTRY, 'a transformer');
    const thread = new TransformerThread(job);
    const first = await thread.#next();
    if (first.kind === 'ready') return thread;
    await thread.stop();
    if (first.kind === 'fault') return first.fault;
    throw new LhsError('internal', `the thread of "${job.model.folder}" began with ${first.kind}`);
  }

  /** The vectors of some texts. Throws internal where the model or the thread fails. */
  async embed(request: Request): Promise<Float32Array> {
    const answer = this.#next();
    if (this.#ended === null) this.#worker.postMessage(request);
    const said = await answer;
    if (said.kind === 'vectors') return said.vectors;
    const why = said.kind === 'failed' ? said.message : said.kind;
    throw new LhsError('internal', `embedding failed: ${why}`);
  }

  /** Whether it takes no more requests. */
  get ended(): boolean {
    return this.#ended !== null;
  }

  /** Ends the thread; waiting requests fail. */
  async stop(): Promise<void> {
    this.#end(new LhsError('interrupted', 'the model was closed'));
    await this.#worker.terminate();
  }

  /** The process stays alive while an answer is awaited, and only then. */
  #next(): Promise<Answer> {
    if (this.#ended !== null) return Promise.reject(this.#ended);
    this.#worker.ref();
    this.#waiting = Promise.withResolvers();
    return this.#waiting.promise;
  }

  #settle(answer: Answer): void {
    this.#worker.unref();
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.resolve(answer);
  }

  #end(cause: Error): void {
    const error =
      cause instanceof LhsError
        ? cause
        : new LhsError('internal', `the thread of a model ended: ${cause.message}`, { cause });
    this.#ended ??= error;
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.reject(this.#ended);
  }
}
