const MARK =
  /^(?:[-–—.?*]+|#?n[./]?a\.?|nan|null|nil|none|unknown|missing|undefined|tb[ad]|not \w+|\\n)?$/i;

/** Whether a text is one by which files write that there is no value, such as `NA`, `-` or `?`. */
export const isNullMark = (text: string): boolean => MARK.test(text.trim());

/** The share of its values at which a column is named. */
const LEAST_SHARE = 0.8;
/** The same if all other values are one mark for NULL, as "NA" is. */
export const LEAST_SHARE_BESIDE_MARK = 0.02;
/** Other values that a note names. */
export const MAX_EXCEPTIONS = 4;

/** Whether most values fit, or all but one mark for NULL. */
export const isNearly = (fitting: number, values: number, exceptions: readonly string[]): boolean =>
  fitting >= LEAST_SHARE * values ||
  (exceptions.length === 1 &&
    isNullMark(exceptions[0]) &&
    fitting >= LEAST_SHARE_BESIDE_MARK * values);
