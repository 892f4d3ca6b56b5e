import { type CallContext, type ErrorCode, LhsError } from '@lakehouse-search/contract';
import type { NodeClient } from '../cluster/node-client.ts';
import type { NodeWatch } from '../cluster/node-watch.ts';
import type { Replica, RoutingSource } from '../cluster/routing.ts';
import type { NodeSpans } from '../observe/node-spans.ts';
import type { Hedging } from './hedging.ts';
import type { ReadTime } from './read-time.ts';

/** What the steps of one read share. */
export interface ReadReach {
  readonly index: string;
  readonly routing: Pick<RoutingSource, 'isDown' | 'faultOf' | 'failed' | 'outdated'>;
  readonly node: (address: string) => NodeClient;
  /** Ends reads of nodes that are stopped. */
  readonly watch: NodeWatch;
  readonly hedging: Hedging;
  /** Time of a node for all steps of the read. */
  readonly time: ReadTime;
  readonly call: CallContext;
  /** Makes a span of each read. Absent: there are none. */
  readonly nodeSpans?: NodeSpans | undefined;
}

/** A read that each of some copies can answer. */
export interface CopyRead<T> {
  /** Ordinals of the shards that are read; none: the whole commit. */
  readonly shards: readonly number[];
  readonly operation: string;
  readonly request: Uint8Array;
  /** Throws the error of the node. */
  readonly decode: (answer: Uint8Array) => T;
  /** Default: that of the call. */
  readonly signal?: AbortSignal | undefined;
  /** The step has no more time than this. */
  readonly millis?: number | undefined;
}

/** An answer, and the copy that gave it. */
export interface CopyAnswer<T> {
  readonly answer: T;
  readonly copy: Replica;
}

/** What shows why nodes have no data, and what is done about it. */
export const STATUS_HINT =
  'the status of the index names missing shards and what is done about them';

/** The error of data whose nodes are gone, or have lost their disks. */
export const noData = (what: string, details: { commit?: string } = {}): LhsError =>
  new LhsError('unreachable', `no node has the data of ${what}`, { hint: STATUS_HINT, details });

/** Errors of a node that has lost an index which is read there, or has not opened it yet. */
const WITHOUT_INDEX: readonly ErrorCode[] = ['index_not_found', 'index_not_built'];
const OF_NODE: ReadonlySet<ErrorCode> = new Set([
  ...WITHOUT_INDEX,
  ...(['unreachable', 'not_found', 'io_error', 'corrupt_index', 'internal', 'closed'] as const),
]);

/** Failures that another copy may not have. */
export const isOfNode = (error: unknown): error is LhsError =>
  error instanceof LhsError && OF_NODE.has(error.code);

/** Whether a node does not have what the route says that it has. */
const lacksCommit = ({ code, details }: LhsError): boolean =>
  WITHOUT_INDEX.includes(code) || (code === 'not_found' && 'commit' in details);

/** Whether no copy that answers has the commit of the route. */
export const isOutdated = ({ code, details }: LhsError): boolean =>
  code === 'unreachable' && 'commit' in details;

/** Copies in the order of reads: nodes that are down are the last resort; none if all are down. */
export function readable(
  copies: readonly Replica[],
  routing: Pick<RoutingSource, 'isDown'>,
): readonly Replica[] {
  const up = copies.filter(({ address }) => !routing.isDown(address));
  if (up.length === 0 || up.length === copies.length) return up;
  return [...up, ...copies.filter((copy) => !up.includes(copy))];
}

/**
 * The answer of the first of these copies that answers. The next one is read when one fails, or is
 * late (hedging.ts); the first answer ends the other reads. `failed` receives the copies that fail.
 * Throws the error of the last copy, and any error that is not of a node; unreachable if a copy
 * lacks the commit: then the route is outdated.
 */
export function readCopies<T>(
  reach: ReadReach,
  copies: readonly Replica[],
  read: CopyRead<T>,
  failed: (copy: Replica) => void = () => {},
): Promise<CopyAnswer<T>> {
  // a node that has not answered a probe yet may have stopped
  const isProbed = ({ address }: Replica) => reach.watch.isProbed(address);
  const order = copies.some(isProbed)
    ? copies.toSorted((a, b) => Number(isProbed(a)) - Number(isProbed(b)))
    : copies;
  return new CopyRace(reach, order, read, failed).run();
}

/** Why a read ends that another copy has answered. */
const ANSWERED = new LhsError('interrupted', 'another copy of the shard has answered');

