import type { FieldPlan } from '../../schema/field-plan.ts';

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

/** Whether a text has a sign of money. */
export const hasMoney = (text: string): boolean => new RegExp(MONEY, 'u').test(text);

const OF_MONEY = /price|cost|sales|total|amount|revenue|fee|salary|wage|paid|budget|profit/i;
/** Fields of money that are tried, at most. */
const TRIED = 8;

/** The names of the numbers that are named like money. */
export const moneyFields = (plans: readonly FieldPlan[]): readonly string[] =>
  plans
    .filter(({ name, type }) => (type === 'LONG' || type === 'DOUBLE') && OF_MONEY.test(name))
    .map(({ name }) => name)
    .slice(0, TRIED);

/** The text with its percentages as parts of one: `0.2` for `20%`. */
export const withFractions = (text: string): string =>
  text.replace(/(?<![\w.,])(\d+)((?:\.\d+)?) ?%/g, (_, whole: string, rest: string) =>
    String(Number(`${whole}${rest}e-2`)),
  );
