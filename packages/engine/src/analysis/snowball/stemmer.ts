/**
 * What generated stemmers run on: the word, a cursor in it, a slice of it, and the operations of
 * the Snowball language (BSD-3-Clause, packages/engine/LICENSE-snowball). Places are UTF-16 units.
 */

/** A string, the row of its longest proper prefix in the table, and the result if it matches. */
type AmongRow = readonly [
  text: string,
  substring: number,
  result: number,
  condition?: (stemmer: never) => boolean,
];

/** A table of strings, sorted as Snowball sorts them. */
interface Among {
  readonly rows: readonly AmongRow[];
  /** The row of each string. */
  readonly byText: ReadonlyMap<string, number>;
  /** The length of the longest string by its first and by its last character. */
  readonly byFirst: ReadonlyMap<string, number>;
  readonly byLast: ReadonlyMap<string, number>;
}

/** Builds a table. */
export function among(rows: readonly AmongRow[]): Among {
  const byText = new Map(rows.map(([text], row) => [text, row]));
  const byFirst = longest(rows, (text) => text[0] ?? '');
  return { rows, byText, byFirst, byLast: longest(rows, (text) => text.at(-1) ?? '') };
}

function longest(
  rows: readonly AmongRow[],
  edge: (text: string) => string,
): ReadonlyMap<string, number> {
  const lengths = new Map<string, number>();
  for (const [text] of rows) {
    lengths.set(edge(text), Math.max(text.length, lengths.get(edge(text)) ?? 0));
  }
  return lengths;
}

type Grouping = ReadonlySet<string>;

/** A stemmer of one language: `_stem` of its subclass works on `current`. */
export abstract class SnowballStemmer {
  current = '';
  cursor = 0;
  limit = 0;
  limit_backward = 0;
  bra = 0;
  ket = 0;

  abstract stem(): boolean;

  /** The stem of a word in lower case. */
  stemWord(word: string): string {
    this.current = word;
    this.cursor = 0;
    this.limit = word.length;
    this.limit_backward = 0;
    this.bra = 0;
    this.ket = word.length;
    this.stem();
    return this.current;
  }

  in_grouping(group: Grouping): boolean {
    if (this.cursor >= this.limit || !group.has(this.current[this.cursor])) return false;
    this.cursor++;
    return true;
  }

  go_in_grouping(group: Grouping): boolean {
    for (; this.cursor < this.limit; this.cursor++) {
      if (!group.has(this.current[this.cursor])) return true;
    }
    return false;
  }

  in_grouping_b(group: Grouping): boolean {
    if (this.cursor <= this.limit_backward) return false;
    if (!group.has(this.current[this.cursor - 1])) return false;
    this.cursor--;
    return true;
  }

  go_in_grouping_b(group: Grouping): boolean {
    for (; this.cursor > this.limit_backward; this.cursor--) {
      if (!group.has(this.current[this.cursor - 1])) return true;
    }
    return false;
  }

  out_grouping(group: Grouping): boolean {
    if (this.cursor >= this.limit || group.has(this.current[this.cursor])) return false;
    this.cursor++;
    return true;
  }

  go_out_grouping(group: Grouping): boolean {
    for (; this.cursor < this.limit; this.cursor++) {
      if (group.has(this.current[this.cursor])) return true;
    }
    return false;
  }

  out_grouping_b(group: Grouping): boolean {
    if (this.cursor <= this.limit_backward) return false;
    if (group.has(this.current[this.cursor - 1])) return false;
    this.cursor--;
    return true;
  }

  go_out_grouping_b(group: Grouping): boolean {
    for (; this.cursor > this.limit_backward; this.cursor--) {
      if (group.has(this.current[this.cursor - 1])) return true;
    }
    return false;
  }

  eq_s(text: string): boolean {
    if (this.limit - this.cursor < text.length) return false;
    if (!this.current.startsWith(text, this.cursor)) return false;
    this.cursor += text.length;
    return true;
  }

  eq_s_b(text: string): boolean {
    if (this.cursor - this.limit_backward < text.length) return false;
    if (!this.current.endsWith(text, this.cursor)) return false;
    this.cursor -= text.length;
    return true;
  }

  /** The result of the longest string of the table that begins at the cursor; 0: none does. */
  find_among(table: Among): number {
    const start = this.cursor;
    const longest = table.byFirst.get(this.current[start]) ?? 0;
    const most = Math.min(longest, this.limit - start);
    for (let length = most; length >= 0; length--) {
      const row = table.byText.get(this.current.slice(start, start + length));
      if (row !== undefined) return this.#result(table, row, start, 1);
    }
    return 0;
  }

  /** The result of the longest string of the table that ends at the cursor; 0: none does. */
  find_among_b(table: Among): number {
    const end = this.cursor;
    const longest = table.byLast.get(this.current[end - 1]) ?? 0;
    const most = Math.min(longest, end - this.limit_backward);
    for (let length = most; length >= 0; length--) {
      const row = table.byText.get(this.current.slice(end - length, end));
      if (row !== undefined) return this.#result(table, row, end, -1);
    }
    return 0;
  }

  /** The first of a row and those of its ever shorter parts whose condition holds. */
  #result({ rows }: Among, found: number, from: number, step: 1 | -1): number {
    for (let row = found; row >= 0; row = rows[row][1]) {
      const [text, , result, condition] = rows[row];
      this.cursor = from + step * text.length;
      if (condition === undefined) return result;
      if (condition(this as never)) {
        this.cursor = from + step * text.length;
        return result;
      }
    }
    return 0;
  }

  replace_s(bra: number, ket: number, text: string): number {
    const longer = text.length - (ket - bra);
    this.current = this.current.slice(0, bra) + text + this.current.slice(ket);
    this.limit += longer;
    if (this.cursor >= ket) this.cursor += longer;
    else if (this.cursor > bra) this.cursor = bra;
    return longer;
  }

  slice_from(text: string): void {
    this.replace_s(this.bra, this.ket, text);
    this.ket = this.bra + text.length;
  }

  slice_del(): void {
    this.slice_from('');
  }

  insert(bra: number, ket: number, text: string): void {
    const longer = this.replace_s(bra, ket, text);
    if (bra <= this.bra) this.bra += longer;
    if (bra <= this.ket) this.ket += longer;
  }

  slice_to(): string {
    return this.current.slice(this.bra, this.ket);
  }
}
