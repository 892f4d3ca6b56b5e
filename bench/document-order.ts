/**
 * What the order of documents brings: the text component of bench/text-component.ts in arrival
 * order, by repository and time (`apart`: with the copies of a corpus of copies one after another),
 * by recursive graph bisection, and by the one after the other (`both`).
 *
 *   node bench/document-order.ts make COMPONENT DOCS.jsonl OUT fields|apart|bisection|both [rounds]
 *   node bench/document-order.ts time QUERIES.jsonl [--rounds=5] [--modes=…] COMPONENT...
 *
 * `make` writes the component and `OUT.ids`, its documents' numbers in arrival order; prints bytes
 * by section and seconds. `time` runs the queries in each component in turns, in one process:
 * processor time of all queries in ms by mode, median of the rounds, and what that is over the
 * first component's. It checks that the answers are equal.
 */
import { createReadStream, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { INVERTED_SECTIONS } from '../packages/engine/src/inverted/format.ts';
import { mapFile } from '../packages/engine/src/storage/arena.ts';
import { bisect, forwardIndex } from './order-bisection.ts';
import { option } from './peer-run.ts';
import { reorderComponent } from './reordered-component.ts';
import { answer, openComponents } from './serve.ts';
import { openComponent, writeParts } from './text-component.ts';

/** Documents of a copy in the large corpus. */
const COPY_DOCS = 446_015;
const MODES = 'term,or,and,phrase,count_or,count_and,count_phrase,top10_count_or,top10_count_and';

/**
 * Documents by repository, then copy of the corpus if copies are to stay apart, then time, then
 * arrival.
 */
async function byFields(path: string, apart: boolean): Promise<Int32Array> {
  const repos: string[] = [];
  const times: number[] = [];
  for await (const line of createInterface({ input: createReadStream(path) })) {
    repos.push(/"repo":"([^"]*)"/.exec(line)![1]);
    times.push(Number(/"authored_at":(-?\d+)/.exec(line)![1]));
  }
  const names = [...new Set(repos)].sort();
  const places = new Map(names.map((name, i) => [name, i]));
  const codes = Int32Array.from(repos, (repo) => places.get(repo)!);
  const order = Int32Array.from(repos, (_, i) => i);
  const copyOf = (doc: number) => (apart ? Math.floor(doc / COPY_DOCS) : 0);
  return order.sort(
    (a, b) => codes[a] - codes[b] || copyOf(a) - copyOf(b) || times[a] - times[b] || a - b,
  );
}

function bytesOf(path: string): string {
  const { arena, offset } = mapFile(path);
  const at = offset >> 2;
  const sections = INVERTED_SECTIONS.map((name, i) => [name, arena.i32[at + 13 + 2 * i]] as const);
  const total = sections.reduce((sum, [, bytes]) => sum + bytes, 0);
  const names = ['dictionary', 'small', 'big'];
  const own = sections.filter(([name]) => names.includes(name));
  return [...own, ['all', total]].map((pair) => pair.join(' ')).join(', ');
}

async function make([source, docs, out, kind, rounds = '10']: string[]): Promise<void> {
  const started = process.cpuUsage();
  const { reader } = openComponent(source);
  const arrival = Int32Array.from({ length: reader.docs }, (_, i) => i);
  const order = kind === 'bisection' ? arrival : await byFields(docs, kind === 'apart');
  if (kind === 'bisection' || kind === 'both') {
    bisect(forwardIndex(reader, Math.max(2, reader.docs >> 18)), order, Number(rounds));
  }
  const ordered = process.cpuUsage(started);
  const numberOf = new Int32Array(order.length);
  order.forEach((doc, i) => {
    numberOf[doc] = i;
  });
  writeParts(reorderComponent(reader, numberOf), out);
  writeFileSync(`${out}.ids`, order);
  console.log(`${kind}: order ${Math.round((ordered.user + ordered.system) / 1e6)} s of processor`);
  console.log(`${bytesOf(source)}\n${bytesOf(out)}`);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

function time([queries, ...rest]: string[]): void {
  const paths = rest.filter((argument) => !argument.startsWith('--'));
  const indexes = paths.map((path) => openComponents([path], 0));
  const lines = readFileSync(queries, 'utf8').trim().split('\n');
  const asked: string[][] = lines.map((line) => JSON.parse(line).terms);
  const rounds = Number(option('rounds', '5'));
  for (const mode of option('modes', MODES).split(',')) {
    const times: number[][] = paths.map(() => []);
    const answers: string[] = [];
    for (let round = -1; round < rounds; round++) {
      indexes.forEach((index, i) => {
        const started = process.cpuUsage();
        const found = asked.map((words) => answer(index, mode, words));
        const { user, system } = process.cpuUsage(started);
        if (round >= 0) times[i].push((user + system) / 1e3);
        else answers.push(JSON.stringify(found.map((each) => [each.hits, each.top])));
      });
    }
    const same = answers.map((each) => (each === answers[0] ? '' : ' DIFFERENT'));
    const medians = times.map(median);
    const cells = medians.map((ms, i) => {
      return `${ms.toFixed(1)} (${(medians[0] / ms).toFixed(2)})${same[i]}`;
    });
    console.log(`${mode.padEnd(16)} ${cells.join('   ')}`);
  }
}

const [, , what, ...rest] = process.argv;
if (what === 'make') await make(rest);
else time(rest);
