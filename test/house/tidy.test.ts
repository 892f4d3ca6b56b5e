import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesBelow, ROOT, type SourceFile, sourcesOf } from './sources.ts';

const FILE_LINES = 400;
/** The WebAssembly of the kernels. */
const LONG = /\/kernel-code\.ts$/;
const FUNCTION_LINES = 70;
const LINE_CHARS = 100;
const FOLDER_FILES = 30;
/** The folder of a command is the command's first word. */
const COMMANDS = /^packages\/cli\/src\/commands\//;
/** Listings that are generated. */
const WIDE = [/^test\/house\/pins\.test\.ts$/, /init-definition\.test\.ts$/];
/** A line that is one regular expression, or one string without a blank. */
const UNBREAKABLE = /^\s*(\w+: |\.\.\.)?('[^\s']+'|"[^\s"]+"|`[^\s`]+`|\/.+\/[a-z]*)[,;)]*$/;
/** A Markdown page, a TypeScript or Python file that a comment or a string names. */
const FILE_NAME = /(?<![\w*<>{}$.])[\w./-]*\w\.(md|tsx?|py)\b/g;
/** Specifications of others, as their repositories name them. */
const PUBLISHED = [
  'format/spec.md',
  'format/puffin-spec.md',
  'Compression.md',
  'Encodings.md',
  'LogicalTypes.md',
  'VariantEncoding.md',
  'VariantShredding.md',
  'lz4/doc/lz4_Block_format.md',
  'thrift/doc/specs/thrift-compact-protocol.md',
];
/** A rule of a document that nobody can open, such as the first of its requirements. */
const SECTION = /\(R\d+\)/;

const sources = ['contract', 'lake', 'engine', 'client', 'mcp', 'console', 'server', 'cli'].flatMap(
  (p) => sourcesOf(`packages/${p}`, true),
);
const production = sources.filter((f) => !f.path.includes('.test.') && !f.path.includes('/test/'));

