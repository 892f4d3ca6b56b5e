import { LIMITS } from '../../base/limits.ts';
import type { SynonymRule } from '../definition.ts';
import { readText } from './tree-reading.ts';
import type { Report, Tree } from './yaml-tree.ts';

/**
 * `synonyms` of a definition or a field: a list of groups, each a list of texts or a line
 * `a, b` or `a, b => c`. `false`: none. A file is named to the command line alone, which writes its
 * lines here: a definition from elsewhere opens no file.
 */
export function parseSynonyms(tree: Tree, report: Report): readonly SynonymRule[] {
  if (tree.kind === 'scalar' && tree.value === false) return NONE;
  if (tree.kind !== 'list') {
    const message = 'synonyms must be a list: only the command line reads a file of them';
    report.error(tree.at, message);
    return NONE;
  }
  return Object.freeze(tree.items.flatMap((item) => readRule(item, report) ?? []));
}

const NONE: readonly SynonymRule[] = Object.freeze([]);

function readRule(tree: Tree, report: Report): SynonymRule | undefined {
  const sides = tree.kind === 'list' ? [readListed(tree.items, report)] : readLine(tree, report);
  const [from, to] = sides;
  const all = sides.flat();
  const long = all.find((text) => text.length > LIMITS.synonymChars);
  if (long !== undefined) {
    const what = `"${long.slice(0, 40)}…" has ${long.length} characters`;
    report.error(tree.at, `${what}: a synonym has at most ${LIMITS.synonymChars}`);
  } else if (all.length > LIMITS.synonymTexts) {
    const most = `at most ${LIMITS.synonymTexts}`;
    report.error(tree.at, `a group of ${all.length} synonyms: ${most}`);
  } else if (sides.length > 2 || sides.some((side) => side.length === 0) || all.length < 2) {
    report.error(tree.at, 'a group of synonyms is [tv, television], or "tv => television"');
  } else return Object.freeze(to === undefined ? { from } : { from, to });
  return undefined;
}

const readListed = (items: readonly Tree[], report: Report): readonly string[] =>
  items.flatMap((item) => readText(item, 'a synonym', report) ?? []);

function readLine(tree: Tree, report: Report): readonly (readonly string[])[] {
  const line = readText(tree, 'a group of synonyms', report) ?? '';
  return line.split('=>').map((side) => side.split(',').flatMap((text) => text.trim() || []));
}
