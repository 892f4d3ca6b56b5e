import { type IndexDescription, LhsError } from '@lakehouse-search/contract';
import {
  readArguments,
  textArgument,
  textsArgument,
  wholeArgument,
} from '../arguments/arguments.ts';
import type { AgentContext } from '../base/agent-backend.ts';
import { coordinatesOfText, keyName } from '../base/key-text.ts';
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

/** Rows whose meaning is near to that of a row. */
export const similarTool: AgentTool = {
  name: 'similar',
  title: 'Find similar rows',
  describe: () => 'Find the rows whose meaning is nearest to that of a row (needs a VECTOR field).',
  input: INPUT,
  required: ['key'],
  output: searchTool.output,
  run,
};

async function run(value: unknown, context: AgentContext): Promise<ToolAnswer> {
  const input = readArguments<SimilarInput>(INPUT, similarTool.required, value);
  const { key, filter, limit = HITS.standard, ...shown } = input;
  const index = await indexOfCall(input.index, context);
  const own = coordinatesOfText(key);
  const { name, text } = await meaningOf(index, key, context);
  const request = {
    ...{ index: index.index, vector_field: name, query_text: text },
    // the row itself is the nearest
    limit: limit + 1,
    ...(filter === undefined || filter === '' ? {} : { filter }),
  };
  const response = await context.backend.semantic(request, context.call);
  const others = response.hits.filter(({ coordinates }) => keyName(coordinates) !== keyName(own));
  const hits = others.slice(0, limit);
  const search: SearchInput = { ...shown, query: '', mode: 'semantic', ...(filter && { filter }) };
  const found = { index, response: { ...response, hits, total: hits.length } };
  return pageAnswer(search, [found], context, { offset: 0, limit, snapshot: null, call: {} });
}

/** Characters of a text that are compared. */
const MEANT_CHARS = 4000;

/** The text that the vector of a row is made of. Throws unsupported, not_found. */
async function meaningOf(
  { index, fields, vector_fields }: IndexDescription,
  key: string,
  { backend, call }: AgentContext,
): Promise<{ readonly name: string; readonly text: string }> {
  const name = vector_fields.find(({ model }) => model !== null)?.name;
  const columns = fields.find((field) => field.name === name)?.source;
  if (name === undefined || columns === undefined) {
    const hint = 'search for words of the row instead';
    throw new LhsError('unsupported', `index "${index}" has no VECTOR field of texts`, { hint });
  }
  const request = { index, keys: [coordinatesOfText(key)], columns };
  const { rows } = await backend.getKeys(request, call);
  const texts = columns.map((column) => rows[0]?.fields[column]);
  const text = texts.filter((part) => typeof part === 'string').join('\n');
  if (text !== '') return { name, text: text.slice(0, MEANT_CHARS) };
  const what = rows.length === 0 ? 'no row has the key' : 'nothing to compare is in the row of';
  throw new LhsError('not_found', `${what} ${key}`, { hint: 'copy the key of a hit' });
}
