import { type ErrorCode, LhsError, type NextStep } from '@lakehouse-search/contract';
import type { AgentContext } from '../base/agent-backend.ts';
import { fieldList } from '../base/field-words.ts';

/** One line of syntax, for a query that could not be read. */
const SYNTAX =
  'query syntax: word, "a phrase", field:value, field:(a OR b), field:[low TO high], field:>=5, ' +
  'pre*, word~1, -clause, AND OR NOT, *:* (resource lhs://docs/query-syntax)';

/** Fields that are named where the error has no hint, which would name them. */
const FIELDS = 8;

/** Errors about the fields of a request. */
const ABOUT_FIELDS: readonly ErrorCode[] = ['invalid_query', 'invalid_argument'];

/**
 * An error as lines that a model can act on: what is wrong, where, the way out, and the names that
 * would be right.
 */
export async function errorText(
  error: LhsError,
  input: unknown,
  context: AgentContext,
): Promise<string> {
  const { code, message, place, hint, next } = error;
  const lines = [`${code}: ${message}`];
  if (place !== undefined) lines.push(`at character ${place.from + 1} of ${shown(place.text)}`);
  if (hint !== undefined) lines.push(`hint: ${hint}`);
  lines.push(...suggestedLines(error, input), ...next.flatMap(stepLines));
  if (code === 'invalid_query') lines.push(SYNTAX);
  if (hint === undefined && ABOUT_FIELDS.includes(code))
    lines.push(...(await fieldLines(input, context)));
  if (code === 'index_not_found') lines.push(...(await indexLines(context)));
  return toolWords(lines.join('\n'));
}

/** What the tools call things that errors of the engine name otherwise. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/"?search_after"?/g, '"cursor"'],
  [/\ba fast field\b/g, 'a sortable field'],
  [/\bwithout fast\b/g, 'and not sortable'],
  [/\bwhich is not cached\b/g, 'which is not shown: use hydrate'],
  [/\bquery_text\b/g, 'query'],
];

const toolWords = (text: string): string =>
  WORDS.reduce((out, [word, replacement]) => out.replace(word, replacement), text);

/** The query that was probably meant: that of the error, or with the name that the hint suggests. */
function suggestedLines(
  { place, hint = '', details }: LhsError,
  input: unknown,
): readonly string[] {
  if (place === undefined) return [];
  const near = /^did you mean "([^"]+)"\?/.exec(hint)?.[1];
  const isNamed = near !== undefined && place.text[place.to] === ':';
  const named = isNamed && place.text.slice(0, place.from) + near + place.text.slice(place.to);
  const query = details.suggested_query ?? (named || undefined);
  const isFilter = isMembers(input) && input.filter === place.text;
  return query === undefined
    ? []
    : [`suggested_${isFilter ? 'filter' : 'query'}: ${JSON.stringify(query)}`];
}

const PLACE_CHARS = 300;

const shown = (text: string): string => JSON.stringify(text.slice(0, PLACE_CHARS));

/** The steps that are tools. */
function stepLines(step: NextStep): readonly string[] {
  if (step.step === 'list_indexes') return ['next: call list_indexes'];
  if (step.step === 'describe_index') return [`next: call describe_index of "${step.index}"`];
  return [];
}

/** The fields of the index that the input names; nothing if there is no such index. */
async function fieldLines(input: unknown, { backend, call }: AgentContext) {
  const index = namedIndex(input);
  try {
    const described = await backend.indexes.describe(index === undefined ? {} : { index }, call);
    return [`fields of ${described.index}: ${fieldList(described, FIELDS)}`];
  } catch (error) {
    if (error instanceof LhsError) return [];
    throw error;
  }
}

const isMembers = (input: unknown): input is Readonly<Record<string, unknown>> =>
  typeof input === 'object' && input !== null;

const namedIndex = (input: unknown): string | undefined =>
  isMembers(input) && typeof input.index === 'string' ? input.index : undefined;

async function indexLines({ backend, call }: AgentContext): Promise<readonly string[]> {
  const indexes = await backend.indexes.list({}, call);
  return indexes.length === 0
    ? ['no index can be searched']
    : [`indexes: ${indexes.map(({ name }) => name).join(', ')}`];
}
