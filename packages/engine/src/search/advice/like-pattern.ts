import { foldLetters } from '../../analysis/filter/folding.ts';
import { lowerText } from '../../analysis/unicode/lower.ts';
import { LIMITS } from '../../base/limits.ts';

/** Letters whose variants are tried, from few to many: a pattern has a limited length. */
const RANGES: readonly (readonly (readonly [from: number, to: number])[])[] = [
  [],
  [[0xc0, 0x17f]],
  [
    [0xc0, 0x24f],
    [0x370, 0x52f],
    [0x1e00, 0x1fff],
  ],
];
/** Marks that a letter may have behind it: accents, points, vowel signs, styles of an emoji. */
const MARKS = '[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u06d6-\u06ed\ufe0e\ufe0f]*';

/** A text as it is compared: in lower case, without accents and other marks. */
export const plainText = (text: string): string =>
  foldLetters(lowerText(text)).replace(/[\ufe0e\ufe0f]/g, '');

/** Spellings by their plain form, of the letters of RANGES[breadth]. */
const known: (ReadonlyMap<string, readonly string[]> | undefined)[] = [];

function spellings(breadth: number): ReadonlyMap<string, readonly string[]> {
  const found = known[breadth];
  if (found !== undefined) return found;
  const made = new Map<string, string[]>();
  for (const [from, to] of RANGES[breadth]) {
    for (let point = from; point <= to; point++) {
      const letter = String.fromCodePoint(point);
      const plain = plainText(letter);
      if (plain === letter || plain === '' || !/^\p{L}$/u.test(letter)) continue;
      const list = made.get(plain);
      if (list === undefined) made.set(plain, [letter]);
      else list.push(letter);
    }
  }
  known[breadth] = made;
  return made;
}

/**
 * A regular expression for every spelling of a text or pattern that differs in case, accents and
 * marks alone; each run of letters is a group. `*` and `?` mean what they mean in a wildcard
 * pattern if `isPattern` is true. Undefined if it would be too long.
 */
export function likePattern(value: string, isPattern: boolean): string | undefined {
  for (let breadth = RANGES.length - 1; breadth >= 0; breadth--) {
    const pattern = value
      .split(isPattern ? /([*?])/ : /$^/)
      .map((part) => (isPattern && /^[*?]$/.test(part) ? `.${part === '*' ? '*' : ''}` : run(part)))
      .join('');
    if (pattern.length <= LIMITS.regexChars) return pattern;
    function run(part: string): string {
      return part === '' ? '' : `(${letters(plainText(part), spellings(breadth))})`;
    }
  }
  return undefined;
}

function letters(plain: string, variants: ReadonlyMap<string, readonly string[]>): string {
  const points = Array.from(plain);
  let out = '';
  for (let i = 0; i < points.length; i++) {
    const pair = variants.get(points[i] + (points[i + 1] ?? ''));
    if (points[i + 1] !== undefined && pair !== undefined) {
      out += `(?:${one(points[i], variants)}${one(points[++i], variants)}|[${pair.join('')}])`;
    } else out += one(points[i], variants);
    out += MARKS;
  }
  return out;
}

/** A letter in all its spellings. */
function one(point: string, variants: ReadonlyMap<string, readonly string[]>): string {
  const upper = point.toUpperCase();
  const all = new Set([
    point,
    ...(upper.length === point.length ? [upper] : []),
    ...(variants.get(point) ?? []),
  ]);
  if (all.size === 1) return literalPattern(point);
  return `[${[...all].join('')}]`;
}

/** A regular expression for a text as it is. */
export const literalPattern = (text: string): string =>
  text.replace(/[\^$\\.*+?()[\]{}|/]/g, '\\$&');

/** The runs of a text that a pattern of `likePattern` takes; undefined if it takes it not. */
export function runsOfLike(pattern: string, text: string): readonly string[] | undefined {
  return new RegExp(`^${pattern}$`, 'su').exec(text)?.slice(1);
}
