/**
 * One field of text as an inverted component in a file, without tables, keys and columns: what the
 * benchmarks of the engine's core measure. `node bench/text-component.ts DOCS.jsonl OUT [first]
 * [docs]` builds one and prints sizes and speed. Texts are read block by block. More than
 * PART_DOCS documents are built in parts beside OUT, which are merged then: it takes 1 GB of memory
 * for any number of documents.
 */
import {
  closeSync,
  createReadStream,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { simpleAnalyzer } from '../packages/engine/src/analysis/simple.ts';
import { runSteps } from '../packages/engine/src/base/steps.ts';
import { InvertedReader } from '../packages/engine/src/inverted/inverted-reader.ts';
import { mergingInverted } from '../packages/engine/src/inverted/merge.ts';
import { InvertedWriter } from '../packages/engine/src/inverted/write/inverted-writer.ts';
import type { FieldBlock } from '../packages/engine/src/schema/field-block.ts';
import { mapFile } from '../packages/engine/src/storage/arena.ts';
import { openLocalDirectory } from '../packages/engine/src/storage/local-directory.ts';
import { type FilePart, Spill } from '../packages/engine/src/storage/spill.ts';

/** Documents of a block, as the ingest hands them over. */
const BLOCK = 2048;
/** Documents whose occurrences are in memory at once. */
const PART_DOCS = 700_000;

/** Texts of the lines [first, first + docs) of a file of JSON objects with a `text`, as blocks. */
export async function* readBlocks(
  path: string,
  first: number,
  docs: number,
): AsyncGenerator<FieldBlock> {
  let texts: Buffer[] = [];
  let line = 0;
  for await (const json of createInterface({ input: createReadStream(path) })) {
    if (line >= first + docs) break;
    if (line >= first) texts.push(Buffer.from(JSON.parse(json).text));
    line++;
    if (texts.length === BLOCK) {
      yield blockOf(texts);
      texts = [];
    }
  }
  if (texts.length > 0) yield blockOf(texts);
}

function blockOf(texts: readonly Buffer[]): FieldBlock {
  const offsets = new Int32Array(texts.length + 1);
  texts.forEach((text, i) => {
    offsets[i + 1] = offsets[i] + text.length;
  });
  const starts = Int32Array.from(offsets, (_, i) => i);
  return { kind: 'bytes', starts, offsets, bytes: Buffer.concat(texts) };
}

/** Number of documents of a block. */
export const docsOf = (block: FieldBlock): number => block.starts.length - 1;

/** The component in a file, which maps it into memory. */
export function openComponent(path: string): { reader: InvertedReader; docs: number } {
  const region = mapFile(path);
  const docs = region.arena.i32[(region.offset >> 2) + 1];
  return { reader: InvertedReader.open(region, docs, 'text'), docs };
}

/** Writes a component to a file, complete or not at all, forces it to the disk; its bytes. */
export function writeParts(parts: readonly FilePart[], out: string): number {
  const file = openSync(`${out}.tmp`, 'w');
  let bytes = 0;
  for (const part of parts) {
    bytes += part.length;
    if (part instanceof Uint8Array) writeSync(file, part);
    else for (const piece of part.pieces()) writeSync(file, piece);
  }
  fsyncSync(file);
  closeSync(file);
  renameSync(`${out}.tmp`, out);
  return bytes;
}

/** Milliseconds of the clock and of the processor by step, without reading and parsing lines. */
class StepTimes {
  readonly milliseconds: Record<string, number> = {};
  #cpu = 0;

  run<T>(step: string, work: () => T): T {
    const started = performance.now();
    const cpu = process.cpuUsage();
    const result = work();
    const { user, system } = process.cpuUsage(cpu);
    this.#cpu += (user + system) / 1e3;
    const taken = performance.now() - started;
    this.milliseconds[step] = (this.milliseconds[step] ?? 0) + taken;
    return result;
  }

  get summary() {
    const { milliseconds } = this;
    const total = Object.values(milliseconds).reduce((sum, each) => sum + each, 0);
    const steps = Object.entries({ milliseconds: total, ...milliseconds, cpu: this.#cpu });
    return Object.fromEntries(steps.map(([name, value]) => [name, Math.round(value)]));
  }
}

/** Indexes the blocks and writes the component to a file. Milliseconds by step. */
export async function buildComponent(blocks: AsyncIterable<FieldBlock>, out: string) {
  const times = new StepTimes();
  const parts: string[] = [];
  let writer = new InvertedWriter({ kind: 'text', analyzer: simpleAnalyzer });
  let docs = 0;
  let total = 0;
  let bytes = 0;
  const flush = (path: string) => {
    const component = times.run('encode', () => writer.finish(docs));
    bytes = times.run('write', () => writeParts(component, path));
    writer = new InvertedWriter({ kind: 'text', analyzer: simpleAnalyzer });
    docs = 0;
  };
  for await (const block of blocks) {
    if (docs + docsOf(block) > PART_DOCS) {
      parts.push(`${out}.part${parts.length}`);
      flush(parts[parts.length - 1]);
    }
    times.run('tokenise', () => writer.add(docs, docsOf(block), block));
    docs += docsOf(block);
    total += docsOf(block);
  }
  if (parts.length > 0) parts.push(`${out}.part${parts.length}`);
  flush(parts.at(-1) ?? out);
  if (parts.length > 0) bytes = times.run('merge', () => mergeParts(parts, out));
  return { docs: total, bytes, ...times.summary };
}

/** One component of several, which follow one another and are removed. */
function mergeParts(parts: readonly string[], out: string): number {
  let docs = 0;
  const inputs = parts.map((path) => {
    const opened = openComponent(path);
    const first = docs;
    docs += opened.docs;
    const docMap = new Int32Array(opened.docs).map((_, doc) => first + doc);
    return { reader: opened.reader, docMap };
  });
  const directory = openLocalDirectory(dirname(out));
  const open = (what: string) => new Spill(directory, `${basename(out)}.spill-${what}`);
  const bytes = writeParts(runSteps(mergingInverted(inputs, docs, { open })), out);
  for (const path of parts) rmSync(path);
  return bytes;
}

if (process.argv[1] === import.meta.filename) {
  const [, , source, out, first = '0', docs = '1e9'] = process.argv;
  const result = await buildComponent(readBlocks(source, Number(first), Number(docs)), out);
  const rss = Math.round(process.resourceUsage().maxRSS / 1024);
  console.log(JSON.stringify({ ...result, rss }));
}
