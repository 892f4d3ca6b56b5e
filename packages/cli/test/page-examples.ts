/** Pages whose `console` blocks are commands (`$ lhs …`) and what they print. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type Home, lines } from './child.ts';

export const file = (path: string): string =>
  fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const UPDATE = process.env.LHS_UPDATE_PAGES === '1';
const BLOCK = /```console\n([\s\S]*?)```/g;

interface Example {
  readonly command: string;
  readonly wanted: readonly string[];
}

/** The words of a command line with single quotes. */
const words = (command: string): string[] =>
  [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!);

function examplesOf(block: string): Example[] {
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((text) => {
      const [command = '', ...wanted] = text.trimEnd().split('\n');
      return { command, wanted };
    });
}

async function said(home: Home, command: string): Promise<string[]> {
  const { stdout, stderr } = await home.run(words(command).slice(1));
  expect(stderr).toBe('');
  return lines(stdout);
}

/** Writes what the commands print now into a page: for the author, who reads the difference. */
async function rewrite(home: Home, path: string, page: string): Promise<void> {
  let out = page;
  for (const [whole, block = ''] of page.matchAll(BLOCK)) {
    const parts: string[] = [];
    for (const { command } of examplesOf(block)) {
      parts.push(`$ ${command}`, ...(await said(home, command)));
    }
    out = out.replace(whole, () => `\`\`\`console\n${parts.join('\n')}\n\`\`\``);
  }
  writeFileSync(path, out);
}

/** Runs the examples of docs/<name>.md (LHS_UPDATE_PAGES=1 writes them anew). */
export function describePage(home: Home, name: string): void {
  describe(`docs/${name}.md`, () => {
    const path = file(`docs/${name}.md`);
    const page = readFileSync(path, 'utf8');
    const examples = [...page.matchAll(BLOCK)].flatMap(([, block]) => examplesOf(block!));
    if (UPDATE) it('is written anew', () => rewrite(home, path, page), 60_000);
    else {
      it.each(examples.map((e) => [e.command, e] as const))('%s', async (command, { wanted }) => {
        expect(await said(home, command)).toEqual(wanted);
      });
    }
    it('has examples', () => expect(examples.length).toBeGreaterThan(4));
  });
}
