/** What a schedule’s table holds, kept in plain maps beside the real one. */

/** The values of a row. `spare` is in no index. */
export interface ModelRow {
  readonly title: string;
  readonly n: number | null;
  readonly kind: string | null;
  readonly spare: string | null;
}
export type Rows = ReadonlyMap<number, ModelRow>;

/** A snapshot: its rows, and what the table's metadata says of it. */
export interface ModelSnapshot {
  readonly id: string;
  readonly parent: string | null;
  readonly operation: string;
  readonly rows: Rows;
}

/** Net changes by key, over the columns that are indexed. */
export interface Counts {
  readonly inserted: number;
  readonly updated: number;
  readonly deleted: number;
}

const WORDS = ['pear', 'plum', 'fig', 'quince', 'sloe'];

/** The row that key and salt give; `wide`: `n` may be beyond 32 bits. */
export function rowOf(key: number, salt: number, wide: boolean): ModelRow {
  const n = wide && salt === 7 ? 3_000_000_000 + key : key * 10 + salt;
  return {
    title: `${WORDS[(key + salt) % 5]} ${WORDS[salt % 4]} every`,
    n: salt % 4 === 0 ? null : n,
    kind: ['a', 'b', null][salt % 3],
    spare: `s${salt}`,
  };
}

/** All snapshots that a table ever had, its refs, and which snapshots it still knows. */
export class ModelTable {
  readonly snapshots = new Map<string, ModelSnapshot>();
  /** In the order in which they were made; what was expired is not among them. */
  alive: readonly string[] = [];
  main: string | null = null;
  branch: string | null = null;

  rowsOf(id: string | null): Rows {
    return id === null ? new Map() : this.snapshots.get(id)!.rows;
  }

  /** A snapshot on a branch, as a commit has just made it. */
  commit(on: 'main' | 'branch', id: string, operation: string, rows: Rows): void {
    this.snapshots.set(id, { id, parent: this[on], operation, rows });
    this.alive = [...this.alive, id];
    this[on] = id;
  }

  expire(ids: readonly string[]): void {
    this.alive = this.alive.filter((id) => !ids.includes(id));
  }

  /** The living snapshot that a pick means; null where there is none. */
  pick(number: number): string | null {
    return this.alive.length === 0 ? null : this.alive[number % this.alive.length];
  }

  /** `id` and its ancestors, newest first, as far as they are known. */
  ancestry(id: string | null): readonly string[] {
    const way: string[] = [];
    for (let at = id; at !== null && this.alive.includes(at); ) {
      way.push(at);
      at = this.snapshots.get(at)!.parent;
    }
    return way;
  }

  /** What a sync from one snapshot to another must do. `switched`: the followed ref is another. */
  way(from: string | null, to: string | null, switched: boolean): Way {
    if (from === to) return { steps: [], reason: null };
    const ancestry = this.ancestry(to).toReversed();
    if (from === null) return { steps: ancestry, reason: null };
    const at = ancestry.indexOf(from);
    if (at >= 0) return { steps: ancestry.slice(at + 1), reason: null };
    if (switched) return { steps: [to], reason: 'ref_changed' };
    if (!this.alive.includes(from)) return { steps: [to], reason: 'snapshot_expired' };
    const back = to === null || this.ancestry(from).includes(to);
    return { steps: [to], reason: back ? 'rolled_back' : 'diverged' };
  }

  /** Net changes of the rows between two snapshots. */
  change(from: string | null, to: string | null): Counts {
    const [before, after] = [this.rowsOf(from), this.rowsOf(to)];
    let [inserted, updated, deleted] = [0, 0, 0];
    for (const [key, row] of after) {
      const old = before.get(key);
      if (old === undefined) inserted++;
      else if (indexedText(old) !== indexedText(row)) updated++;
    }
    for (const key of before.keys()) if (!after.has(key)) deleted++;
    return { inserted, updated, deleted };
  }
}

/** The snapshots that a sync commits one by one; a reason: it heals in one step. */
export interface Way {
  readonly steps: readonly (string | null)[];
  readonly reason: string | null;
}

const indexedText = ({ title, n, kind }: ModelRow) => JSON.stringify([title, n, kind]);
