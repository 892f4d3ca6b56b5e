/**
 * `lhs mcp` from its start to its first answers, on the demo: a search with citations (target <=
 * 500 ms wall), beside `node -e 0`; then the time of a call in the running process.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { machine, median, percentile } from './shared.ts';

const LHS = fileURLToPath(new URL('../packages/cli/bin/lhs.js', import.meta.url));
const rounds = Number(process.argv[2] ?? 15);
const calls = 200;
const data = mkdtempSync(join(tmpdir(), 'lhs-bench-mcp-'));

const request = (id: number) => {
  const query = ['timeout', 'certificate', 'billing latency', 'memory'][id % 4];
  const params = { name: 'search', arguments: { query, limit: 5 } };
  return `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`;
};

/** Milliseconds from the start of a process to its first answer, and of each later call. */
async function session(later: number) {
  const began = performance.now();
  const child = spawn(process.execPath, [LHS, 'mcp', '--data-dir', data]);
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  child.stdin.write(request(0));
  await answers.next();
  const first = performance.now() - began;
  const each: number[] = [];
  for (let id = 1; id <= later; id++) {
    const sent = performance.now();
    child.stdin.write(request(id));
    await answers.next();
    each.push(performance.now() - sent);
  }
  child.stdin.end();
  await new Promise((resolve) => child.once('close', resolve));
  return { first, each };
}

try {
  spawnSync(process.execPath, [LHS, 'demo', '--data-dir', data]);
  const node: number[] = [];
  const first: number[] = [];
  await session(0);
  for (let i = 0; i < rounds; i++) {
    const began = performance.now();
    spawnSync(process.execPath, ['-e', '0']);
    node.push(performance.now() - began);
    first.push((await session(0)).first);
  }
  const { each } = await session(calls);
  console.log(`lhs mcp on the demo, ${rounds} starts in turns with node -e 0 (${machine()})`);
  const shown = [median(first), percentile(first, 0.9), median(node)].map((ms) => ms.toFixed(0));
  console.log(
    `  start to first answer  p50 ${shown[0]} ms, p90 ${shown[1]} ms (target 500); ` +
      `node -e 0 ${shown[2]} ms`,
  );
  console.log(
    `  a search of the running process, 5 hits with citations  p50 ` +
      `${median(each).toFixed(1)} ms, p90 ${percentile(each, 0.9).toFixed(1)} ms`,
  );
} finally {
  rmSync(data, { recursive: true, force: true });
}
