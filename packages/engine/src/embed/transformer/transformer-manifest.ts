/**
 * A transformer's folder in the layout of Hugging Face:
 *
 *   config.json            hidden_size, max_position_embeddings; transformers.js_config.dtype
 *   tokenizer.json         the tokenizer
 *   tokenizer_config.json  model_max_length
 *   onnx/model*.onnx the weights, one file a dtype (a `_data` file beside it where they are large)
 *   1_Pooling/config.json  mean of the tokens (so, too, without it) or the first token
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { LIMITS } from '../../base/limits.ts';
import { sumOf } from '../file-sums.ts';
import { COPY_AGAIN, modelUnavailable } from '../model-faults.ts';
import { readJson } from '../static/static-manifest.ts';

/** Changes when the same files give other vectors: chunks, pooling. */
const RULES = 'transformer, chunks of equal length, mean, 1';
const POSITIONS = 512;
const TOKENS = 1 << 20;

/** Part of a dtype in the name of its file. */
const SUFFIXES: Readonly<Record<string, string>> = {
  fp32: '',
  fp16: '_fp16',
  int8: '_int8',
  uint8: '_uint8',
  q8: '_quantized',
  q4: '_q4',
  q4f16: '_q4f16',
  bnb4: '_bnb4',
};

/** A file of a transformer. */
export interface TransformerFile {
  /** Its path inside the folder. */
  readonly name: string;
  readonly path: string;
  readonly sha256: string;
}

/** What a transformer's folder holds, and what of it is used. */
export interface TransformerManifest {
  readonly folder: string;
  readonly name: string;
  readonly dims: number;
  readonly dtype: string;
  /** Tokens of one run, those that begin and end it included. */
  readonly maxTokens: number;
  readonly pooling: 'mean' | 'first';
  readonly files: readonly TransformerFile[];
  readonly checksum: string;
}

/**
 * Reads a folder. Throws model_unavailable where a file is missing or asks for something that is
 * not done here.
 */
export function readTransformer(folder: string, remembered?: string): TransformerManifest {
  const config = readJson(join(folder, 'config.json'));
  const tokenizer = readJson(join(folder, 'tokenizer_config.json'));
  const dtype = chooseDtype(folder, config);
  const pooling = readPooling(folder);
  const names = ['config.json', 'tokenizer.json', 'tokenizer_config.json', ...weights(dtype)];
  const files = names
    .filter((name) => !name.endsWith('_data') || existsSync(join(folder, name)))
    .map((name) => {
      const path = join(folder, name);
      return { name, path, sha256: sumOf(path, undefined, remembered) };
    });
  const parts = [RULES, pooling, ...files.map(({ name, sha256 }) => `${name} ${sha256}`)];
  return {
    folder,
    name: basename(folder),
    dims: whole(join(folder, 'config.json'), config, 'hidden_size', LIMITS.vectorDims),
    dtype,
    maxTokens: Math.min(
      numberAt(tokenizer, 'model_max_length') ?? TOKENS,
      numberAt(config, 'max_position_embeddings') ?? POSITIONS,
    ),
    pooling,
    files,
    checksum: createHash('sha256').update(parts.join('\n')).digest('hex'),
  };
}

/** The weights' file of a dtype and its possible companions. */
const weights = (dtype: string): string[] => {
  const name = `onnx/model${SUFFIXES[dtype]}.onnx`;
  return [name, `${name}_data`];
};

/**
 * `int8` where it is there: its arithmetic is float, so that a vector is a function of its text.
 * Else what config.json says, else fp32.
 */
function chooseDtype(folder: string, config: unknown): string {
  if (existsSync(join(folder, weights('int8')[0]))) return 'int8';
  const own = member(member(config, 'transformers.js_config'), 'dtype');
  const dtype = typeof own === 'string' ? own : (member(own, 'model') ?? 'fp32');
  if (typeof dtype === 'string' && Object.hasOwn(SUFFIXES, dtype)) return dtype;
  const known = Object.keys(SUFFIXES).join(', ');
  throw modelUnavailable({
    path: join(folder, 'config.json'),
    found: `has the dtype ${JSON.stringify(dtype)}; expected one of ${known}`,
    hint: 'put weights of one of these dtypes into its folder "onnx"',
  });
}

function readPooling(folder: string): 'mean' | 'first' {
  const path = join(folder, '1_Pooling', 'config.json');
  if (!existsSync(path)) return 'mean';
  const json = readJson(path);
  const modes = Object.entries((json ?? {}) as Record<string, unknown>)
    .filter(([name, on]) => name.startsWith('pooling_mode_') && on === true)
    .map(([name]) => name.slice('pooling_mode_'.length));
  if (modes.join() === 'mean_tokens') return 'mean';
  if (modes.join() === 'cls_token') return 'first';
  throw modelUnavailable({
    path,
    found: `asks for pooling by "${modes.join(', ')}"; expected mean_tokens or cls_token`,
    hint: 'take a model that pools in one of these ways',
  });
}

function whole(path: string, json: unknown, field: string, most: number): number {
  const value = numberAt(json, field);
  if (value !== null && value <= most) return value;
  const found =
    `has "${field}": ${JSON.stringify(member(json, field)) ?? 'nothing'}; expected a whole ` +
    `number from 1 to ${most}`;
  throw modelUnavailable({ path, found, hint: COPY_AGAIN });
}

function numberAt(json: unknown, field: string): number | null {
  const value = member(json, field);
  return Number.isInteger(value) && Number(value) > 0 ? Number(value) : null;
}

const member = (json: unknown, name: string): unknown =>
  typeof json === 'object' && json !== null ? (json as Record<string, unknown>)[name] : undefined;
