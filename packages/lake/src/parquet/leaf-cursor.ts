import { LIMITS } from '../base/limits.ts';
import type { PhysicalValue } from './encodings/page-values.ts';
import { parquetFault, parquetLimit } from './fault.ts';
import { pageOf } from './page-directory.ts';
import type { ByteCost, LoadedPage, ParquetFile } from './parquet-file.ts';
import type { LeafNode } from './schema-tree.ts';

/**
 * What a read of columns holds, in bytes: the values that were taken since the reader set `values`
 * to 0, and the decoded pages of its cursors.
 */
export interface ReadWeight {
  values: number;
  pages: number;
}

/** What an entry of a list or map weighs beside its bytes. */
const ITEM_BYTES = 16;
/** What a byte of an encoded variant may weigh once it is decoded. */
const NODE_BYTES = 16;

/**
 * Walks the entries of one column, row by row. `seek` loads the page that holds a row (pages of
 * rows that follow one another are loaded once); then `peek*` look at the row's next entry and
 * `take` and `skip` go past it.
 */
export class LeafCursor {
  readonly #file: ParquetFile;
  readonly #leaf: LeafNode;
  readonly #cost: ByteCost | undefined;
  readonly #weight: ReadWeight;
  readonly #hasBytes: boolean;
  #loaded: LoadedPage | null = null;
  #at = 0;
  #end = 0;

  /** What is taken and loaded is added to `weight`. */
  constructor(file: ParquetFile, leaf: LeafNode, weight: ReadWeight, cost: ByteCost | undefined) {
    this.#file = file;
    this.#leaf = leaf;
    this.#weight = weight;
    this.#cost = cost;
    this.#hasBytes = leaf.physical === 'byte_array' || leaf.physical === 'fixed';
  }

  /** Whether the row's page is loaded; if so, the cursor moves to the row's first entry. */
  reach(row: number): boolean {
    const loaded = this.#loaded;
    if (loaded === null || row < loaded.firstRow || row >= loaded.firstRow + loaded.rows) {
      return false;
    }
    const index = row - loaded.firstRow;
    if (loaded.rowStarts === null) {
      this.#at = index;
      this.#end = index + 1;
    } else {
      this.#at = loaded.rowStarts[index];
      this.#end = loaded.rowStarts[index + 1];
      this.#weight.values += (this.#end - this.#at) * ITEM_BYTES;
    }
    return true;
  }

  /** The leaf that is read. */
  get leaf(): LeafNode {
    return this.#leaf;
  }

  /** Loads the page that holds `row` and moves to its first entry. */
  async seek(row: number): Promise<void> {
    if (this.reach(row)) return;
    const group = this.#file.groupOf(row);
    const { firstRow } = this.#file.footer.rowGroups[group];
    const directory = await this.#file.directory(group, this.#leaf.column, this.#cost);
    const index = pageOf(directory, row - firstRow);
    const loaded = await this.#file.page(group, this.#leaf.column, index, this.#cost);
    this.#weight.pages += loaded.bytes - (this.#loaded?.bytes ?? 0);
    this.#loaded = loaded;
    if (this.#weight.pages > LIMITS.loadedPagesBytes) throw this.#tooMuch();
    if (!this.reach(row)) throw this.#fault(`no page of "${this.#leaf.path}" holds row ${row}`);
  }

  /** Lets the loaded page go. */
  release(): void {
    this.#weight.pages -= this.#loaded?.bytes ?? 0;
    this.#loaded = null;
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

  /** The next entry's value, or null if it has none. */
  take(): PhysicalValue | null {
    const { page } = this.#entry();
    const entry = this.#at++;
    const index = page.valueIndex === null ? entry : page.valueIndex[entry];
    if (index < 0) return null;
    const value = page.values.get(index);
    if (this.#hasBytes) this.#weight.values += (value as Uint8Array).length;
    return value;
  }

  /** As `take`, of bytes that are decoded into objects: a byte may become one of them. */
  takeEncoded(): Uint8Array | null {
    const value = this.take() as Uint8Array | null;
    const bytes = value?.length ?? 0;
    this.#weight.values += Math.min(bytes * NODE_BYTES, LIMITS.batchBytes);
    return value;
  }

  /** As `take`, of a column of texts. */
  takeText(): string | null {
    const { page } = this.#entry();
    const entry = this.#at++;
    const index = page.valueIndex === null ? entry : page.valueIndex[entry];
    if (index < 0) return null;
    const { texts } = page.values;
    if (texts !== undefined) {
      this.#weight.values += texts.size(index);
      return texts.text(index);
    }
    const bytes = page.values.get(index) as Uint8Array;
    this.#weight.values += bytes.length;
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  }

  /** Skips the next entry. */
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

  #tooMuch(): Error {
    const most = LIMITS.loadedPagesBytes;
    return parquetLimit(
      this.#file.place,
      `pages of more than ${most} bytes are needed at once ("${this.#leaf.path}" and the columns ` +
        'beside it); read fewer columns, or rewrite the file with smaller pages',
    );
  }

  #fault(what: string): Error {
    return parquetFault(this.#file.place, what);
  }
}
