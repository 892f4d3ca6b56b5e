import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A fenced block of a page: the words behind its fence and its text without indentation. */
export interface Block {
  readonly line: number;
  readonly language: string;
  readonly words: readonly string[];
  readonly text: string;
}

const BLOCK = /^( *)```([^\n`]*)\n([\s\S]*?)^ *```$/gm;

/** The fenced blocks of a page below `root`, from its top. */
export function blocksOf(root: string, path: string): Block[] {
  const page = readFileSync(join(root, path), 'utf8');
  return [...page.matchAll(BLOCK)].map((found) => {
    const [, indent = '', info = '', text = ''] = found;
    const [language = '', ...words] = info.trim().split(' ');
    const line = page.slice(0, found.index).split('\n').length + 1;
    return { line, language, words, text: text.replace(new RegExp(`^${indent}`, 'gm'), '') };
  });
}

/** Why a block is not run: `sh no-run: REASON`. */
export function noRun({ words }: Block): string | undefined {
  return words[0] === 'no-run:' ? words.slice(1).join(' ') : undefined;
}
