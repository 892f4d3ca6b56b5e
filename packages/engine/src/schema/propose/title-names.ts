import { nameWords } from './key-names.ts';

const TITLE = /^(title|subject|headline|name|names|label|caption|summary)$/;
const WHOLE = /^((full|display|long|common|original) ?)?(title|subject|headline|name|summary)$/;
const LAST = /^(last|family|sur)$/;
const PART = /^(first|middle|given|nick|short|alt|old|file|host|user|domain|column)$/;

/** The rank of a column that is not named like a title. */
export const NO_TITLE = 4;

/**
 * How well a column's name says that it holds the titles or names of rows, 0 best: `title` and
 * `full_name`, last names, other names like `product_name`, parts of names.
 */
export function titleRank(column: string): number {
  const words = nameWords(column);
  if (WHOLE.test(words.join(' '))) return 0;
  if (/^(sur|last|full)name$/.test(words.join(''))) return 1;
  if (!words.some((word) => TITLE.test(word))) return NO_TITLE;
  if (words.some((word) => LAST.test(word))) return 1;
  return words.some((word) => PART.test(word)) ? 3 : 2;
}
