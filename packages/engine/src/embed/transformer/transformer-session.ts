/**
 * A transformer in this thread, through `@huggingface/transformers`, offline:
 *
 *  1. a text is read in pieces of at most 64 Ki characters, cut at white space: token ids
 *  2. no ids, or only unknown ones: no vector
 *  3. ids are cut into the fewest chunks that fit into one run, of equal length within one
 *  4. each chunk runs alone (in a batch, dynamic quantisation would mix texts): pooled, length 1
 *  5. the mean of the chunks, length 1
 */
import { basename, dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { TransformerManifest } from './transformer-manifest.ts';

const PIECE_CHARS = 65_536;

/** The part of `@huggingface/transformers` that is used. */
interface Runtime {
  readonly env: {
    allowRemoteModels: boolean;
    allowLocalModels: boolean;
    localModelPath: string;
    useFSCache: boolean;
  };
  readonly AutoTokenizer: { from_pretrained(name: string): Promise<Tokenizer> };
  readonly AutoModel: { from_pretrained(name: string, options: object): Promise<Model> };
  readonly Tensor: new (type: 'int64', data: BigInt64Array, dims: readonly number[]) => Tensor;
}
interface Tokenizer {
  readonly unk_token_id?: number;
  encode(text: string, options: { add_special_tokens: boolean }): number[];
}
interface Tensor {
  readonly data: Float32Array;
  readonly dims: readonly number[];
  dispose(): void;
}
interface Model {
  readonly sessions: Readonly<Record<string, { readonly inputNames?: readonly string[] }>>;
  (inputs: Readonly<Record<string, Tensor>>): Promise<Readonly<Record<string, Tensor>>>;
}

/** What failed while a session was opened. */
export type SessionFault =
  | { readonly kind: 'package'; readonly message: string }
  | { readonly kind: 'tokenizer'; readonly message: string }
  | { readonly kind: 'weights'; readonly message: string };

/** A session's data: the model, the file of the package, threads of one run. */
export interface SessionJob {
  readonly model: TransformerManifest;
  readonly runtime: string;
  readonly threads: number;
}

/** A model that runs. */
export interface Session {
  /** The vector of a text, of length 1, or null where it has none. */
  vector(text: string): Promise<Float32Array | null>;
}

/** Opens a session, or says what failed. */
export async function openModelSession(job: SessionJob): Promise<Session | SessionFault> {
  const { folder, dims } = job.model;
  const said = (error: unknown) => (error instanceof Error ? error.message : String(error));
  const runtime = await load(job.runtime).catch(said);
  if (typeof runtime === 'string') return { kind: 'package', message: runtime };
  setOffline(runtime, folder);
  const name = basename(folder);
  const tokenizer = await runtime.AutoTokenizer.from_pretrained(name).catch(said);
  if (typeof tokenizer === 'string') return { kind: 'tokenizer', message: tokenizer };
  const model = await runtime.AutoModel.from_pretrained(name, weightOptions(job)).catch(said);
  if (typeof model === 'string') return { kind: 'weights', message: model };
  const session = new RunningSession(runtime, tokenizer, model, job.model);
  if (session.room < 1) {
    const most = job.model.maxTokens;
    return { kind: 'tokenizer', message: `it leaves no room for a text in runs of ${most} tokens` };
  }
  const probe = await session.run(tokenizer.encode('a', { add_special_tokens: true })).catch(said);
  if (typeof probe === 'string') return { kind: 'weights', message: probe };
  if (probe.length === dims) return session;
  return { kind: 'weights', message: `vectors of ${probe.length} numbers, not ${dims}` };
}

/** Imports the package. Its file may be a CommonJS module, whose names are in `default`. */
async function load(runtime: string): Promise<Runtime> {
  const module = (await import(pathToFileURL(runtime).href)) as
    | Runtime
    | { readonly default: Runtime };
  return 'AutoModel' in module ? module : module.default;
}

function setOffline({ env }: Runtime, folder: string): void {
  env.allowRemoteModels = false;
  env.allowLocalModels = true;
  env.localModelPath = dirname(folder);
  env.useFSCache = false;
}

const weightOptions = ({ model, threads }: SessionJob) => ({
  dtype: model.dtype,
  device: 'cpu',
  session_options: { intraOpNumThreads: threads, interOpNumThreads: 1, logSeverityLevel: 3 },
});

class RunningSession implements Session {
  readonly #runtime: Runtime;
  readonly #tokenizer: Tokenizer;
  readonly #model: Model;
  readonly #manifest: TransformerManifest;
  readonly #inputs: readonly string[];
  /** Ids before and behind each chunk. */
  readonly #before: readonly number[];
  readonly #behind: readonly number[];
  /** Ids of a text that one run takes. */
  readonly room: number;

  constructor(runtime: Runtime, tokenizer: Tokenizer, model: Model, manifest: TransformerManifest) {
    this.#runtime = runtime;
    this.#tokenizer = tokenizer;
    this.#model = model;
    this.#manifest = manifest;
    this.#inputs = model.sessions.model?.inputNames ?? ['input_ids', 'attention_mask'];
    const inner = tokenizer.encode('a', { add_special_tokens: false });
    const whole = tokenizer.encode('a', { add_special_tokens: true });
    const from = whole.findIndex((_, i) => inner.every((id, k) => whole[i + k] === id));
    this.#before = whole.slice(0, Math.max(0, from));
    this.#behind = from < 0 ? [] : whole.slice(from + inner.length);
    this.room = manifest.maxTokens - this.#before.length - this.#behind.length;
  }

  async vector(text: string): Promise<Float32Array | null> {
    const ids = pieces(text).flatMap((piece) =>
      this.#tokenizer.encode(piece, { add_special_tokens: false }),
    );
    if (ids.every((id) => id === this.#tokenizer.unk_token_id)) return null;
    const chunks = Math.ceil(ids.length / this.room);
    const sum = new Float64Array(this.#manifest.dims);
    for (let k = 0; k < chunks; k++) {
      const from = Math.floor((k * ids.length) / chunks);
      const to = Math.floor(((k + 1) * ids.length) / chunks);
      const run = [...this.#before, ...ids.slice(from, to), ...this.#behind];
      const vector = await this.run(run);
      for (let d = 0; d < sum.length; d++) sum[d] += vector[d];
    }
    return toUnit(sum);
  }

  /** One run of the model over at most `maxTokens` ids: a vector of length 1. */
  async run(ids: readonly number[]): Promise<Float32Array> {
    const inputs: Record<string, Tensor> = {};
    for (const name of this.#inputs) inputs[name] = this.#input(name, ids);
    const outputs = await this.#model(inputs);
    const hidden = outputs.last_hidden_state ?? outputs.token_embeddings;
    if (hidden === undefined) {
      throw new Error(`the model gives ${Object.keys(outputs).join(', ')}, no last_hidden_state`);
    }
    const dims = hidden.dims[2];
    const tokens = this.#manifest.pooling === 'first' ? 1 : ids.length;
    const sum = new Float64Array(dims);
    for (let i = 0; i < tokens * dims; i++) sum[i % dims] += hidden.data[i];
    for (const tensor of [...Object.values(inputs), ...Object.values(outputs)]) tensor.dispose();
    return toUnit(sum);
  }

  #input(name: string, ids: readonly number[]): Tensor {
    const values = BigInt64Array.from(ids, (id) => inputValue(name, id));
    return new this.#runtime.Tensor('int64', values, [1, ids.length]);
  }
}

function inputValue(name: string, id: number): bigint {
  if (name === 'input_ids') return BigInt(id);
  if (name === 'attention_mask') return 1n;
  if (name === 'token_type_ids') return 0n;
  throw new Error(`the model asks for "${name}", which no text has`);
}

/** A text in pieces of at most `PIECE_CHARS`, cut behind white space where there is some. */
export function pieces(text: string, most = PIECE_CHARS): string[] {
  const found: string[] = [];
  for (let from = 0; from < text.length; ) {
    const to = from + most < text.length ? cutBefore(text, from, from + most) : text.length;
    found.push(text.slice(from, to));
    from = to;
  }
  return found;
}

function cutBefore(text: string, from: number, to: number): number {
  for (let at = to; at > from; at--) if (/\s/.test(text[at - 1])) return at;
  const splits = /[\ud800-\udbff]/.test(text[to - 1]);
  return splits ? to - 1 : to;
}

function toUnit(sum: Float64Array): Float32Array {
  let squares = 0;
  for (const value of sum) squares += value * value;
  const length = squares === 0 ? 1 : Math.sqrt(squares);
  return Float32Array.from(sum, (value) => value / length);
}
