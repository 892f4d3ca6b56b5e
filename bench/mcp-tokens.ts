/**
 * Tokens of what `lhs mcp` sends to a model, on the demo: instructions, lists of tools, answers as
 * text and as structured content, by the estimate that bounds answers (four ASCII characters or one
 * other per token). `node bench/mcp-tokens.ts CALLS DATA` makes other calls, those of a file with
 * `{"tool", "args"}` per line, in another data folder.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { tokensOf, tokensOfJson } from '../packages/mcp/src/base/tokens.ts';
import { INSTRUCTIONS } from '../packages/mcp/src/guides/rules.ts';
import { listedTool } from '../packages/mcp/src/protocol/create-server.ts';
import { servedTools } from '../packages/mcp/src/tools/served-tools.ts';
import type { Served } from '../packages/mcp/src/tools/tool.ts';
import { connectAgent, textOf } from '../test/support/agent-client.ts';
import { machine, workFolder } from './shared.ts';

const LHS = fileURLToPath(new URL('../packages/cli/bin/lhs.js', import.meta.url));
const WITH_TITLES = { query: 'certificate', fields: ['title'] };
const PAGE = 10;
const PAGE_TARGET = 450;
const INDEXES = 60;
const TOOLS_TARGET = 3000;

interface Call {
  readonly tool: string;
  readonly args: object;
}

const CALLS: readonly Call[] = [
  { tool: 'search', args: { ...WITH_TITLES, limit: PAGE } },
  { tool: 'search', args: { ...WITH_TITLES, limit: 100, max_tokens: 20_000 } },
  { tool: 'search', args: { ...WITH_TITLES, limit: 100, max_tokens: 20_000, detail: 'ids' } },
  { tool: 'search', args: { query: 'certificate', limit: PAGE } },
  { tool: 'search', args: { query: 'certificate', limit: 3, detail: 'full' } },
  { tool: 'search', args: { query: 'service:Billing' } },
  { tool: 'aggregate', args: { query: 'service:billing' } },
  { tool: 'aggregate', args: { terms: 'service', size: 12, stats: 'minutes' } },
  { tool: 'aggregate', args: { histogram: 'opened_at', interval: 'month' } },
  { tool: 'hydrate', args: { keys: ['id=1'] } },
  { tool: 'describe_index', args: {} },
  { tool: 'list_indexes', args: {} },
];

/** Tokens of `tools/list` for so many indexes. */
function toolTokens(count: number): number {
  const [num_docs, bytes, segments] = [1, 1, 1];
  const summary = { status: 'live' as const, num_docs, bytes, snapshot: '1', segments };
  const indexes = Array.from({ length: count }, (_, i) => ({
    ...summary,
    name: `team_${i}_events`,
  }));
  const tools = servedTools({});
  const served: Served = { indexes };
  return tokensOfJson(tools.all.map((tool) => listedTool(tool, served, tools)));
}

/** Makes calls in a data folder. Prints the tokens of each answer and of all. */
async function measure(dataDir: string, calls: readonly Call[]): Promise<void> {
  const env = { PATH: process.env.PATH, LHS_DATA_DIR: dataDir };
  const agent = await connectAgent({ command: process.execPath, args: [LHS, 'mcp'], env }, 'auto');
  const sums = { text: 0, structured: 0, errors: 0 };
  for (const { tool, args } of calls) {
    const answer = await agent.call(tool, args);
    const text = tokensOf(textOf(answer));
    const structured = answer.isError ? 0 : tokensOfJson(answer.structuredContent);
    sums.text += text;
    sums.structured += structured;
    sums.errors += Number(answer.isError === true);
    console.log(`  ${row(text, structured)}  ${tool} ${JSON.stringify(args).slice(0, 110)}`);
  }
  console.log(`  ${row(sums.text, sums.structured)}  ${calls.length} calls, ${sums.errors} errors`);
  await agent.close();
}

const row = (text: number, structured: number): string =>
  `${String(text).padStart(7)} ${String(structured).padStart(10)}`;

const [file, dataDir] = process.argv.slice(2);
console.log(`tokens of lhs mcp (${machine()})`);
console.log('  text    structured');
if (file !== undefined && dataDir !== undefined) {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  await measure(
    dataDir,
    lines.map((line) => JSON.parse(line) as Call),
  );
} else {
  const data = workFolder();
  try {
    spawnSync(process.execPath, [LHS, 'demo', '--data-dir', data]);
    await measure(data, CALLS);
    console.log(`  target of the first call: ${PAGE_TARGET} tokens of text`);
    console.log(`  instructions: ${tokensOf(INSTRUCTIONS)}`);
    console.log(`  tools of 2 indexes: ${toolTokens(2)}`);
    console.log(`  tools of ${INDEXES} indexes: ${toolTokens(INDEXES)} (target ${TOOLS_TARGET})`);
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}