describe('tidiness of the sources', () => {
  it(`keeps files below ${FILE_LINES} lines, tests beside the sources too`, () => {
    const long = sources.filter(
      (f) => f.path.includes('/src/') && f.lines.length - 1 > FILE_LINES && !LONG.test(f.path),
    );
    expect(long.map((f) => `${f.path}: ${f.lines.length} lines`)).toEqual([]);
  });

  it('keeps at most 30 files in a folder, tests included', () => {
    const files = sources.filter(({ path }) => path.includes('/src/') && !COMMANDS.test(path));
    const folders = Object.entries(Object.groupBy(files, ({ path }) => dirname(path)));
    const full = folders.filter(([, inside = []]) => inside.length > FOLDER_FILES);
    expect(full.map(([folder, inside = []]) => `${folder}: ${inside.length} files`)).toEqual([]);
  });

  it('keeps functions below 70 lines', () => {
    expect(production.flatMap((f) => longFunctions(f.path, f.lines))).toEqual([]);
  });

  it('keeps lines within 100 columns', () => {
    const all = ['packages', 'test', 'bench', 'scripts'].flatMap((f) => sourcesOf(f, true));
    const wide = all
      .filter((f) => !WIDE.some((exempt) => exempt.test(f.path)))
      .flatMap((f) => atLines(f, (line) => line.length > LINE_CHARS && !UNBREAKABLE.test(line)));
    expect(wide).toEqual([]);
  });

  it('imports each module once', () => {
    const all = ['packages', 'test', 'bench', 'scripts'].flatMap((f) => sourcesOf(f, true));
    const twice = all.flatMap(({ path, text }) => {
      const [head] = text.split(/^(?:export )?(?:const|let|function|class|describe|it)\b/m, 1);
      const modules = [...head.matchAll(/^import (?:[^';]* from )?'([^']+)';/gm)].map((m) => m[1]);
      return modules.filter((name, i) => modules.indexOf(name) < i).map((m) => `${path}: ${m}`);
    });
    expect(twice).toEqual([]);
  });

  it('refers only to files that are in the repository', () => {
    const known = filesBelow('.').map((path) => `/${path}`);
    const exists = (name: string) =>
      PUBLISHED.includes(name) || known.some((path) => path.endsWith(`/${name}`));
    const missing = production.flatMap((f) =>
      f.lines.flatMap((line, i) =>
        [...line.matchAll(FILE_NAME)]
          .map(([name]) => name.replace(/^(\.{0,2}\/)+/, ''))
          .filter((name) => !exists(name))
          .map((name) => `${f.path}:${i + 1}: ${name}`),
      ),
    );
    const sections = production.flatMap((f) => atLines(f, (line) => SECTION.test(line)));
    expect([...missing, ...sections]).toEqual([]);
  });

  it('keeps grammars, byte layouts and lists in comments apart from running text', () => {
    const reflowed = sources.flatMap((f) => reflowedLines(f));
    expect(reflowed).toEqual([]);
  });

  it('names no room or file by a word that says nothing', () => {
    const banned = /^(utils?|helpers?|managers?|processors?|misc|common|stuff)(\.|-|$)/;
    const bad = filesBelow('packages', 'test', 'bench', 'scripts').filter((path) =>
      path.split('/').some((part) => banned.test(part)),
    );
    expect(bad).toEqual([]);
  });

  it('writes to stdout and stderr in few places, all of which escape foreign texts', () => {
    const own = production.filter((f) => f.path.startsWith('packages/cli/src/'));
    const writers = own.filter((f) =>
      f.lines.some((l) => /process\.std(out|err)\.write\(|\bconsole\.(log|error|warn)\(/.test(l)),
    );
    expect(writers.map((f) => f.path.slice('packages/cli/src/'.length)).sort()).toEqual([
      'output/columns.ts',
      'sync/follow-report.ts',
      'terminal/ask/ask-secret.ts',
      'terminal/progress.ts',
      'terminal/terminal.ts',
    ]);
  });

  it('puts every test into a describe, which names its subject', () => {
    const bare = filesBelow('packages', 'test')
      .filter((path) => /\.test\.tsx?$/.test(path))
      .filter((path) => /^(it|test)\b/m.test(readFileSync(join(ROOT, path), 'utf8')));
    expect(bare).toEqual([]);
  });

  it('leaves no marker of unfinished work', () => {
    const marker = new RegExp(
      ['TO' + 'DO', 'FIX' + 'ME', 'X' + 'XX', 'HA' + 'CK'].map((w) => `\\b${w}\\b`).join('|'),
    );
    const found = sources.flatMap((f) =>
      f.lines.flatMap((l, i) => (marker.test(l) ? [`${f.path}:${i + 1}`] : [])),
    );
    expect(found).toEqual([]);
  });

  it('uses no `any`, no enum, no namespace import of a whole engine room', () => {
    const rules: [RegExp, string][] = [
      [/:\s*any\b|\bas any\b|<any>/, 'any'],
      [/^\s*(export )?(const )?enum /, 'enum'],
      [/@ts-(ignore|nocheck)/, 'ts-ignore'],
    ];
    const found = production.flatMap((f) =>
      f.lines.flatMap((l, i) =>
        rules.filter(([rule]) => rule.test(l)).map(([, name]) => `${f.path}:${i + 1}: ${name}`),
      ),
    );
    expect(found).toEqual([]);
  });

  it('documents every exported function, class and interface', () => {
    const missing = production
      .filter((f) => !f.path.includes('/commands/') && basename(f.path) !== 'index.ts')
      .flatMap((f) => undocumented(f.path, f.lines));
    expect(missing).toEqual([]);
  });

  it('pins what it installs, lets libraries be updated, and names no registry', () => {
    const exact = /^\d+\.\d+\.\d+(-[\w.]+)?$/;
    const isLibrary = (name: string) => !['cli', undefined].includes(name.split('/')[1]);
    const loose = filesBelow('package.json', 'packages').flatMap((path) => {
      if (basename(path) !== 'package.json') return [];
      const { devDependencies, ...json } = JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
      const inRange = ([name, version]: [string, string]) =>
        isLibrary(path) && !name.startsWith('@lakehouse-search/')
          ? /^[~^]/.test(version) && exact.test(version.slice(1))
          : exact.test(version);
      const installed = Object.entries<string>({
        ...json.dependencies,
        ...json.optionalDependencies,
      });
      return [
        ...Object.entries<string>(devDependencies ?? {}).filter(
          ([, version]) => !exact.test(version),
        ),
        ...installed.filter((dependency) => !inRange(dependency)),
      ].map((dependency) => `${path}: ${dependency}`);
    });
    expect(loose).toEqual([]);
    expect(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).not.toMatch(
      /"resolved": "https?:/,
    );
  });
});

/**
 * Functions and methods that begin at some indentation and end at the closing brace of the same
 * indentation.
 */
function longFunctions(path: string, lines: readonly string[]): string[] {
  const found: string[] = [];
  const start =
    /^(\s*)(?:export )?(?:default )?(?:async )?(?:function\b|(?:static |async |override |private |\*|#)*[\w#]+\([^)]*\)[^;=]*\{$|.*=>\s*\{$)/;
  lines.forEach((line, i) => {
    const indent = start.exec(line)?.[1];
    if (indent === undefined) return;
    const end = lines.findIndex((l, j) => j > i && l.startsWith(`${indent}}`));
    if (/^\s*(describe|it|test)\b/.test(line)) return;
    if (end > 0 && end - i > FUNCTION_LINES) found.push(`${path}:${i + 1}: ${end - i} lines`);
  });
  return found;
}

/** The lines of a file for which a predicate holds, as `path:line`. */
function atLines(file: SourceFile, holds: (line: string) => boolean): string[] {
  return file.lines.flatMap((line, i) => (holds(line) ? [`${file.path}:${i + 1}`] : []));
}

/**
 * Lines of comments in which a formatter joined what had lines of its own: rules of a grammar,
 * sections of a byte layout, items of a numbered list. Inside a fence, or indented, they are safe.
 */
function reflowedLines(file: SourceFile): string[] {
  let isFenced = false;
  return atLines(file, (line) => {
    const text = /^\s*\*( .*)?$/.exec(line)?.[1];
    if (text === undefined) isFenced = false;
    else if (text.startsWith(' ```')) isFenced = !isFenced;
    if (text === undefined || isFenced || /^ {3}/.test(text)) return false;
    return (
      / :?:= /.test(text) || / [iuf](8|16|32|64)\[.*\| /.test(text) || /\b1\. .* 2\. /.test(text)
    );
  });
}

function undocumented(path: string, lines: readonly string[]): string[] {
  return lines.flatMap((line, i) => {
    if (!/^export (async )?(function|class|abstract class|interface)\b/.test(line)) return [];
    const before = lines[i - 1]?.trim() ?? '';
    return before.endsWith('*/') || before.startsWith('//') || before.startsWith('@')
      ? []
      : [`${path}:${i + 1}: ${line.slice(0, 60)}`];
  });
}
