/**
 * Texts of 100 tokens a second on one thread: the static model through `openEmbedder`, beside a
 * plain JavaScript reader of the same model (split, a Map, a loop over a Float32Array), round by
 * round in turns; their vectors are compared. Then all-MiniLM-L6-v2 (int8 weights) through
 * `openEmbedder`. By wall clock, and by processor time, which other work on the machine disturbs
 * less.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { textsOf } from '../packages/engine/src/embed/embedder.ts';
import { modelFolder, openEmbedder } from '../packages/engine/src/embed/open-embedder.ts';
import {
  idsOfWord,
  type ReferenceModel,
  readReference,
  vectorOf,
  wordsOf,
} from '../packages/engine/test/embed/static-reference.ts';
import { commitRows } from './commit-rows.ts';
import { machine, median, need, SHARED } from './shared.ts';

const TEXTS = 20_000;
const TOKENS = 100;
const ROUNDS = 7;
const MINILM_TEXTS = 40;
const TARGET = 20_000;

const MARKS = /[!-/:-@[-`{-~\p{P}]|[^\s!-/:-@[-`{-~\p{P}]+/gu;

/** The ids of a text, by strings. */
function idsOf(text: string, { vocabulary }: ReferenceModel): number[] {
  const ids: number[] = [];
  const plain = text
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase();
  for (const word of plain.match(MARKS) ?? []) {
    const whole = vocabulary.get(word);
    if (whole !== undefined) ids.push(whole);
    else ids.push(...piecesOf(word, vocabulary));
  }
  return ids;
}

function piecesOf(word: string, vocabulary: ReadonlyMap<string, number>): number[] {
  const ids: number[] = [];
  for (let from = 0; from < word.length; ) {
    let to = word.length;
    let id: number | undefined;
    for (; to > from; to--) {
      const piece = word.slice(from, to);
      id = vocabulary.get(from === 0 ? piece : `##${piece}`);
      if (id !== undefined) break;
    }
    if (id === undefined || word.length > 100) return [vocabulary.get('[UNK]') as number];
    ids.push(id);
    from = to;
  }
  return ids;
}

/** Texts of 100 tokens each, made of subjects and bodies of git.commits. */
async function commitTexts(reference: ReferenceModel): Promise<string[]> {
  const path = need(join(SHARED, 'iceberg/git.commits'), 'the shared folder');
  const texts: string[] = [];
  let words: string[] = [];
  let tokens = 0;
  for await (const { subject, body } of commitRows(path)) {
    for (const word of `${subject}\n${body ?? ''}`.match(/\S+\s*/g) ?? []) {
      const more = idsOf(word, reference).length;
      if (tokens + more > TOKENS) {
        texts.push(words.join(''));
        words = [];
        tokens = 0;
      }
      words.push(word);
      tokens += more;
    }
    words.push('\n');
    if (texts.length >= TEXTS) return texts.slice(0, TEXTS);
  }
  return texts;
}

interface Rate {
  readonly wall: number;
  readonly cpu: number;
}

/** Texts a second of one round. */
async function timed(count: number, run: () => unknown): Promise<Rate> {
  const cpu = process.cpuUsage();
  const from = performance.now();
  await run();
  const wall = performance.now() - from;
  const { user, system } = process.cpuUsage(cpu);
  return { wall: (1000 * count) / wall, cpu: (1e6 * count) / (user + system) };
}

const rounded = (n: number): string => Math.round(n).toLocaleString('en-US');
const told = (what: string, rates: readonly Rate[]): string => {
  const wall = rounded(median(rates.map((r) => r.wall)));
  const cpu = rounded(median(rates.map((r) => r.cpu)));
  return `${what.padEnd(26)} ${wall.padStart(8)} texts/s  ${cpu.padStart(8)} by processor time`;
};

const folder = modelFolder('default');
const reference = readReference(folder);
const list = await commitTexts(reference);
const texts = textsOf(list);
console.log(machine());
console.log(
  `${list.length} texts of ${TOKENS} tokens, ${rounded(texts.bytes.length / list.length)} bytes`,
);

const model = await openEmbedder('default');
const plain = () => list.map((text) => vectorOf(idsOf(text, reference), reference));
const wanted = plain();
const vectors = await model.embed(texts);
const near = (vector: Float32Array, i: number) =>
  vector.every((value, d) => Math.abs(value - vectors[i * vector.length + d]) <= 1e-5);
const differ = list
  .keys()
  .filter((i) => !near(wanted[i], i))
  .toArray();
const wrong = differ.filter((i) => {
  const ids = wordsOf(list[i]).flatMap((word) => idsOfWord(word, reference.vocabulary));
  return !near(vectorOf(ids, reference), i);
});
console.log(
  `${list.length - differ.length} vectors equal to 1e-5; ${differ.length} have controls ` +
    'or ideographs, ' +
    `which the plain reader passes by: ${wrong.length} of them differ from the rules`,
);
const ours: Rate[] = [];
const theirs: Rate[] = [];
for (let round = 0; round < ROUNDS; round++) {
  ours.push(await timed(list.length, () => model.embed(texts)));
  theirs.push(await timed(list.length, plain));
}
await model.close();
console.log(told('static model', ours));
console.log(told('plain JavaScript', theirs));
const ratio = median(ours.map(({ wall }, i) => wall / theirs[i].wall));
console.log(`ratio of rounds side by side ${ratio.toFixed(2)}; target ${rounded(TARGET)} texts/s`);

const minilm = join(SHARED, 'models/all-MiniLM-L6-v2');
if (existsSync(minilm)) {
  const transformer = await openEmbedder(minilm);
  const some = textsOf(list.slice(0, MINILM_TEXTS));
  await transformer.embed(textsOf(['the weights are loaded with the first text']));
  const rate = await timed(MINILM_TEXTS, () => transformer.embed(some));
  await transformer.close();
  console.log(
    `all-MiniLM-L6-v2, int8      ${rate.wall.toFixed(1).padStart(8)} texts/s  ` +
      `${rate.cpu.toFixed(1).padStart(8)} by processor time`,
  );
}
