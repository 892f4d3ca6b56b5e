import { parquetFault } from './fault.ts';
import type { PhysicalValue } from './page-values.ts';
import type { ByteCost, LoadedPage, ParquetFile } from './parquet-file.ts';
import type { LeafNode } from './schema-tree.ts';

/**
 * Walks the entries of one column, row by row. `seek` loads the page that holds a row (pages of
 * rows that follow one another are loaded once); then `peek*` look at the row's next entry and
 * `take` and `skip` go past it.
 */
export class LeafCursor {
  readonly #file: ParquetFile;
  readonly #leaf: LeafNode;
  readonly #cost: ByteCost | undefined;
  #loaded: LoadedPage | null = null;
  #at = 0;
  #end = 0;

  constructor(file: ParquetFile, leaf: LeafNode, cost: ByteCost | undefined) {
    this.#file = file;
    this.#leaf = leaf;
    this.#cost = cost;
  }

  /** Whether the row's page is here already; if so, the cursor stands at the row's first entry. */
  reach(row: number): boolean {
    const loaded = this.#loaded;
    if (loaded === null || row < loaded.firstRow || row >= loaded.firstRow + loaded.rows) {
      return false;
    }
    const index = row - loaded.firstRow;
    this.#at = loaded.rowStarts === null ? index : loaded.rowStarts[index];
    this.#end = loaded.rowStarts === null ? index + 1 : loaded.rowStarts[index + 1];
    return true;
  }

  /** Loads the page that holds `row` and stands at its first entry. */
  async seek(row: number): Promise<void> {
    if (this.reach(row)) return;
    const group = this.#file.groupOf(row);
    const { firstRow } = this.#file.footer.rowGroups[group];
    const { pages } = await this.#file.directory(group, this.#leaf.column, this.#cost);
    let low = 0;
    let high = pages.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (pages[middle].firstRow <= row - firstRow) low = middle;
      else high = middle - 1;
    }
    this.#loaded = await this.#file.page(group, this.#leaf.column, low, this.#cost);
    if (!this.reach(row)) throw this.#fault(`no page of "${this.#leaf.path}" holds row ${row}`);
  }

  /** The definition level of the next entry. */
  definition(): number {
    const { definition } = this.#entry().page;
    return definition === null ? this.#leaf.definition : definition[this.#at];
  }

  /** The repetition level of the next entry, or -1 at the row's end. */
  repetition(): number {
    if (this.#at >= this.#end) return -1;
    return this.#loaded?.page.repetition?.[this.#at] ?? 0;
  }

  /** The next entry's value, or null where it has none. */
  take(): PhysicalValue | null {
    const { page } = this.#entry();
    const entry = this.#at++;
    if (page.valueIndex === null) return page.values.get(entry);
    const index = page.valueIndex[entry];
    return index < 0 ? null : page.values.get(index);
  }

  /** Goes past the next entry. */
  skip(): void {
    this.#entry();
    this.#at++;
  }

  #entry(): LoadedPage {
    if (this.#loaded === null || this.#at >= this.#end) {
      throw this.#fault(`a row of "${this.#leaf.path}" has too few entries`);
    }
    return this.#loaded;
  }

  #fault(what: string): Error {
    return parquetFault(this.#file.place, what);
  }
}
