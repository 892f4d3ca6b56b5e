/** The parts of a query line, as far as they are clear while the user types. */
export type WordKind = 'blank' | 'field' | 'operator' | 'quoted' | 'pattern' | 'sign' | 'word';
/** A part of the line: `from` to `to`, UTF-16 units. The parts are adjacent and cover the line. */
export interface QueryWord {
  readonly kind: WordKind;
  readonly from: number;
  readonly to: number;
  /** The field whose value this is. */
  readonly field?: string;
}

const PARTS: readonly (readonly [WordKind, RegExp])[] = [
  ['blank', /\s+/y],
  ['quoted', /"(?:\\.|[^"\\])*"?/y],
  ['operator', /(?:AND|OR|NOT|TO)(?=[\s()]|$)|&&|\|\|/y],
  ['field', /[A-Za-z_](?:\\.|[\w.-])*:/y],
  ['sign', /[()[\]{}<>=^~+!-]+/y],
  ['pattern', /(?:\\.|[^\s"()[\]{}])*[*?](?:\\.|[^\s"()[\]{}])*/y],
  ['word', /(?:\\.|[^\s"()[\]{}\\])+/y],
  ['word', /[\s\S]/y],
];

/**
 * Splits a query line into parts for colours and completion. It never refuses: whether the line is
 * a query, the parser says.
 */
export function queryWords(text: string): readonly QueryWord[] {
  const words: QueryWord[] = [];
  let field: string | undefined;
  for (let at = 0; at < text.length; ) {
    const word = wordAt(text, at, field);
    words.push(word);
    if (word.kind === 'field') field = text.slice(at, word.to - 1);
    else if (word.kind !== 'sign') field = undefined;
    at = word.to;
  }
  return words;
}

function wordAt(text: string, from: number, field: string | undefined): QueryWord {
  for (const [kind, pattern] of PARTS) {
    if (kind === 'field' && field !== undefined) continue;
    pattern.lastIndex = from;
    const found = pattern.exec(text);
    if (found === null) continue;
    const to = from + found[0].length;
    return field === undefined ? { kind, from, to } : { kind, from, to, field };
  }
  return { kind: 'word', from, to: from + 1 };
}
