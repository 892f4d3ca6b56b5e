import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The title of a page and its first sentence, without comments, pictures and the marks of links. */
function entry(folder: string, page: string): string {
  const text = readFileSync(join(folder, page), 'utf8')
    .replace(/<!--.*?-->\s*|!\[[^\]]*\]\([^)]*\)\s*/gs, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  const [title, , ...lines] = text.split('\n');
  const [sentence] = /^.*?[.:](?=\s|$)/.exec(lines.join(' ')) ?? [''];
  return `- [${title.replace(/^# /, '')}](${page}): ${sentence.replace(/:$/, '.')}`;
}

/**
 * Copies the pages that `lhs help PAGE` prints, and writes `llms.txt`, the list of them that agents
 * read (llmstxt.org).
 */
export function copyPages(from: string, to: string, about: string): void {
  const pages = readdirSync(from).filter((file) => file.endsWith('.md'));
  for (const page of pages) cpSync(join(from, page), join(to, page));
  const list = pages.map((page) => entry(from, page));
  writeFileSync(
    join(to, 'llms.txt'),
    ['# lhs', '', `> ${about}`, '', '## Pages', '', ...list, ''].join('\n'),
  );
}
