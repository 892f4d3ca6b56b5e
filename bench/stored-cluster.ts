/** Processes of a cluster over an index in a store, and what they cost. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRemote } from '@lakehouse-search/client/remote/internal';
import type { SearchRequest } from '@lakehouse-search/contract';
import type { ServiceApi } from '@lakehouse-search/contract/internal';
import { openStore } from '@lakehouse-search/server';

const LHS = fileURLToPath(new URL('../packages/cli/bin/lhs.js', import.meta.url));
export const KEY = 'key of the cluster of a benchmark';
export const FREE = ['--addr', '127.0.0.1:0'];
const TICKS_PER_SECOND = 100;

/** A process of a cluster that listens. */
export interface Served {
  readonly child: ChildProcess;
  readonly grpc: string;
  readonly url: string;
}

const started = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of started) child.kill('SIGKILL');
});

/** Starts `lhs serve ROLE` with a data folder; its addresses. */
export function serve(role: string, data: string, ...args: string[]): Promise<Served> {
  const all = [LHS, 'serve', role, '--json', '--data-dir', data, ...args];
  const env = { ...process.env, LHS_CLUSTER_KEY: KEY, LHS_LOG_LEVEL: 'silent', LHS_THREADS: '0' };
  const child = spawn(process.execPath, all, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  started.add(child);
  let printed = '';
  return new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error(`the ${role} ended: ${printed}`)));
    child.stdout.on('data', (chunk) => {
      printed = printed.includes('"grpc":') ? printed : printed + chunk;
      const line = printed
        .split('\n')
        .find((one) => one.startsWith('{"url"') || one.startsWith('{"grpc"'));
      if (line !== undefined) resolve({ child, ...(JSON.parse(line) as Omit<Served, 'child'>) });
    });
  });
}

/** Ends a process, and waits for its end. */
export async function end({ child }: Served): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

export const pause = (ms = 50): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A control plane, nodes, a gateway, and a client of it. */
export interface StoredCluster {
  readonly plane: Served;
  readonly nodes: readonly Served[];
  readonly gateway: Served;
  readonly client: ServiceApi;
  end(): Promise<void>;
}

/** Starts a cluster in a folder with an index that it builds into a store. */
export async function startStored(
  folder: string,
  nodeCount: number,
  index: string,
  definition: string,
): Promise<StoredCluster> {
  const rest = [...FREE, '--rest-addr', '127.0.0.1:0'];
  const plane = await serve('control-plane', join(folder, 'plane'), ...rest);
  const led = ['--control-plane', plane.grpc];
  const names = Array.from({ length: nodeCount }, (_, i) => `n${i}`);
  const nodes = await Promise.all(
    names.map((name) => serve('node', join(folder, name), ...FREE, ...led, '--node', name)),
  );
  const gateway = await serve('gateway', join(folder, 'gateway'), ...rest, ...led);
  const client = createRemote({ url: gateway.url });
  while ((await client.license({})).nodes_in_use < nodeCount) await pause();
  // definitions of requests name catalogs: the store takes that of a folder
  const opened = await openStore({ file: join(folder, 'plane', 'server.db') });
  await opened.definitions.add(index, definition);
  await opened.close();
  await client.reindex({ index });
  return {
    ...{ plane, nodes, gateway, client },
    end: async () => {
      await client.close();
      for (const one of [gateway, ...nodes, plane]) await end(one);
    },
  };
}

/** What a run of searches showed. */
export interface Run {
  readonly millis: readonly number[];
  /** Answers that lack shards, and calls that failed. */
  readonly partial: number;
  readonly failed: number;
  readonly seconds: number;
}

/** Runs searches, so many side by side. */
export async function runSearches(
  client: ServiceApi,
  requests: Iterable<SearchRequest>,
  callers = 8,
): Promise<Run> {
  const millis: number[] = [];
  let partial = 0;
  let failed = 0;
  const began = performance.now();
  const left = requests[Symbol.iterator]();
  const caller = async () => {
    for (let next = left.next(); next.done !== true; next = left.next()) {
      const sent = performance.now();
      const answer = await client.search(next.value).catch(() => undefined);
      millis.push(performance.now() - sent);
      if (answer === undefined) failed++;
      if (answer?.partial) partial++;
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return { millis, partial, failed, seconds: (performance.now() - began) / 1000 };
}

/** Seconds of processor time that a process has taken, of all its threads. */
function processorSeconds({ child }: Served): number {
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Processor milliseconds per search by process, without what the processes take when idle. */
export async function costs(
  processes: readonly Served[],
  run: () => Promise<Run>,
): Promise<readonly number[]> {
  const used = async (work: () => Promise<unknown>) => {
    const before = processes.map(processorSeconds);
    await work();
    return processes.map((one, i) => processorSeconds(one) - before[i]);
  };
  const idleSeconds = 8;
  const idle = await used(() => pause(idleSeconds * 1000));
  let done: Run = { millis: [], partial: 0, failed: 0, seconds: 0 };
  const busy = await used(async () => {
    done = await run();
  });
  return busy.map((seconds, i) => {
    const own = seconds - (idle[i] / idleSeconds) * done.seconds;
    return (own * 1000) / done.millis.length;
  });
}
