/** Runs every example of docs/query.md; the page's head says how they are written. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  LhsError,
  type LocalBackend,
  openLocal,
  type SearchRequest,
} from '@lakehouse-search/engine';
import { importFiles } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const file = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const page = readFileSync(file('docs/query.md'), 'utf8');

interface Example {
  readonly line: number;
  readonly shown: string;
  readonly request: SearchRequest;
  readonly wanted: string;
}

/** A fenced block: the words behind its fence, the number of its first line, its lines. */
interface Block {
  readonly words: readonly string[];
  readonly line: number;
  readonly lines: readonly string[];
}

function blocksOf(text: string): Block[] {
  const lines = text.split('\n');
  const fences = lines.flatMap((line, i) => (line.startsWith('```') ? [i] : []));
  return fences.flatMap((from, i) => {
    if (i % 2 === 1) return [];
    const words = lines[from].slice(3).split(' ');
    return [{ words, line: from + 2, lines: lines.slice(from + 1, fences[i + 1]) }];
  });
}

function examplesOf({ words, line, lines }: Block): Example[] {
  const [kind, ...options] = words;
  if (kind === 'tree') {
    const wanted = lines[lines.length - 1].replace(/^=> /, '');
    const tree = lines.slice(0, -1).join('\n');
    return [{ line, shown: tree, request: { ast: JSON.parse(tree) }, wanted }];
  }
  if (kind !== 'query') return [];
  return lines.flatMap((text, i) => {
    if (text.startsWith('#')) return [];
    const [query, wanted] = text.split(/ +=> /);
    const request: SearchRequest = {
      query,
      syntax: options.includes('kql') ? 'kql' : 'default',
      default_operator: options.includes('and') ? 'and' : 'or',
    };
    return [{ line: line + i, shown: query, request, wanted }];
  });
}

const folder = mkdtempSync(join(tmpdir(), 'lhs-page-'));
const warehouse = join(folder, 'warehouse');
let backend: LocalBackend;

beforeAll(async () => {
  await importFiles({
    catalog: { type: 'filesystem', warehouse },
    table: 'docs.tickets',
    files: [file('fixtures/query-docs.ndjson')],
    key: ['id'],
    formatVersion: 3,
  });
  const yaml = blocksOf(page).find((block) => block.words[0] === 'yaml')?.lines ?? [];
  const definition = yaml.join('\n').replace('./warehouse', JSON.stringify(warehouse));
  backend = await openLocal(join(folder, 'data'));
  await backend.createIndex({ definition });
  await backend.reindex({});
});
afterAll(async () => {
  await backend.close();
  rmSync(folder, { recursive: true, force: true });
});

async function answer(request: SearchRequest): Promise<string> {
  try {
    const { hits, total } = await backend.search({ ...request, limit: 100 });
    const keys = hits.map((hit) => Number(hit.coordinates.identifier[0].value));
    expect(total).toBe(keys.length);
    return keys.sort((a, b) => a - b).join(' ') || 'none';
  } catch (error) {
    if (error instanceof LhsError) return `error: ${error.message}`;
    throw error;
  }
}

const examples = blocksOf(page).flatMap(examplesOf);

describe('docs/query-language.md', () => {
  it.each(examples.map((e) => [`${e.line}: ${e.shown}`, e] as const))('%s', async (_, example) => {
    const found = await answer(example.request);
    if (example.wanted.startsWith('error: ')) expect(found).toContain(example.wanted.slice(7));
    else expect(found).toBe(example.wanted);
  });

  const strings = blocksOf(page).flatMap(({ words, line, lines }) => {
    const syntax = words[1] === 'kql' ? ('kql' as const) : ('default' as const);
    if (words[0] !== 'string') return [];
    return lines.map((text, i) => {
      const [tree, wanted] = text.split(/ +=> /);
      return { line: line + i, syntax, ast: JSON.parse(tree), wanted };
    });
  });

  it.each(strings.map((e) => [`${e.line}: => ${e.wanted}`, e] as const))(
    '%s',
    async (_, example) => {
      const { syntax, ast, wanted } = example;
      const printed = backend.printQuery({ index: 'tickets', ast, syntax });
      if (wanted.startsWith('error: ')) return expect(printed).rejects.toThrow(wanted.slice(7));
      expect(await printed).toEqual({ query: wanted });
      expect(await answer({ query: wanted, syntax })).toBe(await answer({ ast }));
    },
  );

  it('has examples of every feature', () => {
    expect(examples.length).toBeGreaterThan(90);
    const kinds = new Set(blocksOf(page).map((block) => block.words.join(' ')));
    expect([...kinds].sort()).toEqual([
      'query',
      'query and',
      'query kql',
      'string',
      'string kql',
      'tree',
      'yaml',
    ]);
  });
});
