import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesBelow, ROOT } from './sources.ts';

const COLUMNS = 100;
const DECISION_WORDS = 300;
const CHANGELOG_WORDS = 400;
/** Words of all pages, as `wc -w` counts them. */
const ALL_WORDS = 65_000;
/** The head of a decision: its title and date. */
const ACCEPTED = /^# .*\n\nAccepted on \d{4}-\d\d-\d\d\.\n/;
/** A file of this repository, as the pages of published packages link to it. */
const OWN_PAGES = /^https:\/\/github\.com\/lakehouse-search\/lhs\/blob\/main\/([^#]+)/;

const allPages = filesBelow('.')
  .filter((path) => path.endsWith('.md') && !path.includes('fixtures/'))
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
const pages = allPages.filter(({ path }) => !/MODEL|RESULTS|CHANGELOG/.test(path));

/** Lines of a page with their numbers, without tables and without what commands print. */
function prose(text: string): { readonly line: string; readonly number: number }[] {
  let printed = false;
  return text.split('\n').flatMap((line, i) => {
    if (/^ *```/.test(line)) printed = /^ *```(?:console|agent)/.test(line);
    return printed || /^ *\|/.test(line) ? [] : [{ line, number: i + 1 }];
  });
}

const withoutAddresses = (line: string) => line.replace(/\]\(https?:[^)]*\)/g, ']()');

/** The anchors of a page, as GitHub makes them of its headings. */
const anchorsOf = (text: string): Set<string> =>
  new Set(
    [...text.replace(/^ *```[\s\S]*?^ *```$/gm, '').matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );

/** Links of a page that lead to no file, or to no heading of it. */
function broken({ path, text }: { readonly path: string; readonly text: string }): string[] {
  const links = [...text.replace(/`[^`\n]*`/g, '').matchAll(/\]\(([^)\s]+)\)/g)].map(
    ([, target]) => target,
  );
  return links.filter((target) => {
    const own = OWN_PAGES.exec(target)?.[1];
    if (own !== undefined) return !existsSync(join(ROOT, own));
    if (/^https?:/.test(target)) return false;
    const [file, anchor] = target.split('#');
    const to = file === '' ? path : join(dirname(path), file);
    if (!existsSync(join(ROOT, to))) return true;
    return anchor !== undefined && !anchorsOf(readFileSync(join(ROOT, to), 'utf8')).has(anchor);
  });
}

describe.each(pages.map((page) => [page.path, page] as const))('%s', (_, page) => {
  it('has lines of at most 100 columns, tables, long links and printed lines aside', () => {
    const long = prose(page.text).filter(
      ({ line }) => [...withoutAddresses(line)].length > COLUMNS && line.trim().includes(' '),
    );
    expect(long.map(({ number }) => number)).toEqual([]);
  });

  it('has links that lead somewhere', () => {
    expect(broken(page)).toEqual([]);
  });
});

describe('decisions', () => {
  const decisions = pages.filter(({ path }) => /^docs\/adr\/(?!README)/.test(path));

  it('say when they were accepted, below the title', () => {
    const undated = decisions.filter(({ text }) => !ACCEPTED.test(text));
    expect(undated.map(({ path }) => path)).toEqual([]);
  });

  it(`have at most ${DECISION_WORDS} words`, () => {
    const long = decisions.filter(({ text }) => wordsOf(text) > DECISION_WORDS);
    expect(long.map(({ path, text }) => `${path}: ${wordsOf(text)}`)).toEqual([]);
  });
});

describe('all pages', () => {
  it(`have at most ${ALL_WORDS} words`, () => {
    const words = allPages.map(
      ({ text }) => text.split(/\s+/).filter((word) => word !== '').length,
    );
    expect(words.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(ALL_WORDS);
  });

  it(`have at most ${CHANGELOG_WORDS} words on the next release`, () => {
    const [, next] = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8').split(/^## /m, 2);
    expect(wordsOf(next)).toBeLessThanOrEqual(CHANGELOG_WORDS);
  });
});

/** The words below the date, those of tables included. */
const wordsOf = (text: string): number =>
  text
    .replace(ACCEPTED, '')
    .split(/[\s|]+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
