import type { JsonObject } from '@lakehouse-search/contract';
import { readArguments, textsArgument } from '../arguments/arguments.ts';
import type { AgentContext } from '../base/agent-backend.ts';
import { type CitationCheck, checkCitations } from '../citations/check-citations.ts';
import { type AgentTool, OBJECTS, objectSchema, type ToolAnswer } from './tool.ts';

const CITATIONS = 100;

const INPUT = {
  citations: textsArgument(
    CITATIONS,
    'citations of rows, or the citation of a page of hits with the key and hash of one',
  ),
};

/** Whether cited rows still say what they said. */
export const citeCheckTool: AgentTool = {
  name: 'cite_check',
  title: 'Check citations',
  describe: () =>
    'Read cited rows again from the table and say of each citation whether it is unchanged, ' +
    'changed, deleted, or never was true at its snapshot.',
  input: INPUT,
  required: ['citations'],
  output: objectSchema({ checks: OBJECTS }),
  run,
};

async function run(value: unknown, context: AgentContext): Promise<ToolAnswer> {
  const { citations } = readArguments<{ readonly citations: readonly string[] }>(
    INPUT,
    citeCheckTool.required,
    value,
  );
  const checks = await checkCitations(citations, context);
  const structured: JsonObject = { checks: checks.map((check): JsonObject => ({ ...check })) };
  return { structured, text: checks.map(lineOf).join('\n') };
}

function lineOf(check: CitationCheck): string {
  const { citation, status, current, missing_columns: missing, reason } = check;
  const gone = missing === undefined ? '' : `; columns that are gone: ${missing.join(', ')}`;
  const now = status === 'changed' && current !== undefined ? `; now ${current}` : '';
  return `${status}: ${citation}${now}${gone}${reason === undefined ? '' : `; ${reason}`}`;
}
