import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { hasEnded, processMark } from '../process-mark.ts';
import { makeFolder } from './new-files.ts';
import { writeFault } from './write-fault.ts';

const PREFIX = '.lhs-work-';

/**
 * A private folder (mode 0700) for what a process writes before it is finished: spilled memory and
 * data files that no commit names yet. `remove` deletes it. A process that was killed leaves its
 * folder behind; the next process that opens a work folder in the same parent deletes it.
 */
export class WorkFolder {
  readonly path: string;
  /** The topmost folder that had to be made for `parent`; removed again if it stays empty. */
  readonly #made: string | undefined;
  readonly #parent: string;

  private constructor(parent: string, path: string, made: string | undefined) {
    this.#parent = parent;
    this.path = path;
    this.#made = made;
  }

  /**
   * Makes a folder in `parent`, which is made if it is missing. Throws permission_denied,
   * disk_full, invalid_argument, internal.
   */
  static async make(parent: string): Promise<WorkFolder> {
    const made = await makeFolder(parent);
    try {
      return WorkFolder.#open(parent, made);
    } catch (error) {
      throw writeFault(parent, error);
    }
  }

  /** Makes a folder in `parent`, which must exist. Throws the system's errors. */
  static openIn(parent: string): WorkFolder {
    return WorkFolder.#open(parent, undefined);
  }

  static #open(parent: string, made: string | undefined): WorkFolder {
    sweep(parent);
    const path = mkdtempSync(join(parent, `${PREFIX}${processMark()}-`));
    return new WorkFolder(resolve(parent), path, made);
  }

  /** Deletes the folder with all that it holds, and parents of its making that are empty. */
  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
    if (this.#made !== undefined) removeEmpty(this.#parent, resolve(this.#made));
  }
}

/** Deletes the work folders of processes that have ended. */
function sweep(parent: string): void {
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(PREFIX)) continue;
    const owner = name.slice(PREFIX.length, name.lastIndexOf('-'));
    if (hasEnded(owner)) rmSync(join(parent, name), { recursive: true, force: true });
  }
}

/** Removes `from` and its parents up to `top`, as far as they are empty. */
function removeEmpty(from: string, top: string): void {
  for (let folder = from; folder.length >= top.length; folder = dirname(folder)) {
    if (readdirSync(folder).length > 0) return;
    rmSync(folder, { recursive: true });
  }
}
