/** Signs of money and of percent that a number may have. */
const MONEY = '(?:[$€£¥₹]|USD|EUR|GBP)';
const NUMBER = new RegExp(
  String.raw`^(-?)${MONEY}?\s*(-?)(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?\s*(?:${MONEY}|%)?$`,
  'u',
);
/** A comma before the last two digits of a price. */
const CENTS = /(?<=^\D*\d+),(\d\d)(?=\D*$)/;

/** The number that `$1,008.00` or `1,99` is, as a query writes it; undefined: it is none. */
export function plainNumber(text: string): string | undefined {
  const written = text.trim().replace(CENTS, '.$1');
  const [all, minus, sign, whole = '', fraction = ''] = NUMBER.exec(written) ?? [];
  if (all === undefined) return undefined;
  return minus + sign + whole.replaceAll(',', '') + fraction.replace(/\.?0+$/, '');
}

/** The text with its percentages as parts of one: `0.2` for `20%`. */
export const withFractions = (text: string): string =>
  text.replace(/(?<![\w.,])(\d+)((?:\.\d+)?) ?%/g, (_, whole: string, rest: string) =>
    String(Number(`${whole}${rest}e-2`)),
  );
