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

/** True for `sh background`: its last command runs until the end of the page. */
export const isBackground = ({ words }: Block): boolean => words[0] === 'background';

/** The test that runs a block, `sh tested-by FILE`: it says what it replaces and why. */
export const testOf = ({ words }: Block): string | undefined =>
  words[0] === 'tested-by' ? words[1] : undefined;

/** A program that a block needs: `sh needs versitygw`, `sh background needs versitygw`. */
export const neededBy = ({ words }: Block): string | undefined => {
  const at = words.indexOf('needs');
  return at < 0 ? undefined : words[at + 1];
};