class CopyRace<T> {
  readonly #reach: ReadReach;
  readonly #read: CopyRead<T>;
  readonly #failed: (copy: Replica) => void;
  readonly #left: Replica[];
  readonly #running = new Map<Replica, AbortController>();
  readonly #began = performance.now();
  readonly #ended = Promise.withResolvers<CopyAnswer<T>>();
  #timer: NodeJS.Timeout | undefined;
  #isLacking = false;
  #isOver = false;

  constructor(
    reach: ReadReach,
    copies: readonly Replica[],
    read: CopyRead<T>,
    failed: (copy: Replica) => void,
  ) {
    this.#reach = reach;
    this.#read = read;
    this.#failed = failed;
    this.#left = [...copies];
  }

  run(): Promise<CopyAnswer<T>> {
    const [first] = this.#left;
    const late = this.#reach.hedging.begin(this.#kind);
    // answers that have arrived are read before the next turn
    if (this.#left.length > 1) {
      this.#timer = setTimeout(() => setImmediate(() => this.#hedge(first)), late);
    }
    this.#start();
    return this.#ended.promise;
  }

  get #kind(): string {
    return `${this.#reach.index} ${this.#read.operation}`;
  }

  #start(): void {
    const copy = this.#left.shift() as Replica;
    const stop = new AbortController();
    this.#running.set(copy, stop);
    readCopy(this.#reach, copy, this.#read, stop).then(
      (answer) => this.#answered(copy, answer),
      (error: unknown) => this.#lost(copy, error),
    );
  }

  /** Reads the next copy beside one that is late. */
  #hedge(first: Replica): void {
    const { hedging, watch, routing } = this.#reach;
    const next = this.#left.at(0);
    if (this.#isOver || next === undefined || routing.isDown(next.address)) return;
    if (!hedging.take()) return;
    watch.faultSince(first.address, this.#began).then((fault) => {
      if (fault !== undefined) routing.failed(first.address, fault);
    });
    this.#start();
  }

  #answered(copy: Replica, answer: T): void {
    if (this.#isOver) return;
    this.#running.delete(copy);
    this.#reach.hedging.answered(this.#kind, performance.now() - this.#began);
    this.#end();
    this.#ended.resolve({ answer, copy });
  }

  #lost(copy: Replica, error: unknown): void {
    if (this.#isOver) return;
    this.#running.delete(copy);
    if (!isOfNode(error)) {
      this.#fail(error);
      return;
    }
    this.#failed(copy);
    this.#isLacking ||= lacksCommit(error);
    if (this.#running.size > 0) return;
    if (this.#left.length > 0) this.#start();
    else this.#fail(this.#isLacking ? this.#outdated(copy) : error);
  }

  #outdated({ commit }: Replica): LhsError {
    const { routing, index } = this.#reach;
    routing.outdated(index);
    return noData(`commit "${commit}" of index "${index}"`, { commit });
  }

  #fail(error: unknown): void {
    this.#end();
    this.#ended.reject(error);
  }

  #end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    for (const stop of this.#running.values()) stop.abort(ANSWERED);
  }
}

/** Reads a copy in a span. Throws unreachable if the node does not answer in its time. */
function readCopy<T>(
  reach: ReadReach,
  copy: Replica,
  read: CopyRead<T>,
  stop: AbortController,
): Promise<T> {
  const { index, nodeSpans } = reach;
  const work = async (traceparent?: string) =>
    read.decode(await answerOf(reach, copy, read, stop, traceparent));
  if (nodeSpans === undefined) return work();
  const { shards, operation } = read;
  return nodeSpans.sent({ node: copy.node, index, shards, operation }, work);
}

async function answerOf(
  { index, routing, node, watch, time, call }: ReadReach,
  { address, commit }: Replica,
  { operation, request, shards, signal, millis = Number.POSITIVE_INFINITY }: CopyRead<unknown>,
  stop: AbortController,
  traceparent: string | undefined,
): Promise<Uint8Array> {
  const left = time.left();
  const isLimitOfNode = left <= millis && !time.isOfCall;
  const deadline = Date.now() + Math.max(1, Math.min(left, millis));
  const { principal } = call;
  const settings = {
    deadline,
    ...(principal === undefined ? {} : { principal }),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
  try {
    const read = { index, commit, shard: shards[0] ?? 0, operation, request };
    const send = (watched: AbortSignal) =>
      node(address).read(read, { ...settings, signal: watched });
    return await watch.whileAlive(address, signal ?? call.signal, send, stop);
  } catch (error) {
    if (!(error instanceof LhsError)) throw error;
    const late = isLimitOfNode && error.code === 'deadline_exceeded';
    const message = `node ${address} did not answer within ${time.millis} ms`;
    const shown = late ? new LhsError('unreachable', message, { cause: error }) : error;
    if (shown.code === 'unreachable') routing.failed(address, shown);
    throw shown;
  }
}
