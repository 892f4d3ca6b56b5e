/** Runs the code of docs/paging.md and docs/names.md; the heads of the pages say how it is written. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { openLocal } from '@lakehouse-search/engine';
import { deleteRows, importFiles } from '@lakehouse-search/lake';
import { describe, expect, it } from 'vitest';

const file = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

interface Block {
  readonly language: string;
  readonly text: string;
}

function blocksOf(page: string): Block[] {
  const found = page.matchAll(/^```(\w*).*\n([\s\S]*?)^```$/gm);
  return [...found].map(([, language, text]) => ({ language, text }));
}

/** Code, and what it prints. */
function examplesOf(page: string): { readonly code: string; readonly printed: string }[] {
  const blocks = blocksOf(page);
  return blocks.flatMap(({ language, text }, i) => {
    if (language !== 'js') return [];
    expect(blocks[i + 1]?.language).toBe('text');
    return [{ code: text, printed: blocks[i + 1].text }];
  });
}

const shown = (value: unknown): string => (typeof value === 'string' ? value : inspect(value));

describe('a page of docs', () => {
  it.each([
    ['docs/paging.md', 3],
    ['docs/names.md', 4],
  ])('%s prints what it shows', async (path, examples) => {
    const folder = mkdtempSync(join(tmpdir(), 'lhs-pages-'));
    const catalog = { type: 'filesystem', warehouse: join(folder, 'warehouse') } as const;
    const tickets = { catalog, table: 'docs.tickets' };
    const files = [file('fixtures/query-docs.ndjson')];
    await importFiles({ ...tickets, files, key: ['id'], formatVersion: 3 });
    const yaml = blocksOf(readFileSync(file('docs/query.md'), 'utf8')).find(
      ({ language }) => language === 'yaml',
    );
    const definition = yaml!.text.replace('./warehouse', JSON.stringify(catalog.warehouse));
    const backend = await openLocal(join(folder, 'data'));
    try {
      await backend.createIndex({ definition });
      await backend.reindex({});
      const found = examplesOf(readFileSync(file(path), 'utf8'));
      expect(found).toHaveLength(examples);
      for (const { code, printed } of found) {
        const lines: string[] = [];
        const console = { log: (...values: unknown[]) => lines.push(values.map(shown).join(' ')) };
        const names = ['backend', 'tickets', 'definition', 'deleteRows', 'console'];
        const run = new Function(...names, `return (async () => {${code}})();`);
        await run(backend, tickets, definition, deleteRows, console);
        expect(`${lines.join('\n')}\n`).toBe(printed);
      }
    } finally {
      await backend.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
