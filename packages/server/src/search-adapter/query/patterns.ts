/** Patterns whose syntax differs from that of the query tree. */
import type { JsonObject } from '@lakehouse-search/contract';
import type { TableField } from './field-table.ts';
import { clipped, unserved } from './refusal.ts';
import type { Tree } from './scope.ts';
import { isExact } from './target.ts';

/** `term`, `prefix` or `wildcard` in either case of ASCII letters, as a regular expression. */
export function caseInsensitive(query: string, field: TableField, text: string): Tree {
  if (query === 'regexp' || !isExact(field)) {
    throw unserved(`[${query}] query with [case_insensitive] on [${field.name}] is not served`);
  }
  let pattern = '';
  const characters = Array.from(text);
  for (let i = 0; i < characters.length; i++) {
    const c = characters[i];
    if (query === 'wildcard' && c === '*') pattern += '.*';
    else if (query === 'wildcard' && c === '?') pattern += '.';
    else if (query === 'wildcard' && c === '\\' && i + 1 < characters.length) {
      pattern += eitherCase(characters[++i]);
    } else pattern += eitherCase(c);
  }
  if (query === 'prefix') pattern += '.*';
  return { regex: { field: field.name, value: pattern } };
}

function eitherCase(c: string): string {
  if (/[a-zA-Z]/.test(c)) return `[${c.toLowerCase()}${c.toUpperCase()}]`;
  return /[\\^$.*+?()[\]{}|/]/.test(c) ? `\\${c}` : c;
}

const OPERATORS = '~<>&@#"';

/**
 * Refuses regular expressions that mean something else here: operators of the imitated engine,
 * anchors (which are characters there) and escaped letters. Throws RefusedDsl.
 */
export function checkRegexp(pattern: string, options: JsonObject): void {
  const flags = String(options.flags ?? 'ALL').toUpperCase();
  const refused = flags === 'NONE' ? '"^$' : `${OPERATORS}^$`;
  let inClass = false;
  for (let i = 0; i < pattern.length; i++) {
    const c = pattern[i];
    if (c === '\\') {
      const next = pattern[++i] ?? '';
      if (/[a-zA-Z0-9]/.test(next) && !'dDwWsS'.includes(next)) throw differs(`\\${next}`, pattern);
    } else if (inClass) inClass = c !== ']';
    else if (c === '[') {
      inClass = true;
      if (pattern[i + 1] === '^') i++;
    } else if (refused.includes(c)) throw differs(c, pattern);
  }
}

const differs = (sign: string, pattern: string): Error =>
  unserved(`[regexp] query with [${sign}] in [${clipped(pattern)}] is not served`);
