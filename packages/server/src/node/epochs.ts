import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LhsError } from '@lakehouse-search/contract';
import { replaceFile } from './replace-file.ts';

/** The file of a data folder that has the newest epoch of each index. */
const FILE = 'epochs.json';

/** The lease of a node itself. */
export interface OwnLease {
  holds(): boolean;
}

/**
 * The newest epochs under which a node was written, by index. A writer whose lease was taken over
 * has an older one, and is refused. They survive a restart.
 */
export class Epochs {
  readonly #file: string;
  readonly #newest: Map<string, number>;
  readonly #lease: OwnLease | undefined;

  /** `lease`: of a node under a control plane, which writes without a lease of its own never. */
  constructor(dataDir: string, lease?: OwnLease) {
    this.#file = join(dataDir, FILE);
    this.#lease = lease;
    const text = existsSync(this.#file) ? readFileSync(this.#file, 'utf8') : '{}';
    this.#newest = new Map(Object.entries(JSON.parse(text) as Record<string, number>));
  }

  /** Throws fenced if the own lease has ended: another node may have the index. */
  #requireLease(index: string): void {
    if (this.#lease === undefined || this.#lease.holds()) return;
    throw new LhsError('fenced', `the lease of this node has ended: "${index}" is not written`, {
      hint: 'the node renews it when it reaches the control plane',
    });
  }

  /** Admits a write of an index. Throws fenced if a newer lease has written it. */
  admit(index: string, epoch: number | undefined): void {
    const newest = this.#newest.get(index) ?? 0;
    if (epoch === undefined) {
      if (this.#lease === undefined) return;
      throw new LhsError('fenced', `writes of "${index}" need the lease of the control plane`);
    }
    if (epoch < newest) throw endedBy(index, epoch, newest);
    this.#requireLease(index);
    if (epoch === newest) return;
    this.#newest.set(index, epoch);
    replaceFile(this.#file, JSON.stringify(Object.fromEntries(this.#newest)));
  }
}

function endedBy(index: string, epoch: number, newest: number): LhsError {
  const message = `the lease of epoch ${epoch} on "${index}" has ended: epoch ${newest} writes`;
  return new LhsError('fenced', message, { details: { epoch, newest } });
}
