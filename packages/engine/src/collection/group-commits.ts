import type { TableRow } from './collection-rows.ts';

/** The last change of each key: its new row, or null for a deleted one. */
export type Changes = ReadonlyMap<string | number, TableRow | null>;

interface Waiting {
  readonly changes: Changes;
  readonly resolve: (snapshot: string | null) => void;
  readonly reject: (error: unknown) => void;
}

/** Changes of a group, about: more waiting ones make the next group. */
const GROUP_CHANGES = 10_000;

/**
 * Commits changes one group after the other. Changes that arrive while a group is committed are the
 * next group, in the order of their arrival: a snapshot and a sync for many calls.
 */
export class GroupCommits {
  readonly #commit: (changes: Changes) => Promise<string | null>;
  readonly #afterwards: () => Promise<void>;
  readonly #waiting: Waiting[] = [];
  #work: Promise<void> | null = null;

  /** `afterwards`: runs between two groups, after the callers of the first have their result. */
  constructor(
    commit: (changes: Changes) => Promise<string | null>,
    afterwards: () => Promise<void>,
  ) {
    this.#commit = commit;
    this.#afterwards = afterwards;
  }

  /** The snapshot that contains the changes, once it is committed. Throws as `commit`. */
  add(changes: Changes): Promise<string | null> {
    const { promise, resolve, reject } = Promise.withResolvers<string | null>();
    this.#waiting.push({ changes, resolve, reject });
    this.#work ??= this.#run();
    return promise;
  }

  /** Ends when nothing is left to commit. */
  async settled(): Promise<void> {
    while (this.#work !== null) await this.#work;
  }

  async #run(): Promise<void> {
    // Calls that follow each other without a pause share a group.
    await Promise.resolve();
    for (let group = this.#next(); group.length > 0; group = this.#next()) {
      try {
        const snapshot = await this.#commit(merged(group));
        for (const { resolve } of group) resolve(snapshot);
        await this.#afterwards();
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.#work = null;
  }

  #next(): readonly Waiting[] {
    let size = 0;
    const full = this.#waiting.findIndex(({ changes }) => {
      size += changes.size;
      return size >= GROUP_CHANGES;
    });
    return this.#waiting.splice(0, full < 0 ? this.#waiting.length : full + 1);
  }
}

function merged(group: readonly Waiting[]): Changes {
  if (group.length === 1) return group[0].changes;
  return new Map(group.flatMap(({ changes }) => [...changes]));
}
