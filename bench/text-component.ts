/**
 * One field of text as an inverted component in a file, without tables, keys and columns: what the
 * benchmarks of the engine's heart measure. `node bench/text-component.ts DOCS.jsonl OUT [first]
 * [docs]` builds one and prints sizes and speed.
 */
import { closeSync, createReadStream, fsyncSync, openSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { simpleAnalyzer } from '../packages/engine/src/analysis/simple.ts';
import { InvertedWriter } from '../packages/engine/src/inverted/inverted-writer.ts';
import type { FieldBlock } from '../packages/engine/src/schema/field-block.ts';

/** Documents of a block, as the ingest hands them over. */
const BLOCK = 2048;

/** Texts of the lines [first, first + docs) of a file of JSON objects with a `text`, as blocks. */
export async function readBlocks(
  path: string,
  first: number,
  docs: number,
): Promise<readonly FieldBlock[]> {
  const blocks: FieldBlock[] = [];
  let texts: Buffer[] = [];
  let line = 0;
  for await (const json of createInterface({ input: createReadStream(path) })) {
    if (line >= first && line < first + docs) texts.push(Buffer.from(JSON.parse(json).text));
    line++;
    if (texts.length === BLOCK) {
      blocks.push(blockOf(texts));
      texts = [];
    }
  }
  if (texts.length > 0) blocks.push(blockOf(texts));
  return blocks;
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

/**
 * Indexes the blocks, writes the component to a file and forces it to the disk. Milliseconds by
 * step.
 */
export function buildComponent(blocks: readonly FieldBlock[], out: string) {
  const started = performance.now();
  const writer = new InvertedWriter({ kind: 'text', analyzer: simpleAnalyzer });
  let docs = 0;
  for (const block of blocks) {
    writer.add(docs, docsOf(block), block);
    docs += docsOf(block);
  }
  const tokenised = performance.now();
  const parts = writer.finish(docs);
  const encoded = performance.now();
  const file = openSync(out, 'w');
  for (const part of parts) writeSync(file, part);
  fsyncSync(file);
  closeSync(file);
  const ended = performance.now();
  return {
    docs,
    bytes: parts.reduce((sum, part) => sum + part.length, 0),
    milliseconds: Math.round(ended - started),
    tokenise: Math.round(tokenised - started),
    encode: Math.round(encoded - tokenised),
    write: Math.round(ended - encoded),
  };
}

if (process.argv[1] === import.meta.filename) {
  const [, , source, out, first = '0', docs = '1e9'] = process.argv;
  const blocks = await readBlocks(source, Number(first), Number(docs));
  const cpu = process.cpuUsage();
  const result = buildComponent(blocks, out);
  const { user, system } = process.cpuUsage(cpu);
  const rss = Math.round(process.resourceUsage().maxRSS / 1024);
  console.log(JSON.stringify({ ...result, cpu: Math.round((user + system) / 1e3), rss }));
}
