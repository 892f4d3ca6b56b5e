import { isDeepStrictEqual } from 'node:util';
import {
  type FacetsRequest,
  LhsError,
  type LocalBackend,
  type SearchRequest,
} from '@lakehouse-search/engine';
import { TOOLS } from '../../../packages/mcp/src/tools/all-tools.ts';
import type { Clone } from './clone.ts';
import { type Block, isBackground } from './page-blocks.ts';

type Aggs = Required<Pick<SearchRequest, 'aggs'>>;
type Facets = Pick<FacetsRequest, 'fields' | 'size'>;

/** What blocks run on: the clone, and its indexes in this process. */
export interface Reader {
  readonly clone: Clone;
  readonly backend: LocalBackend;
}

/** Runs a block and returns the text that it should have. Throws where the block fails. */
export type Run = (block: Block, reader: Reader) => Promise<string>;

/** What servers and followers print when they work. */
const READY = /"msg":"listening"|waiting for (?:the table|lines)|"event":"waiting"|VersityGW/i;

/** The snapshot of each transcript. */
const SNAPSHOT = '2415854239244577771';

/** How each language is run; CONTRIBUTING.md describes the notation. */
export const RUNS: Readonly<Record<string, Run>> = {
  sh: async (block, { clone }) => {
    if (isBackground(block)) await clone.start(block.text, READY);
    else await clone.run(block.text);
    return block.text;
  },
  ini: async ({ text }, { clone }) => {
    // a unit of systemd: its command, found on the PATH, ends on systemd's signal
    const [, command] = /^ExecStart=\S*\/(.*)$/m.exec(text) ?? [];
    await clone.start(command, READY);
    return text;
  },
  console: async ({ text }, { clone }) => {
    const shown: string[] = [];
    for (const command of commandsOf(text)) {
      shown.push(`$ ${command}\n${await clone.shown(command)}`);
    }
    const failed = shown.find((lines) => /^error: /m.test(lines));
    if (failed !== undefined) throw new Error(failed);
    return shown.join('');
  },
  agent: async ({ text }, { backend }) => {
    const calls = text.split('\n').filter((line) => line.startsWith('> '));
    const answers = calls.map(async (line) => {
      const [, name, input = '{}'] = /^> (\w+) ?(.*)$/.exec(line) ?? [];
      const tool = TOOLS.find((one) => one.name === name);
      const answer = await tool?.run(JSON.parse(input), { backend, call: {} });
      // snapshots have random ids, and the first look at the table may still go on
      const text = answer?.text.replace(/\b\d{15,19}\b/g, SNAPSHOT);
      return `${line}\n${text?.replace('lag unknown', 'lag 0')}\n`;
    });
    return (await Promise.all(answers)).join('');
  },
  ts: async ({ text }, { clone }) => {
    if ((await clone.module(text)) === '') throw new Error('the module prints nothing');
    return text;
  },
  yaml: validated,
  query: queried,
  tree: treeAnswered,
  string: printed,
  aggs: async ({ text }, { backend }) =>
    requestAnswered(text, async (request) => {
      const asked = { index: 'tickets', ...(request as Aggs) };
      const { results } = await backend.aggregate(asked);
      const { aggs } = await backend.search({ ...asked, limit: 1 });
      if (!isDeepStrictEqual(aggs, results)) throw new Error('a search answers otherwise');
      return results;
    }),
  facets: async ({ text }, { backend }) =>
    requestAnswered(text, async (request) => {
      const { fields, size, ...query } = request as Facets;
      const asked = { index: 'tickets', ...query };
      const { facets } = await backend.facets({ ...asked, fields, size });
      const found = await backend.search({ ...asked, limit: 1, facets: { fields, size } });
      if (!isDeepStrictEqual(found.facets, facets)) throw new Error('a search answers otherwise');
      return facets;
    }),
};

/** The commands of a `console` block: lines after `$ `, continued where a line ends in `\`. */
function commandsOf(text: string): string[] {
  const commands: string[] = [];
  let open = false;
  for (const line of text.split('\n')) {
    if (open) commands.push(`${commands.pop()}\n${line}`);
    else if (line.startsWith('$ ')) commands.push(line.slice(2));
    open = (open || line.startsWith('$ ')) && line.endsWith('\\');
  }
  return commands;
}

