/**
 * A random schedule of faults over a cluster of processes: each is killed (nodes also with their
 * disks), stopped and cut off, as are PostgreSQL and the store, up to three at once, while rows are
 * changed and four searchers read. Every answer has to be whole, to say `partial`, or to fail.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { LhsError, type SearchResponse } from '@lakehouse-search/contract';
import { vi } from 'vitest';
import { seededBelow } from '../../../../test/support/random.ts';
import { INDEX } from './cluster-table.ts';
import { NODES, type StoreCluster } from './store-cluster.ts';

const ROLES = ['node', 'gateway', 'control-plane'] as const;
const SEARCHERS = 4;
/** A process that is killed takes as long to start as many others to go on. */
const CHEAP = 8;
const MOST_AT_ONCE = 3;
const CALL_MS = 3000;
/** Errors that say that no answer was to be had. */
const AWAY: ReadonlySet<string> = new Set(['unreachable', 'deadline_exceeded', 'overloaded']);

/** What goes wrong with one part of a cluster, until it ends. */
interface Fault {
  readonly part: string;
  readonly what: string;
  readonly begin: () => unknown;
  readonly end: () => unknown;
}

/** What a schedule has seen. */
export interface FaultReport {
  readonly points: ReadonlyMap<string, number>;
  whole: number;
  partial: number;
  failed: number;
  /** Answers that are wrong, and errors that are none of a part that is away. */
  readonly wrong: string[];
}

/** Runs so many faults, and waits until all have ended. */
export async function runFaults(
  cluster: StoreCluster,
  points: number,
  seed: number,
): Promise<FaultReport> {
  const below = seededBelow(seed);
  const counts = new Map<string, number>();
  const report: FaultReport = { points: counts, whole: 0, partial: 0, failed: 0, wrong: [] };
  const searches = searching(cluster, report);
  const faults = faultsOf(cluster);
  const ending = new Map<string, Promise<unknown>>();
  for (let point = 0; point < points; point++) {
    while (ending.size >= MOST_AT_ONCE) await Promise.race(ending.values());
    const free = faults.filter(({ part }) => !ending.has(part));
    const { part, what, begin, end } = free[below(free.length)];
    counts.set(what, (counts.get(what) ?? 0) + 1);
    await begin();
    const length = below(12);
    const over = searches.more(length).then(end);
    ending.set(
      part,
      over.finally(() => ending.delete(part)),
    );
    await searches.more(1 + below(4));
    if (point % 10 === 0) await changeRows(cluster, point);
  }
  await Promise.all(ending.values());
  await searches.end();
  return report;
}

async function changeRows(cluster: StoreCluster, point: number): Promise<void> {
  const { table } = cluster;
  if (point % 30 === 0) await cluster.change(table.delete(point, point + 2));
  else await cluster.change(table.append(1000 + point, 1001 + point));
}

function faultsOf(cluster: StoreCluster): readonly Fault[] {
  const processes = ROLES.flatMap((role) =>
    cluster.named(role).flatMap((part): Fault[] => {
      return [
        {
          ...{ part, what: `${role} killed` },
          begin: () => cluster.kill(part),
          end: () => startAgain(cluster, part),
        },
        {
          ...{ part, what: `${role} stopped` },
          begin: () => cluster.signal(part, 'SIGSTOP'),
          end: () => cluster.signal(part, 'SIGCONT'),
        },
      ];
    }),
  );
  const lost = NODES.map((part): Fault => {
    const begin = () => cluster.lose(part);
    return { part, what: 'node killed, disk lost', begin, end: () => startAgain(cluster, part) };
  });
  const cut = [...cluster.proxies].map(([part, proxy]): Fault => {
    const what = `${ROLES.find((role) => cluster.named(role).includes(part)) ?? part} cut off`;
    return { part, what, begin: () => proxy.swallow(), end: () => proxy.heal() };
  });
  const { postgres } = cluster;
  const restarted = postgres && {
    ...{ part: 'postgres', what: 'postgres restarted' },
    begin: () => postgres.restart(),
    end: () => {},
  };
  const all = [...processes, ...lost, ...cut, ...(restarted === undefined ? [] : [restarted])];
  return all.flatMap((fault) => Array(/stopped|cut/.test(fault.what) ? CHEAP : 1).fill(fault));
}

/** Starts a process until it runs: a control plane ends while its database is away. */
const startAgain = (cluster: StoreCluster, part: string): Promise<void> =>
  vi.waitFor(() => cluster.begin(part), { interval: 250 });

/** Searchers that check each answer. `more` waits for so many answers: ten errors count as one. */
function searching(cluster: StoreCluster, report: FaultReport) {
  let [answered, ended] = [0, false];
  const gateways = cluster.named('gateway');
  const work = async (gateway: string) => {
    while (!ended) {
      const call = { deadline: Date.now() + CALL_MS };
      const request = { index: INDEX, query: '*:*', limit: 1000 };
      const search = cluster.client(gateway).search(request, call);
      const count = await search.then(
        (answer) => check(cluster, report, answer),
        (error: unknown) => noteError(report, error),
      );
      answered += count;
    }
  };
  const all = Array.from({ length: SEARCHERS }, (_, i) => work(gateways[i % gateways.length]));
  return {
    more: (count: number) => {
      const wanted = answered + count;
      return vi.waitUntil(() => answered >= wanted, { interval: 5 });
    },
    end: () => {
      ended = true;
      return Promise.all(all);
    },
  };
}

async function check(
  cluster: StoreCluster,
  report: FaultReport,
  answer: SearchResponse,
): Promise<number> {
  const { hits, partial = false, snapshot, total, shards_scanned, shards_total } = answer;
  // a search may be faster than the test notes what it has written
  const known = () => cluster.rowsAt.get(snapshot);
  const rows = await vi.waitUntil(known, { interval: 5 });
  // a shard whose nodes end after they have found hits gives no fields of them
  const read = hits.filter(({ fields }) => !partial || fields !== undefined);
  const found = read.map(({ fields }) => `${fields?.id} ${fields?.title}`).sort();
  const foreign = found.filter((row, i) => !rows.includes(row) || row === found[i + 1]);
  const isWhole = total === rows.length && found.length === total;
  if (partial) report.partial++;
  else report.whole++;
  const isRight = foreign.length === 0 && (partial || isWhole);
  const isNamed = partial === shards_scanned < shards_total;
  const shown = JSON.stringify({ partial, snapshot, total, shards_scanned, foreign });
  if (!isRight || !isNamed) report.wrong.push(shown);
  return 1;
}

async function noteError(report: FaultReport, error: unknown): Promise<number> {
  report.failed++;
  if (!(error instanceof LhsError && AWAY.has(error.code))) report.wrong.push(String(error));
  await sleep(100); // that of a gateway which is away comes at once
  return 0.1;
}
