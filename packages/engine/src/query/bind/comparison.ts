import { escapeField, escapeWord, quote } from '../syntax/characters.ts';

/** A name, a path, one with the sign of a unit or in quotes: `a->>'b'`, `Cost $`, `[US Gross]`. */
const PLAIN = String.raw`[\p{L}\p{N}_.]+(?:->>?'?[\p{L}\p{N}_.]+'?)*(?: *[$%€£¥#°]+(?!\S))?`;
const NAME = String.raw`^(?:(${PLAIN})|(["'\x60])((?:(?!\2).){1,60})\2|\[([^\[\]]{1,60})\])`;
const QUOTED = `"[^"]*"|'[^']*'`;
/** What ends a value: a comma and another comparison. */
const NEXT = String.raw`[,;]\s*[\p{L}_][\p{L}\p{N}_.]*\s*[<>=!]`;
const COUNTED = String.raw`-?\d+(?:\.\d+)?\s+(?:thousand|million|billion)(?![\p{L}\p{N}])`;
const VALUE = String.raw`(${QUOTED}|${COUNTED}|[^\s<>=!()[\]{}"'](?:(?!${NEXT})[^\s()"'])*)`;

/** The values of a condition as the clause of a field; `isText`: the field is TEXT. */
type Reader = (parts: readonly string[], field: string, isText: boolean) => string;

/** Comparisons and conditions of SQL: what follows the name of a field, and the clause of each. */
const CONDITIONS: readonly (readonly [RegExp, Reader])[] = [
  condition(String.raw`\s+(not\s+)?in\s*\(([^()]+)\)`, ([not, list], field) => {
    const values = list.match(new RegExp(`${QUOTED}|[^,"']*[^,"'\\s]`, 'g')) ?? [];
    return `${minus(not)}${field}:(${values.map((value) => valueIn(value.trim())).join(' OR ')})`;
  }),
  condition(
    String.raw`\s+(?:is\s+)?(not\s+)?between\s+${VALUE}\s+and\s+${VALUE}`,
    ([not, from, to], field) => `${minus(not)}${field}:[${valueIn(from)} TO ${valueIn(to)}]`,
  ),
  condition(
    String.raw`\s+(not\s+)?i?like\s+(${QUOTED}|\S*%\S*)`,
    ([not, pattern], field, isText) => `${minus(not)}${field}:${likeOf(pattern, isText)}`,
  ),
  condition(String.raw`\s+is\s+(not\s+)?null(?!\S)`, ([not], field) =>
    not === undefined ? `-${field}:*` : `${field}:*`,
  ),
  condition(String.raw`\s*(>=|<=|!=|<>|==?|>|<(?!\S*>))\s*${VALUE}`, ([sign, value], field) => {
    if (sign === '!=' || sign === '<>') return `-${field}:${valueIn(value)}`;
    return `${field}:${sign.startsWith('=') ? '' : sign}${valueIn(value)}`;
  }),
];

function condition(tail: string, read: Reader): readonly [RegExp, Reader] {
  return [new RegExp(NAME + tail, 'iu'), read];
}

const minus = (not: string | undefined): string => (not === undefined ? '' : '-');

const FACTORS: Readonly<Record<string, number>> = { thousand: 1e3, million: 1e6, billion: 1e9 };

/** A value of SQL: a quoted one is a phrase, one of several words too; `10 million` is a number. */
function valueIn(written: string): string {
  const [digits, word = ''] = written.toLowerCase().split(/\s+/);
  const number = Number(digits) * FACTORS[word];
  if (!Number.isNaN(number)) return String(number);
  if (written.startsWith("'")) return quote(written.slice(1, -1));
  return /^[^"].*\s/s.test(written) ? quote(written) : written;
}

/** The pattern of LIKE; in TEXT no pattern crosses words, so that several are a phrase. */
function likeOf(written: string, isText: boolean): string {
  const pattern = written.replace(/^(["'])(.*)\1$/s, '$2');
  const words = pattern.replace(/^%|%$/g, '');
  if (isText && /\s/.test(words)) return quote(words);
  return escapeWord(pattern).replaceAll('%', '*').replaceAll('_', '?');
}

/** A condition such as `severity>=3` or `year IN (1, 2)`, which the syntax reads as words. */
export interface WrittenCondition {
  readonly name: string;
  /** Its length in the text, in UTF-16 units. */
  readonly length: number;
  /** The clause that means it, of the field with a name. */
  clause(field: string, isText?: boolean): string;
}

/** The condition that a text begins with; null: it begins with none. */
export function readCondition(text: string): WrittenCondition | null {
  for (const [pattern, read] of CONDITIONS) {
    const found = pattern.exec(text);
    if (found === null) continue;
    const [all, plain, , quoted, bracketed, ...parts] = found;
    const name = plain?.replace(/->>?/g, '.').replaceAll("'", '') ?? quoted ?? bracketed;
    const clause = (field: string, isText = false) => read(parts, escapeField(field), isText);
    return { name, length: all.length, clause };
  }
  return null;
}

const PERIOD = /^(-?\d[\w.:-]*?)\.{2,3}(-?\d[\w.:-]*)$/;
/** Two numbers with a hyphen, which may also be a text: `1990-1999`. */
const HYPHENATED = /^(\d+(?:\.\d+)?)[-–](\d+(?:\.\d+)?)$/;

/** The bounds of `1990..1999` and, if `hyphens`, of `1990-1999`; undefined: it is no period. */
export function readPeriod(
  text: string,
  hyphens: boolean,
): readonly [from: string, to: string] | undefined {
  const found = PERIOD.exec(text) ?? (hyphens ? HYPHENATED.exec(text) : null);
  return found === null ? undefined : [found[1], found[2]];
}
