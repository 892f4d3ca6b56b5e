/**
 * The engine's heart behind the peers' protocol (../shared/peers/README.md): one JSON line in, one
 * out; `us` is our own clock from terms to the ids of the top 10. `node bench/serve.ts COMPONENT...
 * [--deleted PERCENT]`: each component of bench/text-component.ts is a segment, documents numbered
 * on.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { wordsOf } from '../packages/engine/src/bitmap/bitmap.ts';
import type { ScoringSegment, TermMode } from '../packages/engine/src/scoring/request.ts';
import { countTerms, searchTerms } from '../packages/engine/src/scoring/search-terms.ts';
import { TopDocs } from '../packages/engine/src/scoring/top-docs.ts';
import { openComponent } from './text-component.ts';

const encoder = new TextEncoder();
const MODES = new Set(['term', 'or', 'and', 'phrase']);

/** Opened components as one index. */
export interface OpenComponents {
  readonly segments: readonly ScoringSegment[];
  /** First document of each. */
  readonly bases: readonly number[];
  /** By segment, the documents' numbers in arrival order; null: they are in that order. */
  readonly ids: readonly (Int32Array | null)[];
  readonly docs: number;
}

/** The file `<component>.ids` of documents that are not in arrival order. */
function idsOf(path: string): Int32Array | null {
  if (!existsSync(`${path}.ids`)) return null;
  const { buffer, byteOffset, byteLength } = readFileSync(`${path}.ids`);
  return new Int32Array(buffer, byteOffset, byteLength >> 2);
}

/** Maps components; `deleted` percent of the documents, evenly spread, are deleted. */
export function openComponents(paths: readonly string[], deleted: number): OpenComponents {
  const bases: number[] = [];
  let docs = 0;
  const ids = paths.map(idsOf);
  const segments = paths.map((path, number): ScoringSegment => {
    const { reader, docs: size } = openComponent(path);
    const ranks = ids[number];
    bases.push(docs);
    docs += size;
    if (deleted === 0) return { number, reader, ranks, blocked: null, living: null };
    const bytes = 4 * wordsOf(size);
    const { offset } = reader.arena.allocate(bytes);
    const blocked = new Int32Array(reader.arena.memory.buffer, offset, bytes >> 2);
    const every = 100 / deleted;
    for (let i = 0; Math.floor(i * every) < size; i++) {
      const doc = Math.floor(i * every);
      blocked[doc >> 5] |= 1 << (doc & 31);
    }
    return { number, reader, ranks, blocked, living: new Map() };
  });
  return { segments, bases, ids, docs };
}

/** Answers one question of the protocol. */
export function answer(index: OpenComponents, mode: string, words: readonly string[]) {
  const kind = mode.replace(/^(count_|top10_count_)/, '');
  if (!MODES.has(kind)) return { error: `no mode "${mode}"` };
  const started = process.hrtime.bigint();
  const used = kind === 'term' ? words.slice(0, 1) : words;
  const terms = used.map((word, position) => ({ bytes: utf8(word), boost: 1, position }));
  const search = { mode: kind as TermMode, terms, segments: index.segments };
  let hits = 0;
  let top: [number, number][] = [];
  if (mode.startsWith('count_')) hits = countTerms(search);
  else {
    const best = new TopDocs(10, (segment, doc) => keyOf(index, segment, doc));
    hits = searchTerms(search, best, mode.startsWith('top10_count_'));
    top = best.harvest().map(({ segment, doc, score }) => [idOf(index, segment, doc), score]);
  }
  const us = Number(process.hrtime.bigint() - started) / 1e3;
  const exact = mode.includes('count_');
  return { us, hits: exact ? hits : top.length, exact, top };
}

/** A word's bytes; the encoder of the platform costs more than a short word. */
export function utf8(word: string): Uint8Array {
  const bytes = new Uint8Array(word.length);
  for (let i = 0; i < word.length; i++) {
    const code = word.charCodeAt(i);
    if (code > 127) return encoder.encode(word);
    bytes[i] = code;
  }
  return bytes;
}

/** The number of a document in arrival order. */
const idOf = ({ bases, ids }: OpenComponents, segment: number, doc: number): number =>
  bases[segment] + (ids[segment]?.[doc] ?? doc);

/** Keys that rise as documents arrive. */
export function keyOf(index: OpenComponents, segment: number, doc: number): Uint8Array {
  const key = Buffer.alloc(4);
  key.writeUInt32BE(idOf(index, segment, doc));
  return key;
}

if (process.argv[1] === import.meta.filename) {
  const paths = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
  const deleted = process.argv.find((argument) => argument.startsWith('--deleted='));
  const index = openComponents(paths, Number(deleted?.slice('--deleted='.length) ?? 0));
  console.log(JSON.stringify({ ready: true, engine: 'lhs', docs: index.docs }));
  for await (const line of createInterface({ input: process.stdin })) {
    const { mode, terms } = JSON.parse(line);
    console.log(JSON.stringify(answer(index, mode, terms)));
  }
}
