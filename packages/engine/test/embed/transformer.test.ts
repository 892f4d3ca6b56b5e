// @module-tag campaign
// @module-tag program
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LhsError } from '@lakehouse-search/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shared } from '../../../../test/support/shared-tables.ts';
import {
  DIMS,
  MAX_TOKENS,
  rowOf,
  TOKENS,
  writeTransformer,
} from '../../../../test/support/transformer-folder.ts';
import { type Embedder, textsOf } from '../../src/embed/embedder.ts';
import { openEmbedder } from '../../src/embed/open-embedder.ts';
import { openTransformer } from '../../src/embed/transformer/transformer-model.ts';
import { installCommand, locateRuntime } from '../../src/embed/transformer/transformer-runtime.ts';
import { pieces } from '../../src/embed/transformer/transformer-session.ts';

const home = mkdtempSync(join(tmpdir(), 'lhs-transformers-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const unit = (vector: readonly number[]): number[] => {
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
};
const mean = (vectors: readonly (readonly number[])[]): number[] =>
  vectors[0].map((_, d) => vectors.reduce((sum, v) => sum + v[d], 0) / vectors.length);

/** What the small transformer has to give for words that are tokens. */
function wanted(words: readonly string[]): number[] {
  const room = MAX_TOKENS - 2;
  const chunks = Math.ceil(words.length / room);
  const vectors = Array.from({ length: chunks }, (_, k) => {
    const from = Math.floor((k * words.length) / chunks);
    const part = words.slice(from, Math.floor(((k + 1) * words.length) / chunks));
    return unit(mean(['[CLS]', ...part, '[SEP]'].map((word) => rowOf(TOKENS.indexOf(word)))));
  });
  return unit(mean(vectors));
}

function expectNear(vector: Float32Array, numbers: readonly number[], most = 1e-6): void {
  const off = numbers.map((value, d) => Math.abs(value - vector[d]));
  expect(vector.length).toBe(numbers.length);
  expect(Math.max(...off)).toBeLessThan(most);
}

const isInstalled = locateRuntime() !== undefined;
const itRuns = it.skipIf(!isInstalled);

describe.skipIf(isInstalled)('@huggingface/transformers', () => {
  it.skip('is not tested: LHS_TRANSFORMERS names no folder with it', () => {});
});

describe('the package for transformers', () => {
  it('is found in the folder that LHS_TRANSFORMERS names', () => {
    const name = '@huggingface/transformers';
    const folder = join(home, 'runtime', 'node_modules', name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"main":"main.cjs"}');
    writeFileSync(join(folder, 'main.cjs'), 'module.exports = {};');
    const env = { LHS_TRANSFORMERS: join(home, 'runtime') };
    expect(locateRuntime(name, env)).toBe(join(folder, 'main.cjs'));
    expect(locateRuntime(name, { LHS_TRANSFORMERS: join(home, 'elsewhere') })).toBeUndefined();
  });
});

describe.skipIf(!isInstalled)('a small transformer', () => {
  let model: Embedder;
  beforeAll(async () => {
    model = await openEmbedder(writeTransformer(join(home, 'small')));
  });
  afterAll(() => model.close());

  it('gives the mean of its tokens, of length 1', async () => {
    for (const words of [['red'], ['one', 'two', 'three'], Array(MAX_TOKENS - 2).fill('blue')]) {
      expectNear(await model.embed(textsOf([words.join(' ')])), wanted(words));
    }
  });

  it('cuts long texts into chunks of equal length and takes their mean', async () => {
    const words = Array.from({ length: 4000 }, (_, i) => TOKENS[5 + ((i * i + i) % 6)]);
    for (const length of [11, 20, 21, 37, 4000]) {
      const part = words.slice(0, length);
      expectNear(await model.embed(textsOf([part.join(' ')])), wanted(part));
    }
  });

  it('reads long texts in pieces, and all of them', async () => {
    const words = Array.from({ length: 40_000 }, (_, i) => TOKENS[5 + ((i * 7 + (i >> 3)) % 6)]);
    expectNear(await model.embed(textsOf([words.join(' ')])), wanted(words), 1e-5);
  });

  it('gives no vector to a text without a known word', async () => {
    const vectors = await model.embed(textsOf(['', ' ', 'unknown words', 'red']));
    expect(vectors.subarray(0, 3 * DIMS).every((value) => value === 0)).toBe(true);
    expectNear(vectors.subarray(3 * DIMS), wanted(['red']));
  });

  it('answers calls in turn, more texts than one message takes', async () => {
    const lists = [3, 40, 1, 17].map((n) =>
      Array.from({ length: n }, (_, i) => TOKENS[5 + (i % 6)]),
    );
    const answers = await Promise.all(lists.map((list) => model.embed(textsOf(list))));
    for (const [k, list] of lists.entries()) {
      for (const [i, word] of list.entries()) {
        expectNear(answers[k].subarray(i * DIMS, (i + 1) * DIMS), wanted([word]));
      }
    }
  });

  it('lets so many calls wait, and refuses one more', async () => {
    const calls = Array.from({ length: 65 }, () => model.embed(textsOf(['red'])));
    await expect(calls[64]).rejects.toMatchObject({ code: 'limit_exceeded' });
    for (const answer of await Promise.all(calls.slice(0, 64))) expectNear(answer, wanted(['red']));
  });

  it('tells those who wait that it was closed', async () => {
    const other = await openEmbedder(join(home, 'small'));
    await other.embed(textsOf(['red']));
    const waiting = [1, 2].map(() => other.embed(textsOf(Array(500).fill('red blue'))));
    const told = Promise.allSettled(waiting);
    await other.close();
    for (const { status, ...rest } of await told) {
      expect(status).toBe('rejected');
      expect(rest).toMatchObject({ reason: { code: 'interrupted' } });
    }
    await expect(other.embed(textsOf(['red']))).rejects.toMatchObject({ code: 'interrupted' });
    await other.close();
  });

  it('pools the first token where its folder says so', async () => {
    const folder = writeTransformer(join(home, 'first'));
    mkdirSync(join(folder, '1_Pooling'));
    const file = join(folder, '1_Pooling/config.json');
    writeFileSync(file, JSON.stringify({ pooling_mode_cls_token: true }));
    const first = await openEmbedder(folder);
    expect(first.identity.checksum).not.toBe(model.identity.checksum);
    expectNear(await first.embed(textsOf(['red green'])), unit(rowOf(2)));
    await first.close();
    writeFileSync(file, JSON.stringify({ pooling_mode_max_tokens: true }));
    await expect(openEmbedder(folder)).rejects.toThrow('asks for pooling by "max_tokens"');
  });
});

/** The error of opening a folder, or of the first text. */
async function fault(folder: string, runtime?: string): Promise<LhsError> {
  const failed = async () => {
    const model = openTransformer(folder, { name: 'it', runtime });
    try {
      await model.embed(textsOf(['red']));
    } finally {
      await model.close();
    }
  };
  const error = await failed().then(
    () => undefined,
    (thrown: LhsError) => thrown,
  );
  expect(error?.code).toBe('model_unavailable');
  return error as LhsError;
}

describe('a transformer that cannot run', () => {
  const INSTALL = 'npm install @huggingface/transformers@4.3.1';
  let made = 0;
  const small = () => writeTransformer(join(home, `faulty-${made++}`));

  it('without its package: the line to type', async () => {
    const missing = await fault(small(), '@huggingface/not-there');
    expect(missing.message).toContain(
      'is a transformer: "@huggingface/not-there" is not installed',
    );
    expect(missing.hint).toBe(INSTALL);
  });

  it('in a global installation: the line that installs the package beside lhs', () => {
    const file = (folder: string) => join(folder, 'node_modules/@lakehouse-search/cli/a.js');
    const project = join(home, 'project');
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), '{}');
    expect(installCommand(file(join(home, 'lib')))).toBe(INSTALL.replace('install', 'install -g'));
    expect(installCommand(file(project))).toBe(INSTALL);
  });

  it('with a package that does not load: the same line', async () => {
    const broken = join(home, 'broken.mjs');
    writeFileSync(broken, 'throw new Error("the native part is missing");');
    const error = await fault(small(), broken);
    expect(error.message).toContain('the native part is missing');
    expect(error.hint).toBe(INSTALL);
  });

  it.each(['config.json', 'tokenizer.json', 'tokenizer_config.json', 'onnx/model_int8.onnx'])(
    'without %s',
    async (name) => {
      const folder = small();
      rmSync(join(folder, name));
      const file = name.startsWith('onnx') ? 'onnx/model.onnx' : name;
      expect((await fault(folder)).message).toContain(join(folder, file));
    },
  );

  itRuns.each(['config.json', 'tokenizer.json', 'tokenizer_config.json', 'onnx/model_int8.onnx'])(
    'with half of %s',
    async (name) => {
      const folder = small();
      const path = join(folder, name);
      truncateSync(path, Math.floor(readFileSync(path).length / 2));
      expect((await fault(folder)).message).toContain(`the model file "${path}"`);
    },
  );

  itRuns('with weights of other dimensions than its configuration', async () => {
    const folder = small();
    const config = { model_type: 'bert', hidden_size: 9, max_position_embeddings: 512 };
    writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
    expect((await fault(folder)).message).toContain('does not load: vectors of 8 numbers, not 9');
  });

  itRuns('with runs that have no room for a text', async () => {
    const folder = small();
    const config = { tokenizer_class: 'BertTokenizer', model_max_length: 2 };
    writeFileSync(join(folder, 'tokenizer_config.json'), JSON.stringify(config));
    expect((await fault(folder)).message).toContain('no room for a text in runs of 2 tokens');
  });

  it('with a dtype that nobody knows', async () => {
    const folder = small();
    rmSync(join(folder, 'onnx/model_int8.onnx'));
    const config = { hidden_size: 8, 'transformers.js_config': { dtype: 'q3' } };
    writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
    expect((await fault(folder)).message).toContain('has the dtype "q3"; expected one of fp32,');
  });

  itRuns('when it is not what was opened', async () => {
    const folder = small();
    const weights = join(folder, 'onnx/model_int8.onnx');
    const whole = readFileSync(weights);
    writeFileSync(weights, 'not a model');
    const model = openTransformer(folder, { name: 'it' });
    await expect(model.embed(textsOf(['red']))).rejects.toThrow('does not load');
    writeFileSync(weights, whole);
    await expect(model.embed(textsOf(['red']))).rejects.toThrow('not those that were opened');
    await model.close();
    const again = openTransformer(folder, { name: 'it' });
    expectNear(await again.embed(textsOf(['red'])), wanted(['red']));
    await again.close();
  });
});

