import { resolve } from 'node:path';

/**
 * Folders and addresses of this process that callers do not learn: the data folder, the target of
 * backups, the database, catalogs and roots. Errors and answers show a name instead.
 */
const hidden = new Map<string, { readonly pattern: RegExp; readonly shown: string }>();

/** Shorter texts, and words, may stand for something else. */
const MIN_CHARS = 4;

/** Hides a folder or an address behind a name; what comes back ends that. */
export function hidePlace(text: string, name: string): () => void {
  const isUrl = /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
  const texts = isUrl || !text.includes('/') ? [text] : [text, resolve(text)];
  const fit = texts.filter((one) => one.length >= MIN_CHARS && /[/:]/.test(one));
  for (const one of fit) hidden.set(one, { pattern: patternOf(one), shown: `<${name}>` });
  return () => {
    for (const one of fit) hidden.delete(one);
  };
}

/**
 * The whole text: not within a longer name. A folder may have something below it, and may be
 * written as a URL, as tables name their files.
 */
function patternOf(text: string): RegExp {
  const whole = text.replace(/\/+$/, '').replaceAll(/[^\w\s]/g, '\\$&');
  return new RegExp(`(?<![\\w./-])(?:file:(?://)?)?${whole}(?![\\w-])`, 'g');
}

/** A text with names in place of hidden places, the longest first. */
export function withoutPlaces(text: string): string {
  const places = [...hidden.entries()].sort(([a], [b]) => b.length - a.length);
  return places.reduce((left, [, { pattern, shown }]) => left.replaceAll(pattern, shown), text);
}
