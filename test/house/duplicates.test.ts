import { describe, expect, it } from 'vitest';
import { type SourceFile, sourcesOf } from './sources.ts';

/** Lines that make a run. */
const RUN = 8;
/** Pairs of equal runs that the sources may have. */
const MAX_PAIRS = 15;

/** A line of code, its white space folded, and its number in the file. */
interface CodeLine {
  readonly path: string;
  readonly number: number;
  readonly text: string;
}

/** The lines of a file that say something: no imports, comments, blanks or punctuation alone. */
function codeOf({ path, text }: SourceFile): readonly CodeLine[] {
  const blank = (skipped: string) => skipped.replace(/[^\n]/g, '');
  return text
    .replace(/^(import|export)\b[^;'"]*?from '[^']+';$/gm, blank)
    .replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, blank)
    .split('\n')
    .map((line, i) => ({ path, number: i + 1, text: line.trim().replace(/\s+/g, ' ') }))
    .filter((line) => /\w/.test(line.text));
}

/** The pairs of places, in one file or in two, that share a run of equal lines. */
function pairsOf(files: readonly (readonly CodeLine[])[]): readonly string[] {
  const seen = new Map<string, [file: number, at: number][]>();
  const pairs: string[] = [];
  const covered = new Set<string>();
  files.forEach((lines, file) => {
    for (let at = 0; at + RUN <= lines.length; at++) {
      const run = lines.slice(at, at + RUN).map((line) => line.text);
      const places = seen.get(run.join('\n')) ?? [];
      for (const [other, start] of places) {
        covered.add(`${other}:${start} ${file}:${at}`);
        if (covered.has(`${other}:${start - 1} ${file}:${at - 1}`)) continue;
        const [a, b] = [files[other][start], lines[at]];
        pairs.push(`${a.path}:${a.number} ~ ${b.path}:${b.number}`);
      }
      seen.set(run.join('\n'), [...places, [file, at]]);
    }
  });
  return pairs;
}

describe('the sources of the packages', () => {
  it(`share at most ${MAX_PAIRS} runs of ${RUN} lines and more`, () => {
    const files = ['packages', 'test', 'bench', 'scripts'].flatMap((f) => sourcesOf(f, true));
    const pairs = pairsOf(files.map(codeOf));
    expect(pairs.length, pairs.join('\n')).toBeLessThanOrEqual(MAX_PAIRS);
  });
});
