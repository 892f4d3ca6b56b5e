/** Patterns whose syntax differs from that of the query tree. */
import type { JsonObject } from '@lakehouse-search/contract';
import type { TableField } from './field-table.ts';
import { clipped, unserved } from './refusal.ts';
import type { Tree } from './scope.ts';
import { isExact } from './target.ts';

/** Analyzers that fold the case of letters, of words and of patterns alike. */
const FOLDING: ReadonlySet<string> = new Set(
  'standard folded english korean simple cjk code'.split(' '),
);

/**
 * `term`, `prefix`, `wildcard` or `regexp` in either case of ASCII letters: a regular expression,
 * or the query itself on words whose case is folded. Throws RefusedDsl.
 */
export function caseInsensitive(query: string, field: TableField, text: string): Tree {
  if (!isExact(field)) {
    if (FOLDING.has(field.analyzer ?? '') && query !== 'regexp') {
      return { [query]: { field: field.name, value: text } } as Tree;
    }
    throw unserved(`[${query}] query with [case_insensitive] on [${field.name}] is not served`);
  }
  if (field.folded && query !== 'regexp')
    return { [query]: { field: field.name, value: text } } as Tree;
  if (query === 'regexp') {
    return { regex: { field: field.name, value: eitherCaseRegexp(text) } };
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

/** A regular expression whose letters are in both cases; those of classes are not. */
function eitherCaseRegexp(pattern: string): string {
  const folded = pattern.replace(/\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|[a-zA-Z]/g, (part) =>
    part.length > 1 ? part : eitherCase(part),
  );
  return plainAnchors(folded);
}

/** `^` and `$` outside of classes are characters in the imitated engine. */
const plainAnchors = (pattern: string): string =>
  pattern.replace(/\\[\s\S]|\[\^?(?:\\[\s\S]|[^\]\\])*\]|[$^]/g, (part) =>
    part === '$' || part === '^' ? `\\${part}` : part,
  );

/** A regular expression over the terms of a field. Throws RefusedDsl. */
export function regexpTree(field: TableField, pattern: string, options: JsonObject): Tree {
  checkRegexp(pattern, options);
  return { regex: { field: field.name, value: plainAnchors(pattern) } };
}

const OPERATORS = '~<>&@#"';

/**
 * Refuses regular expressions that mean something else here: operators of the imitated engine, and
 * escaped letters. Throws RefusedDsl.
 */
function checkRegexp(pattern: string, options: JsonObject): void {
  const flags = String(options.flags ?? 'ALL').toUpperCase();
  const refused = flags === 'NONE' ? '"' : OPERATORS;
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
