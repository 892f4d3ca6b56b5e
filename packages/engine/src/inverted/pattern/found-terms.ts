import { Pool } from '../../base/pool.ts';

/** Terms that a pattern found in a dictionary, by their postings; the arrays grow. */
export class FoundTerms {
  size = 0;
  dfs = new Int32Array(256);
  /** As EntryWalk.ref. */
  refs = new Int32Array(256);

  /** Documents of all terms together, a document of several once for each. */
  get postings(): number {
    let sum = 0;
    for (let i = 0; i < this.size; i++) sum += this.dfs[i];
    return sum;
  }

  clear(): void {
    this.size = 0;
  }

  add(df: number, ref: number): void {
    if (this.size === this.dfs.length) {
      this.dfs = doubled(this.dfs);
      this.refs = doubled(this.refs);
    }
    this.dfs[this.size] = df;
    this.refs[this.size++] = ref;
  }
}

/** Reusable lists of found terms. The search that takes one clears it first. */
export const foundTerms = new Pool(() => new FoundTerms());

function doubled(array: Int32Array): Int32Array<ArrayBuffer> {
  const next = new Int32Array(2 * array.length);
  next.set(array);
  return next;
}
