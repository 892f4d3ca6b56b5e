import type { Json, JsonObject } from '@lakehouse-search/contract';
import { isPlain } from '@lakehouse-search/contract/internal';

/**
 * Characters that a reader does not see and a model reads: controls of direction and format, zero
 * widths, tags, line separators. U+FE0F alone, behind an emoji, has nothing to say.
 */
const INVISIBLE = /(?!\uFE0F)[\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

/** A text whose invisible characters are escapes such as `\u{202e}`. */
export const visibleText = (text: string): string =>
  text.replace(INVISIBLE, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);

/** A value whose texts and names are visible. */
export const visible = <T extends Json>(value: T): T => shown(value) as T;

function shown(value: Json): Json {
  if (typeof value === 'string') return visibleText(value);
  if (Array.isArray(value)) return value.map(shown);
  if (!isPlain(value)) return value;
  const entries = Object.entries(value as JsonObject);
  return Object.fromEntries(entries.map(([name, part]) => [visibleText(name), shown(part)]));
}
