/**
 * The static model in plain JavaScript, as its MODEL.md tells it: strings, a Map, a Float32Array.
 * Oracle of the tokenizer, peer of bench/embed.ts.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const IDEOGRAPHS = [
  [0x4e00, 0x9fff],
  [0x3400, 0x4dbf],
  [0x20000, 0x2a6df],
  [0x2a700, 0x2b73f],
  [0x2b740, 0x2b81f],
  [0x2b820, 0x2ceaf],
  [0xf900, 0xfaff],
  [0x2f800, 0x2fa1f],
];
const ASCII_MARKS = new Set('!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~');

const isIdeograph = (char: string): boolean => {
  const code = char.codePointAt(0) as number;
  return IDEOGRAPHS.some(([from, to]) => code >= from && code <= to);
};
const isDropped = (char: string): boolean =>
  char === '\ufffd' || (/[\p{Cc}\p{Cf}\p{Co}]/u.test(char) && !'\t\n\r'.includes(char));
const isMark = (char: string): boolean => ASCII_MARKS.has(char) || /\p{P}/u.test(char);

/** The words of a text: what the vocabulary is asked for. */
export function wordsOf(text: string): string[] {
  const spaced = [...text]
    .filter((char) => !isDropped(char))
    .map((char) => (isIdeograph(char) ? ` ${char} ` : char))
    .join('');
  const plain = [...spaced.normalize('NFD')].filter((char) => !/\p{Mn}/u.test(char));
  const words: string[] = [];
  let word = '';
  const end = () => {
    if (word !== '') words.push(word);
    word = '';
  };
  for (const char of plain.map((c) => c.toLowerCase()).join('')) {
    if (/\s/.test(char)) end();
    else if (isMark(char)) {
      end();
      words.push(char);
    } else word += char;
  }
  end();
  return words;
}

/** The ids of a word: the longest piece first. */
export function idsOfWord(word: string, vocabulary: ReadonlyMap<string, number>): number[] {
  const unknown = vocabulary.get('[UNK]') as number;
  const chars = [...word];
  if (chars.length > 100) return [unknown];
  const ids: number[] = [];
  for (let from = 0; from < chars.length; ) {
    let to = chars.length;
    let id: number | undefined;
    for (; to > from; to--) {
      const piece = chars.slice(from, to).join('');
      id = vocabulary.get(from === 0 ? piece : `##${piece}`);
      if (id !== undefined) break;
    }
    if (id === undefined) return [unknown];
    ids.push(id);
    from = to;
  }
  return ids;
}

/** A model of a folder, read whole. */
export interface ReferenceModel {
  readonly dims: number;
  readonly vocabulary: ReadonlyMap<string, number>;
  readonly rows: Int8Array;
  readonly scales: Float32Array;
}

/** Reads a folder. */
export function readReference(folder: string): ReferenceModel {
  const { dims } = JSON.parse(readFileSync(join(folder, 'model.json'), 'utf8')) as { dims: number };
  const lines = readFileSync(join(folder, 'vocab.txt'), 'utf8').split('\n');
  const vocabulary = new Map(lines.map((line, id) => [line, id]));
  const scales = readFileSync(join(folder, 'scales.f32'));
  return {
    dims,
    vocabulary,
    rows: new Int8Array(readFileSync(join(folder, 'vectors.i8'))),
    scales: Float32Array.from({ length: scales.length / 4 }, (_, i) => scales.readFloatLE(4 * i)),
  };
}

/** The vector of some ids. */
export function vectorOf(ids: readonly number[], model: ReferenceModel): Float32Array {
  const { dims, rows, scales } = model;
  const sum = new Float32Array(dims);
  for (const id of ids) {
    const scale = scales[id];
    const at = id * dims;
    for (let d = 0; d < dims; d++) sum[d] += scale * rows[at + d];
  }
  let squares = 0;
  for (let d = 0; d < dims; d++) squares += sum[d] * sum[d];
  const length = squares === 0 ? 1 : Math.sqrt(squares);
  for (let d = 0; d < dims; d++) sum[d] /= length;
  return sum;
}
