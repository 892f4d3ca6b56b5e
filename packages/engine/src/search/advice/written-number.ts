/** Signs of money and of percent that a number may have. */
const MONEY = '(?:[$€£¥₹]|USD|EUR|GBP)';
const NUMBER = new RegExp(
  String.raw`^(-?)${MONEY}?\s*(-?)(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?\s*(?:${MONEY}|%)?$`,
  'u',
);

/** The number that a text such as `$1,008.00` is, as a query writes it; undefined: it is none. */
export function plainNumber(text: string): string | undefined {
  const [all, minus, sign, whole = '', fraction = ''] = NUMBER.exec(text.trim()) ?? [];
  if (all === undefined) return undefined;
  return minus + sign + whole.replaceAll(',', '') + fraction.replace(/\.?0+$/, '');
}
