/** Runs the examples of docs/explain.md and docs/suggest.md as commands; the page's head says how they are written. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { importFiles } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Home, lines } from './child.ts';

const file = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const UPDATE = process.env.LHS_UPDATE_PAGES === '1';
const home = new Home();
afterAll(() => home.dispose());

beforeAll(async () => {
  const warehouse = home.path('warehouse');
  mkdirSync(warehouse);
  await importFiles({
    catalog: { type: 'filesystem', warehouse },
    table: 'docs.tickets',
    files: [file('fixtures/query-docs.ndjson')],
    key: ['id'],
    formatVersion: 3,
  });
  const page = readFileSync(file('docs/query.md'), 'utf8');
  const yaml = /```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  const definition = home.path('tickets.yaml');
  writeFileSync(definition, yaml.replace('./warehouse', JSON.stringify(warehouse)));
  await home.json(['index', 'create', '-f', definition]);
  await home.json(['index', 'reindex', 'tickets']);
});

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

async function said(command: string): Promise<string[]> {
  const { stdout, stderr } = await home.run(words(command).slice(1));
  expect(stderr).toBe('');
  return lines(stdout);
}

/** Writes what the commands print now into a page: for the author, who reads the difference. */
async function rewrite(path: string, page: string): Promise<void> {
  let out = page;
  for (const [whole, block = ''] of page.matchAll(/```console\n([\s\S]*?)```/g)) {
    const parts: string[] = [];
    for (const { command } of examplesOf(block)) {
      parts.push(`$ ${command}`, ...(await said(command)));
    }
    out = out.replace(whole, () => `\`\`\`console\n${parts.join('\n')}\n\`\`\``);
  }
  writeFileSync(path, out);
}

describe.each(['explain', 'suggest'])('docs/%s.md', (name) => {
  const path = file(`docs/${name}.md`);
  const page = readFileSync(path, 'utf8');
  const blocks = [...page.matchAll(/```console\n([\s\S]*?)```/g)].map(([, block]) => block!);
  const examples = blocks.flatMap(examplesOf);
  if (UPDATE) it('is written anew', () => rewrite(path, page), 60_000);
  else {
    it.each(examples.map((e) => [e.command, e] as const))('%s', async (command, { wanted }) => {
      expect(await said(command)).toEqual(wanted);
    });
  }
  it('has examples', () => expect(examples.length).toBeGreaterThan(4));
});
