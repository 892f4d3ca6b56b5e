/**
 * model.json of a static model: which files there are, how long each is, and what they hold.
 *
 *   vectors   int8, row-major, vocabSize x dims
 *   scales    float32 little-endian, one a token; vector of token t = scale[t] * row[t]
 *   vocab     UTF-8, one token a line, line number = id
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LIMITS } from '../../base/limits.ts';
import { COPY_AGAIN, modelUnavailable } from '../model-faults.ts';

/** The kind that model.json of a static model names. */
export const STATIC_KIND = 'static token embeddings';
const MOST_TOKENS = 1 << 20;
const SHA256 = /^[0-9a-f]{64}$/;

/**
 * A file of a model: where it lies, how long it has to be (null where that is not known) and its
 * SHA-256.
 */
export interface ModelFile {
  readonly path: string;
  readonly bytes: number | null;
  readonly sha256: string;
}

/** What model.json says, checked. */
export interface StaticManifest {
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  readonly language: string;
  readonly licence: string;
  readonly dims: number;
  readonly vocabSize: number;
  readonly unknownId: number;
  readonly maxWordChars: number;
  readonly vectors: ModelFile;
  readonly scales: ModelFile;
  readonly vocab: ModelFile;
  /** SHA-256 over all that the vectors depend on. */
  readonly checksum: string;
}

/**
 * Reads and checks model.json of a folder. Throws model_unavailable where it is missing, is no
 * JSON, or asks for something that this reader does not do.
 */
export function readStaticManifest(folder: string): StaticManifest {
  const path = join(folder, 'model.json');
  const json = readJson(path);
  const refuse = (field: string, wanted: string): never => {
    const shown = JSON.stringify(at(json, field)) ?? 'nothing';
    const found = `has "${field}": ${shown}; expected ${wanted}`;
    throw modelUnavailable({ path, found, hint: COPY_AGAIN });
  };
  const whole = (field: string, most: number): number => {
    const value = at(json, field);
    if (Number.isInteger(value) && Number(value) > 0 && Number(value) <= most) return Number(value);
    return refuse(field, `a whole number from 1 to ${most}`);
  };
  for (const [field, wanted] of Object.entries(FIXED)) {
    if (at(json, field) !== wanted) refuse(field, JSON.stringify(wanted));
  }
  const dims = whole('dims', LIMITS.vectorDims);
  const vocabSize = whole('vocabSize', MOST_TOKENS);
  const unknownId = Number(at(json, 'tokenizer.unknownId'));
  if (!Number.isInteger(unknownId) || unknownId < 0 || unknownId >= vocabSize) {
    refuse('tokenizer.unknownId', `an id below ${vocabSize}`);
  }
  const file = (field: string, bytes: number | null): ModelFile => {
    const name = at(json, `files.${field}.path`);
    const sha256 = at(json, `files.${field}.sha256`);
    if (typeof name !== 'string' || name === '' || /[/\\]|^\.\.?$/.test(name)) {
      refuse(`files.${field}.path`, 'the name of a file beside it');
    }
    if (!SHA256.test(String(sha256))) refuse(`files.${field}.sha256`, '64 hexadecimal digits');
    return { path: join(folder, String(name)), bytes, sha256: String(sha256) };
  };
  const known = {
    dims,
    vocabSize,
    unknownId,
    maxWordChars: whole('tokenizer.maxWordChars', MOST_TOKENS),
    vectors: file('vectors', dims * vocabSize),
    scales: file('scales', 4 * vocabSize),
    vocab: file('vocab', null),
  };
  const text = (field: string) => String(at(json, field) ?? '');
  return {
    folder,
    name: text('name'),
    version: text('version'),
    language: text('language'),
    licence: text('licence'),
    ...known,
    checksum: checksumOf(known),
  };
}

/** What this reader does; another value is another model. */
const FIXED: Readonly<Record<string, string | boolean>> = {
  kind: STATIC_KIND,
  'tokenizer.type': 'WordPiece',
  'tokenizer.lowercase': true,
  'tokenizer.stripAccents': true,
  'tokenizer.cleanText': true,
  'tokenizer.splitCjk': true,
  'tokenizer.continuingPrefix': '##',
  'tokenizer.addSpecialTokens': false,
  'files.vectors.type': 'int8',
  'files.vectors.order': 'row-major',
  'files.scales.type': 'float32',
  'files.scales.endian': 'little',
  similarity: 'cosine',
};

type Known = Pick<
  StaticManifest,
  'dims' | 'vocabSize' | 'unknownId' | 'maxWordChars' | 'vectors' | 'scales' | 'vocab'
>;

/** Names and remarks of model.json do not enter: they change no vector. */
function checksumOf(known: Known): string {
  const parts = [
    `${STATIC_KIND}, WordPiece, sum, L2`,
    known.dims,
    known.vocabSize,
    known.unknownId,
    known.maxWordChars,
    known.vectors.sha256,
    known.scales.sha256,
    known.vocab.sha256,
  ];
  return createHash('sha256').update(parts.join('\n')).digest('hex');
}

/** The value at a dotted path, or undefined. */
function at(json: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => {
    return typeof value === 'object' && value !== null
      ? (value as Record<string, unknown>)[name]
      : undefined;
  }, json);
}

/** The JSON of a model's file. Throws model_unavailable. */
export function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    const found = cause instanceof SyntaxError ? 'is no JSON' : 'cannot be read';
    throw modelUnavailable({ path, found, hint: COPY_AGAIN, cause });
  }
}
