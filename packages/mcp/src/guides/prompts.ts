import { LhsError } from '@lakehouse-search/contract';
import type { AgentContext } from '../base/agent-backend.ts';
import { lesson } from './query-syntax.ts';

/** The prompt that teaches a model to query an index. */
export const ASK_PROMPT = Object.freeze({
  name: 'ask_index',
  title: 'Ask an index',
  description: 'Teach the query syntax by the fields of an index, then ask a question.',
  arguments: Object.freeze([
    { name: 'index', description: 'name of the index; the only one by default', required: false },
    { name: 'question', description: 'what to find out', required: false },
  ]),
});

/** The text of the prompt. Throws not_found, index_not_found, invalid_argument. */
export async function promptText(
  name: string,
  given: Readonly<Record<string, string>>,
  { backend, call }: AgentContext,
): Promise<string> {
  if (name !== ASK_PROMPT.name) {
    throw new LhsError('not_found', `no prompt ${JSON.stringify(name.slice(0, 200))}`);
  }
  const { index, question } = given;
  const described = await backend.indexes.describe(index === undefined ? {} : { index }, call);
  return lesson(described, question);
}
