/**
 * Searches per second with all cores at work, beside Lucene and tantivy: each engine answers the
 * queries of bench/peers.ts in several servers at the same time, engines in turns. Rates are of the
 * engines' own clocks, summed over the servers: pipes and JSON are left out. Needs what
 * bench/peers.ts needs, and its component lhs.idx (made there).
 *
 *   node bench/throughput.ts [--servers=2] [--size=small|big] [--warm=3] [--repeat=5]
 *     [--modes=or,…]
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { HERE, machine, option, peerCommands, ready, WORK } from './peer-run.ts';
import { need } from './shared.ts';

const MODES = 'term,or,and,phrase,count_or,count_and,count_phrase,top10_count_or,top10_count_and';
const folder = option('size', 'small') === 'big' ? join(WORK, 'x12') : WORK;
const JAVA = { JAVA_HOME: '/usr/lib/jvm/temurin-25-jdk-amd64', ...process.env };

/** A process that answers one line with one line. */
class Server {
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: AsyncIterator<string>;

  constructor(command: string) {
    const [program, ...args] = command.split(' ');
    this.#process = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'], env: JAVA });
    this.#lines = createInterface({ input: this.#process.stdout })[Symbol.asyncIterator]();
  }

  async line(): Promise<{ readonly us: number; readonly error?: string }> {
    return JSON.parse((await this.#lines.next()).value);
  }

  /** Microseconds of all queries, the first one `first`. */
  async run(mode: string, queries: readonly (readonly string[])[], first: number) {
    let sum = 0;
    for (let i = 0; i < queries.length; i++) {
      const terms = queries[(first + i) % queries.length];
      this.#process.stdin.write(`${JSON.stringify({ mode, terms })}\n`);
      const { us, error } = await this.line();
      if (error !== undefined) throw new Error(error);
      sum += us;
    }
    return sum;
  }

  end(): void {
    this.#process.stdin.end();
  }
}

/** Searches per second of all servers of an engine together. */
async function rateOf(
  servers: readonly Server[],
  mode: string,
  queries: readonly (readonly string[])[],
): Promise<number> {
  const shift = Math.floor(queries.length / servers.length);
  const runs = servers.map((server, i) => server.run(mode, queries, i * shift));
  const times = await Promise.all(runs);
  return times.reduce((sum, us) => sum + (queries.length / us) * 1e6, 0);
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1];

if (ready(folder)) {
  const component = need(join(folder, 'lhs.idx'), 'node bench/peers.ts makes it');
  const serve = `${process.execPath} ${join(HERE, 'serve.ts')} ${component}`;
  const commands = { lhs: serve, ...peerCommands('', folder) };
  const count = Number(option('servers', '2'));
  const engines = Object.entries(commands).map(([name, command]) => {
    return { name, servers: Array.from({ length: count }, () => new Server(command)) };
  });
  await Promise.all(engines.flatMap(({ servers }) => servers.map((server) => server.line())));
  const lines = readFileSync(join(folder, 'queries.jsonl'), 'utf8').trim().split('\n');
  const queries: string[][] = lines.map((line) => JSON.parse(line).terms);
  const [warm, repeat] = [Number(option('warm', '3')), Number(option('repeat', '5'))];
  const head = [
    'mode',
    ...engines.map(({ name }) => `${name}, searches/s`),
    'over the better peer',
  ];
  console.log(`${count} servers per engine, ${machine().split('\n')[0]}\n`);
  console.log(`| ${head.join(' | ')} |\n|${' --- |'.repeat(head.length)}`);
  for (const mode of option('modes', MODES).split(',')) {
    const rates: number[][] = engines.map(() => []);
    for (let round = 0; round < warm + repeat; round++) {
      for (const [i, { servers }] of engines.entries()) {
        const rate = await rateOf(servers, mode, queries);
        if (round >= warm) rates[i].push(rate);
      }
    }
    const [ours, ...others] = rates.map(median);
    const ratio = others.length === 0 ? '' : (ours / Math.max(...others)).toFixed(2);
    const cells = [ours, ...others].map((rate) => Math.round(rate).toLocaleString('en'));
    console.log(`| ${[mode, ...cells, ratio].join(' | ')} |`);
  }
  for (const { servers } of engines) for (const server of servers) server.end();
}
