import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LhsError } from '@lakehouse-search/contract';
import { replaceFile } from './replace-file.ts';

/** The file of a data folder that has the newest epoch of each index. */
const FILE = 'epochs.json';

/**
 * The newest epochs under which a node was written, by index. A writer whose lease was taken over
 * has an older one, and is refused. They survive a restart.
 */
export class Epochs {
  readonly #file: string;
  readonly #newest: Map<string, number>;
  readonly #required: boolean;

  /** `required`: writes without an epoch are refused. */
  constructor(dataDir: string, required: boolean) {
    this.#file = join(dataDir, FILE);
    this.#required = required;
    const text = existsSync(this.#file) ? readFileSync(this.#file, 'utf8') : '{}';
    this.#newest = new Map(Object.entries(JSON.parse(text) as Record<string, number>));
  }

  /** The newest epoch of an index; 0: none. */
  of(index: string): number {
    return this.#newest.get(index) ?? 0;
  }

  /** Admits a write of an index. Throws index_busy if a newer lease has written it. */
  admit(index: string, epoch: number | undefined): void {
    const newest = this.of(index);
    if (epoch === undefined) {
      if (!this.#required) return;
      throw new LhsError('index_busy', `writes of "${index}" need the lease of the control plane`);
    }
    if (epoch < newest) {
      const message = `the lease of epoch ${epoch} on "${index}" has ended: epoch ${newest} writes`;
      throw new LhsError('index_busy', message, { details: { epoch, newest } });
    }
    if (epoch === newest) return;
    this.#newest.set(index, epoch);
    replaceFile(this.#file, JSON.stringify(Object.fromEntries(this.#newest)));
  }
}
