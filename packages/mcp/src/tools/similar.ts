import { type Coordinates, type IndexDescription, LhsError } from '@lakehouse-search/contract';
import {
  readArguments,
  textArgument,
  textsArgument,
  wholeArgument,
} from '../arguments/arguments.ts';
import type { AgentContext } from '../base/agent-backend.ts';
import { keyOfRow } from '../base/find-keys.ts';
import { keyName, keyText } from '../base/key-text.ts';
import { pageAnswer } from './page-answer.ts';
import { type Budgeted, INDEX, indexOfCall, MAX_TOKENS } from './page-arguments.ts';
import { searchTool } from './search.ts';
import type { SearchInput } from './search-request.ts';
import type { AgentTool, ToolAnswer } from './tool.ts';

const HITS = { least: 1, most: 100, standard: 10 };
const COLUMNS = 100;

const INPUT = {
  index: INDEX,
  key: textArgument('key of a hit, such as id=4217'),
  filter: textArgument('clauses that every hit must match'),
  limit: wholeArgument(HITS.least, HITS.most, HITS.standard, 'rows to return'),
  fields: textsArgument(COLUMNS, 'fields to show; default: those marked shown'),
  max_tokens: MAX_TOKENS,
};

interface SimilarInput extends Pick<Budgeted, 'max_tokens'> {
  readonly index?: string;
  readonly key: string;
  readonly filter?: string;
  readonly limit?: number;
  readonly fields?: readonly string[];
}

/** Rows that are near to a row in meaning, or else in words. */
export const similarTool: AgentTool = {
  name: 'similar',
  title: 'Find similar rows',
  describe: () => 'Find the rows most like a row, by meaning (VECTOR field) or by words.',
  input: INPUT,
  required: ['key'],
  output: searchTool.output,
  run,
};

async function run(value: unknown, context: AgentContext): Promise<ToolAnswer> {
  const input = readArguments<SimilarInput>(INPUT, similarTool.required, value);
  const { key, filter, limit = HITS.standard, ...shown } = input;
  const index = await indexOfCall(input.index, context);
  const { key: own, reason } = await keyOfRow(key, index, context);
  if (own === undefined) throw noRow(key, reason);
  const near = await meaningOf(index, own, context);
  const request = {
    index: index.index,
    // the row itself is the nearest
    limit: limit + 1,
    ...(filter === undefined || filter === '' ? {} : { filter }),
  };
  const words = { more_like_this: { keys: [own], min_term_freq: 1, min_doc_freq: 2 } };
  const response =
    near === null
      ? await context.backend.search({ ...request, ast: words }, context.call)
      : await context.backend.semantic({ ...request, ...near }, context.call);
  const others = response.hits.filter(({ coordinates }) => keyName(coordinates) !== keyName(own));
  const hits = others.slice(0, limit);
  const search: SearchInput = {
    ...shown,
    query: '',
    mode: near ? 'semantic' : 'lexical',
    ...(filter && { filter }),
  };
  const found = { index, response: { ...response, hits, total: hits.length } };
  return pageAnswer(search, [found], context, {
    offset: 0,
    limit,
    state: null,
    call: {},
    notes: [],
  });
}

/** Characters of a text that are compared. */
const MEANT_CHARS = 4000;

/** The text that the vector of a row is made of; null: the index has no vectors. Throws not_found. */
async function meaningOf(
  { index, fields, vector_fields }: IndexDescription,
  key: Coordinates,
  { backend, call }: AgentContext,
): Promise<{ readonly vector_field: string; readonly query_text: string } | null> {
  const name = vector_fields.find(({ model }) => model !== null)?.name;
  const columns = fields.find((field) => field.name === name)?.source;
  if (name === undefined || columns === undefined) return null;
  const request = { index, keys: [key], columns };
  const { rows } = await backend.getKeys(request, call);
  const texts = columns.map((column) => rows[0]?.fields[column]);
  const text = texts.filter((part) => typeof part === 'string').join('\n');
  if (text !== '') return { vector_field: name, query_text: text.slice(0, MEANT_CHARS) };
  const message = `nothing to compare is in the row of ${keyText(key)}`;
  throw new LhsError('not_found', message, { hint: 'take another row' });
}

const noRow = (key: string, reason = 'copy the key of a hit'): LhsError =>
  new LhsError('not_found', `no row has the key ${key}`, { hint: reason });
