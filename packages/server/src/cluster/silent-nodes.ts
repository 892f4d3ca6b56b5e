import { setTimeout as sleep } from 'node:timers/promises';
import type { LhsError } from '@lakehouse-search/contract';
import type { RepeatedFaults } from '../observe/repeated-faults.ts';

/** Asks a node whether it answers. Rejects if it does not by the deadline. */
export type ProbeNode = (address: string, deadline: number) => Promise<unknown>;

/** Time for the answer of a probe: a node that needs longer would be slow in every read. */
export const PROBE_MS = 1000;
const PAUSE_MS = 100;
const NODE = 'read of a node';

/**
 * The nodes that failed a call. They are not read until they answer a probe, so that a stopped node
 * costs one read its time, and no other.
 */
export class SilentNodes {
  readonly #probe: ProbeNode;
  readonly #pauseMs: number;
  readonly #faults = new Map<string, LhsError>();
  readonly #stop = new AbortController();

  readonly #noted: Pick<RepeatedFaults, 'failed' | 'succeeded'> | undefined;

  /** `noted`: receives the failures. */
  constructor(
    probe: ProbeNode,
    pauseMs: number = PAUSE_MS,
    noted?: Pick<RepeatedFaults, 'failed' | 'succeeded'>,
  ) {
    this.#probe = probe;
    this.#pauseMs = pauseMs;
    this.#noted = noted;
  }

  /** The error of the call that a node failed; undefined: it answers. */
  faultOf(address: string): LhsError | undefined {
    return this.#faults.get(address);
  }

  /** A call of a node failed. */
  failed(address: string, fault: LhsError): void {
    const isProbed = this.#faults.has(address);
    this.#faults.set(address, fault);
    this.#noted?.failed(NODE, fault, { node: address });
    if (!isProbed) void this.#probeUntilAnswered(address);
  }

  /** Ends the probes. */
  close(): void {
    this.#stop.abort();
  }

  async #probeUntilAnswered(address: string): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const answers = this.#probe(address, Date.now() + PROBE_MS).then(
        () => true,
        () => false,
      );
      if (await answers) break;
      await sleep(this.#pauseMs, undefined, { signal, ref: false }).catch(() => {});
    }
    this.#faults.delete(address);
    if (!signal.aborted) this.#noted?.succeeded(NODE, { node: address });
  }
}