/**
 * A package in the place of the real one: a text "end" ends the thread, "fail" fails a run, "odd"
 * overflows.
 */
const STAND_IN = `
export const env = {};
export class Tensor {
  constructor(type, data, dims) { Object.assign(this, { type, data, dims }); }
  dispose() {}
}
const ids = { a: [5], end: [6], fail: [7], odd: [9] };
const encode = (text, { add_special_tokens }) => {
  const inner = text.split(' ').flatMap((word) => ids[word] ?? [8]);
  return add_special_tokens ? [2, ...inner, 3] : inner;
};
export const AutoTokenizer = { from_pretrained: async () => ({ unk_token_id: 1, encode }) };
const run = async ({ input_ids: { data } }) => {
  if (data.includes(6n)) process.exit(1);
  if (data.includes(7n)) throw new Error('no room for the run');
  const values = new Float32Array(data.length * ${DIMS}).fill(data.includes(9n) ? NaN : 1);
  return { last_hidden_state: new Tensor('float32', values, [1, data.length, ${DIMS}]) };
};
const inputNames = ['input_ids', 'attention_mask'];
export const AutoModel = {
  from_pretrained: async () => Object.assign(run, { sessions: { model: { inputNames } } }),
};
`;

describe('the thread of a transformer', () => {
  it('reports its end or a failed run, and works again at the next call', async () => {
    const runtime = join(home, 'stand-in.mjs');
    writeFileSync(runtime, STAND_IN);
    const folder = writeTransformer(join(home, 'stand-in'));
    const model = openTransformer(folder, { name: 'it', runtime });
    const ones = Float32Array.from({ length: DIMS }, () => 1 / Math.sqrt(DIMS));
    for (const [text, said] of [
      ['fail', 'embedding failed: no room for the run'],
      ['end', 'the thread of a model ended: it exited'],
    ]) {
      const calls = [['a'], [text], ['a']].map((list) => model.embed(textsOf(list)));
      const [before, failed, after] = await Promise.allSettled(calls);
      expect(before).toEqual({ status: 'fulfilled', value: ones });
      expect(failed).toMatchObject({
        status: 'rejected',
        reason: { code: 'internal', message: said },
      });
      expect(after).toEqual({ status: 'fulfilled', value: ones });
    }
    await expect(model.embed(textsOf(['a', 'odd']))).rejects.toMatchObject({
      code: 'model_unavailable',
      message: 'the model "it" gives NaN in a vector',
    });
    await model.close();
  });
});

