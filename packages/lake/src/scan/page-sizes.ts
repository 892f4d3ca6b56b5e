import { LIMITS } from '../base/limits.ts';
import type { PageValues } from '../parquet/encodings/page-values.ts';
import type { ColumnChunk, RowGroup } from '../parquet/footer.ts';
import { decodeDictionary, decodePage, type PageContext } from '../parquet/page.ts';
import type { PageHeader } from '../parquet/page-header.ts';
import type { LeafNode } from '../parquet/schema-tree.ts';

/** What the pages of a column chunk can grow to. */
export interface ChunkPages {
  readonly leaf: LeafNode;
  readonly rows: number;
  readonly values: number;
  readonly storedBytes: number;
  /** Values that refer to the dictionary, and bytes of its longest value. */
  readonly references: number;
  readonly longestBytes: number;
  /** Uncompressed bytes of all other data pages. */
  readonly plainBytes: number;
  /** The most of those that the pages of `WINDOW_VALUES` values in a row have. */
  readonly windowBytes: number;
}

/** Rows of a chunk of DuckDB's. */
export const WINDOW_VALUES = 2048;

const DELTA_BYTE_ARRAY = 7;
/** What a value takes at least. */
export const VALUE_BYTES = 16;

/** Adds up the pages of a column chunk, one after another. */
export class PageSizes {
  readonly #context: PageContext;
  /** A dictionary of so few bytes is not decoded: 2,048 times all of it are no harm. */
  readonly #enough: number;
  #longestBytes = 0;
  #references = 0;
  #plainBytes = 0;
  #windowBytes = 0;
  /** The pages that share a window with the next one: values and bytes of each. */
  readonly #window: { readonly values: number; readonly bytes: number }[] = [];
  #windowValues = 0;
  #windowSum = 0;

  /** `columns`: how many are read together. */
  constructor(context: PageContext, columns: number) {
    this.#context = context;
    this.#enough = LIMITS.duckdbChunkBytes / WINDOW_VALUES / columns;
  }

  /** `stored` reads the bytes behind the header. */
  async add(header: PageHeader, stored: () => Promise<Uint8Array>): Promise<void> {
    if (header.kind === 'dictionary') this.#longestBytes = await this.#longest(header, stored);
    if (header.kind !== 'v1' && header.kind !== 'v2') return;
    const refers = header.encoding === 2 || header.encoding === 8;
    if (refers) this.#references += header.valueCount;
    this.#push(header.valueCount, refers ? 0 : await this.#grown(header, stored));
  }

  chunk(group: RowGroup, { valueCount, length }: ColumnChunk): ChunkPages {
    return {
      leaf: this.#context.leaf,
      rows: group.rows,
      values: valueCount,
      storedBytes: length,
      references: this.#references,
      longestBytes: this.#longestBytes,
      plainBytes: this.#plainBytes,
      windowBytes: this.#windowBytes,
    };
  }

  async #longest(header: PageHeader, stored: () => Promise<Uint8Array>): Promise<number> {
    const { leaf } = this.#context;
    if (leaf.physical !== 'byte_array') return leaf.length || VALUE_BYTES;
    if (header.plainBytes <= this.#enough) return header.plainBytes;
    return longestText(await decodeDictionary(this.#context, header, await stored()));
  }

  /** Bytes of a page's values: only the encoding that shares prefixes has more than the page. */
  async #grown(header: PageHeader, stored: () => Promise<Uint8Array>): Promise<number> {
    if (header.encoding !== DELTA_BYTE_ARRAY) return header.plainBytes;
    const { values } = await decodePage(this.#context, header, await stored(), null);
    return values.bytes;
  }

  #push(values: number, bytes: number): void {
    this.#plainBytes += bytes;
    this.#window.push({ values, bytes });
    this.#windowValues += values;
    this.#windowSum += bytes;
    this.#windowBytes = Math.max(this.#windowBytes, this.#windowSum);
    while (this.#windowValues - this.#window[0].values >= WINDOW_VALUES) {
      const [first] = this.#window.splice(0, 1);
      this.#windowValues -= first.values;
      this.#windowSum -= first.bytes;
    }
  }
}

function longestText({ length, texts }: PageValues): number {
  let longest = 0;
  for (let i = 0; i < length; i++) longest = Math.max(longest, texts?.size(i) ?? 0);
  return longest;
}
