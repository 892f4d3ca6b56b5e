import { Worker } from 'node:worker_threads';
import { LhsError } from '@lakehouse-search/contract';
import { arraysOfBlock, copyOfBlock } from '../documents/block-memory.ts';
import type { BuildThread } from '../index/build-threads.ts';
import type { DocumentBlock } from '../schema/field-block.ts';
import type { Component } from '../segment/entry.ts';
import { errorFromPlain } from '../shard/bytes.ts';
import type { BuildSettings, FromBuildThread, ToBuildThread } from './build-messages.ts';

/** Heap of a thread, MiB: documents and postings lie outside of it. */
const HEAP_MB = 1024;

interface Waiting<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(error: unknown): void;
}

/** A build thread and what is on its way to it and back. */
export class ShareThread implements BuildThread {
  readonly #worker: Worker;
  /** Names of the fields that it needs, and whether it needs the rows. */
  readonly #needs: { readonly fields: ReadonlySet<string>; readonly rows: boolean };
  readonly #mostSent: number;
  readonly #ended = Promise.withResolvers<void>();
  readonly #finishing = new Map<string, Waiting<readonly Component[]>>();
  #ready: Waiting<void> | null = null;
  #sent = 0;
  #held = 0;
  #failure: unknown = null;
  #closed = false;

  /** `mostSent`: bytes of documents that may be on their way. */
  constructor(entry: URL, settings: BuildSettings, mostSent: number) {
    this.#needs = needsOf(settings);
    this.#mostSent = mostSent;
    this.#worker = new Worker(entry, {
      workerData: settings,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
      name: 'lhs build',
    });
    this.#worker.on('message', (message: FromBuildThread) => this.#receive(message));
    this.#worker.on('error', (error) => this.#fail(threadEnded(error)));
    this.#worker.on('exit', () => {
      this.#fail(threadEnded(null));
      this.#ended.resolve();
    });
  }

  get bytes(): number {
    return this.#held + this.#sent;
  }

  ready(): Promise<void> | null {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    if (this.#sent <= this.#mostSent) return null;
    this.#ready ??= Promise.withResolvers<void>();
    return this.#ready.promise;
  }

  add(buffer: string, block: DocumentBlock): void {
    const own = copyOfBlock(block, this.#needs.fields, this.#needs.rows);
    const transfer = arraysOfBlock(own).map(({ buffer }) => buffer as ArrayBuffer);
    const bytes = transfer.reduce((sum, { byteLength }) => sum + byteLength, 0);
    this.#sent += bytes;
    this.#send({ kind: 'add', buffer, block: own, bytes }, transfer);
  }

  finish(buffer: string, id: string): Promise<readonly Component[]> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    const waiting = Promise.withResolvers<readonly Component[]>();
    this.#finishing.set(id, waiting);
    this.#send({ kind: 'finish', buffer, id });
    return waiting.promise;
  }

  clear(): void {
    this.#send({ kind: 'clear' });
    this.#held = 0;
  }

  /** Ends the thread; when it has ended, it writes no file any more. Idempotent. */
  async close(): Promise<void> {
    if (!this.#closed) void this.#worker.terminate();
    this.#closed = true;
    await this.#ended.promise;
  }

  #send(message: ToBuildThread, transfer: readonly ArrayBuffer[] = []): void {
    if (this.#failure === null) this.#worker.postMessage(message, transfer);
  }

  #receive(message: FromBuildThread): void {
    switch (message.kind) {
      case 'added':
        this.#sent -= message.bytes;
        this.#held = message.held;
        if (this.#sent <= this.#mostSent) this.#release();
        return;
      case 'finished':
        this.#finishing.get(message.id)?.resolve(message.components);
        this.#finishing.delete(message.id);
        return;
      case 'failed':
        this.#fail(errorFromPlain(message.error));
    }
  }

  #release(): void {
    this.#ready?.resolve();
    this.#ready = null;
  }

  /** The first failure is what every later call throws. */
  #fail(error: unknown): void {
    this.#failure ??= error;
    this.#ready?.promise.catch(() => {});
    this.#ready?.reject(this.#failure);
    this.#ready = null;
    for (const waiting of this.#finishing.values()) waiting.reject(this.#failure);
    this.#finishing.clear();
  }
}

const threadEnded = (cause: unknown): LhsError => {
  const why = cause instanceof Error ? cause.message : 'it ended';
  return new LhsError('internal', `a build thread failed: ${why}`, { cause });
};

function needsOf({ plans, share }: BuildSettings) {
  const own = plans.filter(({ id, stored }) => share.fields.includes(id) || (share.rows && stored));
  return { fields: new Set(own.map(({ name }) => name)), rows: share.rows };
}