interface Golden {
  readonly texts: readonly { text: string; ids: number[]; fp32: number[]; int8: number[] }[];
}
const minilm = join(shared, 'models/all-MiniLM-L6-v2');

describe.skipIf(!isInstalled || !existsSync(minilm))('all-MiniLM-L6-v2', () => {
  const golden = existsSync(minilm)
    ? (JSON.parse(readFileSync(join(minilm, 'golden.json'), 'utf8')) as Golden).texts
    : [];
  /** Neither empty, nor unknown, nor longer than one run. */
  const plain = golden.filter(
    ({ ids }) => ids.length < 256 && ids.slice(1, -1).some((id) => id !== 100),
  );

  it('int8: near the golden fp32 vectors, and the same alone as in company', async () => {
    const model = await openEmbedder(minilm);
    const vectors = await model.embed(textsOf(plain.map(({ text }) => text)));
    expect(plain.length).toBeGreaterThan(33);
    for (const [i, { text, fp32 }] of plain.entries()) {
      const vector = vectors.subarray(384 * i, 384 * i + 384);
      const cosine = fp32.reduce((sum, value, d) => sum + value * vector[d], 0);
      expect(cosine, text).toBeGreaterThan(0.995);
      if (i % 5 === 0) expect(await model.embed(textsOf([text])), text).toEqual(vector);
    }
    await model.close();
  });

  it('q8, where there is no int8 file: the golden values to 1e-5', async () => {
    const folder = join(home, 'q8');
    mkdirSync(join(folder, 'onnx'), { recursive: true });
    for (const name of ['config.json', 'tokenizer.json', 'tokenizer_config.json']) {
      cpSync(join(minilm, name), join(folder, name));
    }
    const weights = 'onnx/model_quantized.onnx';
    symlinkSync(join(minilm, weights), join(folder, weights));
    const model = await openEmbedder(folder);
    const vectors = await model.embed(textsOf(plain.map(({ text }) => text)));
    for (const [i, { int8 }] of plain.entries()) {
      expectNear(vectors.subarray(384 * i, 384 * i + 384), int8, 1e-5);
    }
    await model.close();
  });
});

describe('texts for a transformer', () => {
  it('are cut after white space if there is some, and never inside a character', () => {
    expect(pieces('aa bb cc', 4)).toEqual(['aa ', 'bb ', 'cc']);
    expect(pieces('aaaaaaaaa', 4)).toEqual(['aaaa', 'aaaa', 'a']);
    expect(pieces('aaa\u{1f600}b', 4)).toEqual(['aaa', '\u{1f600}b']);
    expect(pieces('', 4)).toEqual([]);
  });
});
