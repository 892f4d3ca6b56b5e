/** The pages of the documentation that come with the program, as text for a terminal. */
import { readdirSync, readFileSync } from 'node:fs';
import { programFile } from '../files/program-file.ts';

/** The names of all pages. */
export function pageNames(): readonly string[] {
  const page = programFile('docs/query.md');
  if (page === undefined) return [];
  const files = readdirSync(new URL('.', page)).filter((file) => /^[a-z-]+\.md$/.test(file));
  return files.map((file) => file.slice(0, -'.md'.length)).sort();
}

/** The lines of a page, with the pages that it links; undefined if there is none of that name. */
export function pageLines(name: string): readonly string[] | undefined {
  const names = pageNames();
  if (!names.includes(name)) return undefined;
  const text = readFileSync(programFile(`docs/${name}.md`)!, 'utf8');
  const linked = new Set([...text.matchAll(/\]\(([a-z-]+)\.md/g)].map(([, page]) => page));
  const others = names.filter((page) => page !== name && linked.has(page));
  const end =
    others.length === 0 ? [] : ['', `Pages that it names (lhs help PAGE): ${others.join(', ')}`];
  return [...plainLines(text), ...end];
}

const LINK = /!?\[([^\]]+)\]\((?:#|https?:|[\w./-]+\.(?:md|json|py|ya?ml))[^)]*\)/g;
/** Links to reasons and pictures, which a terminal does not show. */
const LEFT_OUT =
  / ?\(\[[^\]]*\]\(adr\/[^)]*\)\)|^\[Reasons[^\]]*\]\(adr\/[^)]*\)\.?\n?|!\[[^\]]*\]\([^)]*\)\n\n?/gm;
const withoutLinks = (text: string): string =>
  text
    .replace(/<!--[\s\S]*?-->\n?/g, '')
    .replace(LEFT_OUT, '')
    .replace(LINK, '$1');

const FENCE = /^\s*```/;
const WIDEST = 44;

/** Markdown without its marks: links as their text, code indented, tables aligned. */
export function plainLines(markdown: string): string[] {
  const lines: string[] = [];
  let table: string[][] = [];
  let inCode = false;
  const endTable = () => {
    lines.push(...tableLines(table));
    table = [];
  };
  for (const line of withoutLinks(markdown).trimEnd().split('\n')) {
    if (!inCode && line.startsWith('|')) {
      if (!/^\|[\s|:-]+\|$/.test(line)) table.push(cellsOf(line));
      continue;
    }
    endTable();
    if (FENCE.test(line)) inCode = !inCode;
    else lines.push(inCode ? `    ${line}` : proseLine(line));
  }
  endTable();
  return lines;
}

const proseLine = (line: string): string =>
  line
    .replace(/^#+ (.*)/, (_, title: string) => title.toUpperCase())
    .replace(/\*\*([^*]+)\*\*/g, '$1');

const cellsOf = (row: string): string[] =>
  row
    .slice(1, row.lastIndexOf('|'))
    .split(/(?<!\\)\|/)
    .map((cell) => proseLine(cell.trim()).replaceAll('\\|', '|'));

function tableLines(rows: readonly string[][]): string[] {
  const widths = (rows[0] ?? []).map((_, i) =>
    Math.min(WIDEST, Math.max(...rows.map((row) => (row[i] ?? '').length))),
  );
  return rows.map((row) => {
    const last = row.length - 1;
    const cells = row.map((cell, i) => cell.padEnd(i === last ? 0 : widths[i]));
    return `  ${cells.join('  ')}`.trimEnd();
  });
}