/** What a definition needs besides the keys that a fragment shows. */
const REST: Readonly<Record<string, string>> = {
  version: '1',
  index: 'fragment',
  source: '{ path: ./table }',
  key: '{ identifier: [id] }',
  fields: '[{ name: id, type: KEYWORD }]',
};

async function validated({ text }: Block, { backend }: Reader): Promise<string> {
  const missing = Object.entries(REST).filter(([key]) => !new RegExp(`^${key}:`, 'm').test(text));
  const definition = text + missing.map(([key, value]) => `${key}: ${value}\n`).join('');
  const issues = await backend.indexes.validate({ definition });
  if (issues.length > 0) throw new Error(issues.map(({ message }) => message).join('\n'));
  return text;
}

type Json = Readonly<Record<string, unknown>>;

/** The answer, or `error: ` and the words of the message that `wanted` names. */
async function orError<T>(wanted: string, answer: () => Promise<T>): Promise<T | string> {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof LhsError)) throw error;
    const message = `error: ${error.message}`;
    return wanted.startsWith('error: ') && message.includes(wanted.slice(7)) ? wanted : message;
  }
}

/** The keys of all hits in tickets, ascending, or `none`. */
async function keysOf(backend: LocalBackend, request: Json): Promise<string> {
  const { hits, total } = await backend.search({ index: 'tickets', ...request, limit: 100 });
  const keys = hits.map((hit) => Number(hit.coordinates.identifier[0].value));
  if (total !== keys.length) throw new Error(`${total} hits in total, ${keys.length} shown`);
  return keys.sort((a, b) => a - b).join(' ') || 'none';
}

/** Writes the answers behind the `=>` of a block's entries; lines from `#` are remarks. */
async function eachEntry(text: string, answer: (asked: string) => Promise<string>) {
  const lines: string[] = [];
  let asked = '';
  for (const line of text.split('\n')) {
    const [, before, arrow, wanted] = /^(.*?)(\s*=> )(.*)$/.exec(line) ?? [];
    if (line.startsWith('#') || before === undefined) {
      if (!line.startsWith('#')) asked += line;
      lines.push(line);
      continue;
    }
    const request = asked + before;
    lines.push(before + arrow + (await orError(wanted, () => answer(request))));
    asked = '';
  }
  return lines.join('\n');
}

/** Lines `QUERY => KEYS`; `kql` and `and` behind the fence set syntax and operator. */
async function queried({ text, words }: Block, { backend }: Reader): Promise<string> {
  const syntax = words.includes('kql') ? 'kql' : 'default';
  const default_operator = words.includes('and') ? 'and' : 'or';
  return eachEntry(text, (query) => keysOf(backend, { query, syntax, default_operator }));
}

/** Entries `TREE => STRING`: the tree is printed, and the string finds what the tree finds. */
async function printed({ text, words }: Block, { backend }: Reader): Promise<string> {
  const syntax = words.includes('kql') ? 'kql' : 'default';
  return eachEntry(text, async (tree) => {
    const ast = JSON.parse(tree);
    const { query } = await backend.queries.print({ index: 'tickets', ast, syntax });
    const [byString, byTree] = [{ query, syntax }, { ast }].map((r) => keysOf(backend, r));
    if ((await byString) !== (await byTree)) throw new Error(`${query} finds other rows`);
    return query;
  });
}

/** A tree, then `=> KEYS` in tickets, or `=> N hits` in the index behind the fence. */
async function treeAnswered({ text, words }: Block, { backend }: Reader): Promise<string> {
  const [tree, wanted = ''] = text.split(/^=> /m);
  const ast = JSON.parse(tree);
  const [index] = words;
  const answer = await orError(wanted.trim(), async () => {
    if (index === undefined) return keysOf(backend, { ast });
    return `${(await backend.search({ index, ast })).total} hits`;
  });
  return `${tree}=> ${answer}\n`;
}

/** A request as JSON, then `=> ANSWER` as JSON in any layout, or `=> error: WORDS`. */
async function requestAnswered(
  text: string,
  answer: (request: Json) => Promise<unknown>,
): Promise<string> {
  const [request, wanted = ''] = text.split(/^=> /m);
  const found = await orError(wanted.trim(), () => answer(JSON.parse(request)));
  if (typeof found === 'string') return `${request}=> ${found}\n`;
  const same = !wanted.startsWith('error: ') && isDeepStrictEqual(found, jsonOf(wanted));
  return same ? text : `${request}=> ${JSON.stringify(found)}\n`;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
