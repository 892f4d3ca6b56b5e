import { setTimeout as sleep } from 'node:timers/promises';
import { type ErrorCode, LhsError } from '@lakehouse-search/contract';
import type { NodeClient } from './node-client.ts';
import type { ProbeNode } from './silent-nodes.ts';

/**
 * Time in which a node that is read answers the read or a probe: nodes of a busy machine often need
 * some hundred milliseconds. A late read does not wait for it if another node has the shard.
 */
export const SILENCE_MS = 1000;
/** Turns of the event loop while a probe waits: a gateway that was delayed itself counts few. */
const TURNS = 8;
const SILENT: ReadonlySet<ErrorCode> = new Set(['unreachable', 'deadline_exceeded']);

/** A watch whose probes read the states of nodes. */
export const watchOver = (node: (address: string) => NodeClient, silenceMs?: number): NodeWatch =>
  new NodeWatch((address, deadline) => node(address).state({ deadline }), silenceMs);

/**
 * Tells a node that works on a read from one that is stopped or cut off: a node that has not
 * answered the read after a third of `silenceMs` has the rest of it to answer a probe. Reads of one
 * node share its probe.
 */
export class NodeWatch {
  readonly #probe: ProbeNode;
  readonly #silenceMs: number;
  readonly #probes = new Map<string, Promise<LhsError | undefined>>();
  /** When a node answered a read the last time. */
  readonly #answered = new Map<string, number>();

  constructor(probe: ProbeNode, silenceMs: number = SILENCE_MS) {
    this.#probe = probe;
    this.#silenceMs = silenceMs;
  }

  /** True while a node has not answered a probe. */
  isProbed(address: string): boolean {
    return this.#probes.has(address);
  }

  /**
   * The fault of a node that answers no probe, and no read that waits since a
   * `performance.now()`.
   */
  async faultSince(address: string, since: number): Promise<LhsError | undefined> {
    if ((this.#answered.get(address) ?? 0) >= since) return undefined;
    return this.#probed(address, performance.now() - since);
  }

  /**
   * The answer of `read`. Ends the read and throws unreachable once the node answers no probe.
   * `end`: ends the read, too.
   */
  whileAlive<T>(
    address: string,
    signal: AbortSignal | undefined,
    read: (signal: AbortSignal) => Promise<T>,
    end: AbortController = new AbortController(),
  ): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const look = async () => {
      const fault = await this.#probed(address, this.#silenceMs / 3);
      if (timer === undefined) return;
      if (fault === undefined) wait();
      else {
        reject(fault);
        end.abort();
      }
    };
    const wait = () => {
      timer = setTimeout(() => void look(), this.#silenceMs / 3);
    };
    const stop = () => {
      clearTimeout(timer);
      timer = undefined;
    };
    wait();
    read(signal === undefined ? end.signal : AbortSignal.any([signal, end.signal])).then(
      (answer) => {
        stop();
        this.#answered.set(address, performance.now());
        resolve(answer);
      },
      (error: unknown) => {
        stop();
        reject(error);
      },
    );
    return promise;
  }

  /** `waited`: milliseconds that a read has waited. */
  #probed(address: string, waited: number): Promise<LhsError | undefined> {
    const known = this.#probes.get(address);
    if (known !== undefined) return known;
    const probe = this.#faultOf(address, waited).finally(() => this.#probes.delete(address));
    this.#probes.set(address, probe);
    return probe;
  }

  /** Undefined: it answers. */
  async #faultOf(address: string, waited: number): Promise<LhsError | undefined> {
    let isOver = false;
    const answers = this.#probe(address, Date.now() + this.#silenceMs * TURNS).then(
      () => undefined,
      (error: unknown) => (error instanceof LhsError && SILENT.has(error.code) ? error : undefined),
    );
    const late = async () => {
      const turn = Math.max(this.#silenceMs / 3, this.#silenceMs - waited) / TURNS;
      for (let i = 0; i < TURNS && !isOver; i++) await sleep(turn);
      const message = `node ${address} answers no read or probe within ${this.#silenceMs} ms`;
      return new LhsError('unreachable', message);
    };
    return Promise.race([answers, late()]).finally(() => {
      isOver = true;
    });
  }
}
