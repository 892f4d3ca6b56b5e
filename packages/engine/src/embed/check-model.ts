/**
 * Whether a model is intact and gives its maker's vectors:
 *
 *  1. every file: its length, and its SHA-256 where the model lists one
 *  2. it opens and embeds a sentence
 *  3. with golden.json beside it: its texts give the vectors that stand there. A static model to
 *     1e-5; a transformer of dtype q8 to 1e-4 of `int8`, any other to a cosine of 0.99 with `fp32`
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { LhsError } from '@lakehouse-search/contract';
import { describeModelFiles, type ModelDescription } from './describe-model.ts';
import { type Embedder, textsOf } from './embedder.ts';
import { sha256Of, statOf } from './file-sums.ts';
import { COPY_AGAIN, modelUnavailable } from './model-faults.ts';
import { openEmbedder } from './open-embedder.ts';
import { readJson } from './static/static-manifest.ts';

const GOLDEN = 'golden.json';
const MOST_GOLDEN_TEXTS = 1000;
const SENTENCE = 'find commits that fix a memory leak in the parser';
const LENGTH_OFF = 1e-4;

/** A file as it was found. */
export interface CheckedFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly ok: boolean;
}

/** How near the golden texts came. */
export interface GoldenCheck {
  readonly texts: number;
  /** Texts that no model of its kind can give: empty, unknown, longer than one run. */
  readonly skipped: number;
  readonly measure: 'difference' | 'cosine';
  /** The largest difference of a number, or the lowest cosine. */
  readonly worst: number;
  readonly limit: number;
  readonly ok: boolean;
}

/** What a check found. */
export interface ModelCheck {
  readonly model: ModelDescription;
  readonly ok: boolean;
  readonly files: readonly CheckedFile[];
  readonly golden: GoldenCheck | null;
  /** What is wrong, a sentence each. */
  readonly problems: readonly string[];
  /** What to do about it, where that is known. */
  readonly hint: string | null;
}

/** Checks a model. Throws model_unavailable where it is too broken to be described. */
export async function checkModelFiles(model: string): Promise<ModelCheck> {
  const described = describeModelFiles(model);
  const files = described.files.map(({ name, sha256 }) => {
    const path = join(described.folder, name);
    const found = sha256Of(path);
    return { name, bytes: statOf(path).size, sha256: found, ok: found === sha256 };
  });
  const wrong = files.filter(({ ok }) => !ok);
  if (wrong.length > 0) {
    const problems = wrong.map(({ name }) => `"${name}" is not the file that its model lists`);
    return { model: described, ok: false, files, golden: null, problems, hint: COPY_AGAIN };
  }
  const { golden, problems, hint } = await tried(described);
  return { model: described, ok: problems.length === 0, files, golden, problems, hint };
}

async function tried(
  described: ModelDescription,
): Promise<Pick<ModelCheck, 'golden' | 'problems' | 'hint'>> {
  try {
    const embedder = await openEmbedder(described.model);
    try {
      const problems = await sentenceProblems(embedder);
      const golden = await checkGolden(described, embedder);
      if (golden?.ok === false) problems.push(`the texts of "${GOLDEN}" give other vectors`);
      return { golden, problems, hint: null };
    } finally {
      await embedder.close();
    }
  } catch (error) {
    if (!(error instanceof LhsError)) throw error;
    return { golden: null, problems: [error.message], hint: error.hint ?? null };
  }
}

async function sentenceProblems(embedder: Embedder): Promise<string[]> {
  const vector = await embedder.embed(textsOf([SENTENCE]));
  const length = Math.hypot(...vector);
  if (Math.abs(length - 1) <= LENGTH_OFF || length === 0) return [];
  return [`a vector has the length ${length}, not 1`];
}

interface GoldenText {
  readonly text: string;
  readonly ids?: readonly number[];
  readonly embedding?: readonly number[];
  readonly fp32?: readonly number[];
  readonly int8?: readonly number[];
}

async function checkGolden(
  described: ModelDescription,
  embedder: Embedder,
): Promise<GoldenCheck | null> {
  const path = join(described.folder, GOLDEN);
  if (!existsSync(path)) return null;
  const texts = readGolden(path);
  const exact = described.kind === 'static' || described.dtype === 'q8';
  const limit = described.kind === 'static' ? 1e-5 : exact ? 1e-4 : 0.99;
  const { dims } = described;
  let worst = exact ? 0 : 1;
  let skipped = 0;
  for (const golden of texts) {
    const vector = await embedder.embed(textsOf([golden.text]));
    const numbers = golden.embedding ?? (exact ? golden.int8 : golden.fp32);
    const long =
      golden.ids !== undefined && golden.ids.length >= (described.max_tokens ?? Infinity);
    const none = described.kind === 'transformer' && vector.every((value) => value === 0);
    if (numbers?.length !== dims || long || none) skipped++;
    else if (exact) worst = Math.max(worst, difference(vector, numbers));
    else worst = Math.min(worst, cosine(vector, numbers));
  }
  const ok = exact ? worst <= limit : worst >= limit;
  const measure = exact ? 'difference' : 'cosine';
  return { texts: texts.length - skipped, skipped, measure, worst, limit, ok };
}

function readGolden(path: string): readonly GoldenText[] {
  const { texts } = (readJson(path) ?? {}) as { texts?: readonly GoldenText[] };
  const whole = Array.isArray(texts) && texts.every((entry) => typeof entry?.text === 'string');
  if (whole && texts.length <= MOST_GOLDEN_TEXTS) return texts;
  const found = `has no "texts" with a "text" each, at most ${MOST_GOLDEN_TEXTS}`;
  throw modelUnavailable({ path, found, hint: 'take it away, or put the right one there' });
}

const difference = (vector: Float32Array, numbers: readonly number[]): number =>
  numbers.reduce((worst, value, d) => Math.max(worst, Math.abs(value - vector[d])), 0);

const cosine = (vector: Float32Array, numbers: readonly number[]): number =>
  numbers.reduce((sum, value, d) => sum + value * vector[d], 0) / Math.hypot(...numbers);
