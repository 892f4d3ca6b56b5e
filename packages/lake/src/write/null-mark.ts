const MARK =
  /^(?:[-–—.?*]+|#?n[./]?a\.?|nan|null|nil|none|unknown|missing|undefined|tb[ad]|not \w+|\\n)?$/i;

/** Whether a text is one by which files write that there is no value, such as `NA`, `-` or `?`. */
export const isNullMark = (text: string): boolean => MARK.test(text.trim());
