/** Number formats of the imitated engine: patterns such as `0.00`, `#,##0.##` or `000 ms`. */
import { clipped, illegal, unserved } from '../query/refusal.ts';

/** Writes a number. */
export type NumberFormat = (value: number | bigint) => string;

const PATTERN =
  /^([^#0,.;%'E\u2030\u00a4]*)([#,]*)([0,]*)(?:\.(0*)(#*))?([^#0,.;%'E\u2030\u00a4]*)$/;
/** Digits that a pattern may have. */
const MOST_DIGITS = 20;

/** The format of a pattern. Halves are rounded to even digits. Throws RefusedDsl. */
export function decimalFormat(pattern: string): NumberFormat {
  const parts = PATTERN.exec(pattern);
  if (parts === null) {
    throw unserved(`number format [${clipped(pattern)}] is not served by this adapter`);
  }
  const [, prefix, optional, digits, least = '', more = '', suffix] = parts;
  const whole = digits.replaceAll(',', '').length;
  const isGrouped = `${optional}${digits}`.includes(',');
  const isPlain = optional + digits + least + more === '';
  const most = Math.max(whole, least.length + more.length);
  if (isPlain || most > MOST_DIGITS || (isGrouped && !/,[#0]{3}$/.test(optional + digits))) {
    throw isPlain ? illegal(`Invalid format: [${clipped(pattern)}]`) : unserved(PATTERNS);
  }
  const { format } = new Intl.NumberFormat('en-US', {
    minimumIntegerDigits: Math.max(1, whole),
    minimumFractionDigits: least.length,
    maximumFractionDigits: least.length + more.length,
    useGrouping: isGrouped,
    roundingMode: 'halfEven',
  } as Intl.NumberFormatOptions);
  return (value) => {
    const text = format(exactDecimal(value));
    return text.startsWith('-') ? `-${prefix}${text.slice(1)}${suffix}` : prefix + text + suffix;
  };
}

/** The digits of a double, not its shortest text: ties are those of its value. */
const exactDecimal = (value: number | bigint): Intl.StringNumericLiteral | number | bigint =>
  typeof value === 'number' && Math.abs(value) < 1e15
    ? (value.toFixed(20) as Intl.StringNumericLiteral)
    : value;

const PATTERNS =
  'number formats are served with groups of three digits and up to 20 digits on each side';
