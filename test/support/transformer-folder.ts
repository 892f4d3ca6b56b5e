import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Dimensions, tokens of one run, and vocabulary of the small transformer. */
export const DIMS = 8;
export const MAX_TOKENS = 12;
const SPECIAL = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'];
const WORDS = ['red', 'green', 'blue', 'one', 'two', 'three', '##ish'];
export const TOKENS = [...SPECIAL, ...WORDS];

/** Row of a token: small numbers without a pattern. */
export const rowOf = (id: number): number[] =>
  Array.from({ length: DIMS }, (_, d) => (((id * 131 + d * 71 + id * d * 17) % 97) - 48) / 64);

/**
 * Writes a transformer of one layer into a folder: its hidden state is the row of the token, so
 * that a test knows what has to come out.
 */
export function writeTransformer(folder: string): string {
  mkdirSync(join(folder, 'onnx'), { recursive: true });
  const put = (name: string, value: unknown) =>
    writeFileSync(join(folder, name), JSON.stringify(value));
  put('config.json', { model_type: 'bert', hidden_size: DIMS, max_position_embeddings: 512 });
  put('tokenizer_config.json', {
    tokenizer_class: 'BertTokenizer',
    model_max_length: MAX_TOKENS,
    unk_token: '[UNK]',
    pad_token: '[PAD]',
    cls_token: '[CLS]',
    sep_token: '[SEP]',
  });
  put('tokenizer.json', tokenizer());
  writeFileSync(join(folder, 'onnx/model_int8.onnx'), onnxModel());
  return folder;
}

const special = (id: number) => ({
  id,
  content: TOKENS[id],
  special: true,
  single_word: false,
  lstrip: false,
  rstrip: false,
  normalized: false,
});

const tokenizer = () => ({
  version: '1.0',
  truncation: null,
  padding: null,
  added_tokens: SPECIAL.map((_, id) => special(id)),
  normalizer: {
    type: 'BertNormalizer',
    clean_text: true,
    handle_chinese_chars: true,
    lowercase: true,
  },
  pre_tokenizer: { type: 'BertPreTokenizer' },
  post_processor: {
    type: 'TemplateProcessing',
    single: [
      { SpecialToken: { id: '[CLS]', type_id: 0 } },
      { Sequence: { id: 'A', type_id: 0 } },
      { SpecialToken: { id: '[SEP]', type_id: 0 } },
    ],
    pair: [],
    special_tokens: {
      '[CLS]': { id: '[CLS]', ids: [2], tokens: ['[CLS]'] },
      '[SEP]': { id: '[SEP]', ids: [3], tokens: ['[SEP]'] },
    },
  },
  decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
  model: {
    type: 'WordPiece',
    unk_token: '[UNK]',
    continuing_subword_prefix: '##',
    max_input_chars_per_word: 100,
    vocab: Object.fromEntries(TOKENS.map((token, id) => [token, id])),
  },
});

/** Protobuf: a field of bytes, or of a number below 128. */
function field(number: number, value: string | Uint8Array | number): Buffer {
  if (typeof value === 'number') return Buffer.from([number << 3, value]);
  const bytes = Buffer.from(value as Uint8Array);
  const length: number[] = [];
  for (let rest = bytes.length; ; rest >>>= 7) {
    if (rest < 128) {
      length.push(rest);
      break;
    }
    length.push((rest & 127) | 128);
  }
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length]), bytes]);
}
const message = (...fields: Buffer[]): Buffer => Buffer.concat(fields);

const FLOAT = 1;
const INT64 = 7;

/** A value of a graph: name, element type, sizes (a name: any size). */
function valueInfo(name: string, type: number, sizes: readonly (string | number)[]): Buffer {
  const shape = sizes.map((size) => field(1, field(typeof size === 'number' ? 1 : 2, size)));
  const tensor = message(field(1, type), field(2, message(...shape)));
  return message(field(1, name), field(2, field(1, tensor)));
}

/** ModelProto of onnx.proto: last_hidden_state = Gather(table, input_ids). */
function onnxModel(): Buffer {
  const rows = Float32Array.from(TOKENS.flatMap((_, id) => rowOf(id)));
  const table = message(
    field(1, TOKENS.length),
    field(1, DIMS),
    field(2, FLOAT),
    field(8, 'table'),
    field(9, new Uint8Array(rows.buffer)),
  );
  const gather = message(
    field(1, 'table'),
    field(1, 'input_ids'),
    field(2, 'last_hidden_state'),
    field(3, 'gather'),
    field(4, 'Gather'),
  );
  const graph = message(
    field(1, gather),
    field(2, 'small'),
    field(5, table),
    field(11, valueInfo('input_ids', INT64, ['batch', 'length'])),
    field(11, valueInfo('attention_mask', INT64, ['batch', 'length'])),
    field(12, valueInfo('last_hidden_state', FLOAT, ['batch', 'length', DIMS])),
  );
  return message(field(1, 8), field(7, graph), field(8, message(field(1, ''), field(2, 17))));
}
