import { Worker } from 'node:worker_threads';
import { LhsError } from '@lakehouse-search/contract';
import type { BuildThread } from '../index/build-threads.ts';
import type { DocumentBlock, FieldBlock } from '../schema/field-block.ts';
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
    const own = copyOf(block, this.#needs.fields, this.#needs.rows);
    const transfer = buffersOf(own);
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

/** The part of a block that a share needs, in memory of its own: the caller keeps the rest. */
function copyOf(block: DocumentBlock, names: ReadonlySet<string>, rows: boolean): DocumentBlock {
  const fields = new Map<string, FieldBlock>();
  for (const [name, field] of block.fields) if (names.has(name)) fields.set(name, copied(field));
  const { docs, hashed } = block;
  if (!rows) return { ...NO_ROWS, docs, fields };
  return {
    docs,
    keyOffsets: block.keyOffsets.slice(0, docs + 1),
    keyBytes: block.keyBytes.slice(0, block.keyOffsets[docs]),
    files: block.files.slice(),
    positions: block.positions.slice(),
    hashes: block.hashes.slice(),
    ...(hashed === undefined ? {} : { hashed }),
    fields,
  };
}

const NO_ROWS = Object.freeze({
  keyOffsets: new Int32Array(0),
  keyBytes: new Uint8Array(0),
  files: new Int32Array(0),
  positions: new Int32Array(0),
  hashes: new BigUint64Array(0),
});

/** A copy of the values. The buffer of a view can be much larger than the view. */
function copied(field: FieldBlock): FieldBlock {
  const starts = field.starts.slice();
  const count = starts[starts.length - 1];
  switch (field.kind) {
    case 'bytes': {
      const from = count === 0 ? 0 : field.offsets[0];
      const offsets = new Int32Array(count + 1);
      for (let i = 0; i < count; i++) offsets[i + 1] = field.offsets[i + 1] - from;
      return { ...field, starts, offsets, bytes: field.bytes.slice(from, from + offsets[count]) };
    }
    case 'long':
      return { ...field, starts, values: field.values.slice(0, count) };
    case 'double':
      return { ...field, starts, values: field.values.slice(0, count) };
    case 'vector': {
      const scales = field.scales.slice(0, count);
      return { ...field, starts, scales, codes: field.codes.slice(0, count * field.dims) };
    }
  }
}

function buffersOf(block: DocumentBlock): readonly ArrayBuffer[] {
  const { keyOffsets, keyBytes, files, positions, hashes, fields } = block;
  const rows =
    block.keyOffsets.length === 0 ? [] : [keyOffsets, keyBytes, files, positions, hashes];
  const values = [...fields.values()].flatMap((field): readonly ArrayBufferView[] => {
    switch (field.kind) {
      case 'bytes':
        return [field.starts, field.offsets, field.bytes];
      case 'vector':
        return [field.starts, field.scales, field.codes];
      default:
        return [field.starts, field.values];
    }
  });
  return [...rows, ...values].map(({ buffer }) => buffer as ArrayBuffer);
}
