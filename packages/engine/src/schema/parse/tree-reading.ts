/**
 * Typed reading of a YAML tree: every function reports what is wrong and returns undefined then, so
 * that a reader goes on and all faults come out at once.
 */
import { didYouMean } from '@lakehouse-search/contract/internal';
import { LIMITS } from '../../base/limits.ts';
import type { Report, Tree } from './yaml-tree.ts';

/** The entries of a map whose keys are all known. */
export type KnownEntries<K extends string> = { readonly [key in K]?: Tree };

/**
 * Entries by key; unknown keys are reported with the nearest known one. `what` names the map in
 * messages.
 */
export function readMap<const K extends string>(
  tree: Tree,
  what: string,
  known: readonly K[],
  report: Report,
): KnownEntries<K> | undefined {
  if (tree.kind !== 'map') {
    report.error(tree.at, `${what} must be a map of ${known.join(', ')}`);
    return undefined;
  }
  const entries: { [key in K]?: Tree } = {};
  for (const entry of tree.entries) {
    if (known.includes(entry.key as K)) entries[entry.key as K] = entry.value;
    else if (!report.isFull()) report.error(entry.at, unknownKey(entry.key, what, known));
  }
  return entries;
}

function unknownKey(key: string, what: string, known: readonly string[]): string {
  const near = didYouMean(key, known);
  return `unknown key "${key}" in ${what}${near === '' ? `; known: ${known.join(', ')}` : near}`;
}

/** The items of a list; undefined (and a report) for anything else. */
export function readList(tree: Tree, what: string, report: Report): readonly Tree[] | undefined {
  if (tree.kind === 'list') return tree.items;
  report.error(tree.at, `${what} must be a list`);
  return undefined;
}

/** A string that is not empty. A number or boolean must be quoted to count as one. */
export function readText(tree: Tree, what: string, report: Report): string | undefined {
  if (tree.kind === 'scalar' && typeof tree.value === 'string' && tree.value !== '') {
    if (tree.value.isWellFormed() && !tree.value.includes('\u0000')) return tree.value;
    report.error(tree.at, `${what} must be Unicode text without NUL`);
    return undefined;
  }
  const written = tree.kind === 'scalar' && tree.source !== '' ? `, not ${tree.source}` : '';
  const quote = written === '' || tree.kind !== 'scalar' ? '' : ` (write "${tree.source}")`;
  report.error(tree.at, `${what} must be a string${written}${quote}`);
  return undefined;
}

/** The words for people and agents about an index or a field. */
export function readDescription(tree: Tree, report: Report): string | undefined {
  const text = readText(tree, 'description', report);
  if (text === undefined || text.length <= LIMITS.descriptionChars) return text;
  const most = `at most ${LIMITS.descriptionChars}`;
  report.error(tree.at, `description has ${text.length} characters: ${most}`);
  return undefined;
}

/** A scalar as text: strings as they are, numbers and booleans as written. */
export function readScalarText(tree: Tree, what: string, report: Report): string | undefined {
  if (tree.kind === 'scalar' && tree.value !== null) {
    return typeof tree.value === 'string' ? tree.value : tree.source;
  }
  report.error(tree.at, `${what} must be a single value`);
  return undefined;
}

/** A string or a list of strings, each once, with the tree of each. */
export function readTexts(
  tree: Tree,
  what: string,
  report: Report,
): readonly { text: string; at: number }[] {
  const items = tree.kind === 'list' ? tree.items : [tree];
  const texts: { text: string; at: number }[] = [];
  for (const item of items) {
    const text = readText(item, what, report);
    if (text === undefined) continue;
    if (texts.some((t) => t.text === text)) report.error(item.at, `"${text}" is given twice`);
    else texts.push({ text, at: item.at });
  }
  if (items.length === 0) report.error(tree.at, `${what} must not be empty`);
  return texts;
}

/** true or false; `fallback` where the key is absent. */
export function readFlag(
  tree: Tree | undefined,
  what: string,
  fallback: boolean,
  report: Report,
): boolean {
  if (tree === undefined) return fallback;
  if (tree.kind === 'scalar' && typeof tree.value === 'boolean') return tree.value;
  const written = tree.kind === 'scalar' ? `, not "${tree.source}"` : '';
  report.error(tree.at, `${what} must be true or false${written}`);
  return fallback;
}

/** A whole number from `least` to `most`. */
export function readWhole(
  tree: Tree,
  what: string,
  least: number,
  most: number,
  report: Report,
): number | undefined {
  const value = tree.kind === 'scalar' ? tree.value : undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) {
    return value;
  }
  const written = tree.kind === 'scalar' ? `, not ${tree.source}` : '';
  report.error(tree.at, `${what} must be a whole number from ${least} to ${most}${written}`);
  return undefined;
}

/** One of `allowed`; anything else is reported with the nearest. */
export function readChoice<const T extends string>(
  tree: Tree,
  what: string,
  allowed: readonly T[],
  report: Report,
): T | undefined {
  const text = readScalarText(tree, what, report);
  if (text === undefined) return undefined;
  if (allowed.includes(text as T)) return text as T;
  const near = didYouMean(text, allowed);
  report.error(
    tree.at,
    `unknown ${what} "${text}"${near === '' ? `; known: ${allowed.join(', ')}` : near}`,
  );
  return undefined;
}
