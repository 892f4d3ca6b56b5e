import type { JsonObject } from '@lakehouse-search/contract';
import { readArguments, textsArgument } from '../arguments/arguments.ts';
import type { AgentContext } from '../base/agent-backend.ts';
import { type CitationCheck, checkCitations } from '../citations/check-citations.ts';
import { type AgentTool, objectSchema, SNAPSHOT, TEXT, TEXTS, type ToolAnswer } from './tool.ts';

const CITATIONS = 100;

const INPUT = {
  citations: textsArgument(CITATIONS, 'citations of hits and rows, each copied whole'),
};

const CHECK = objectSchema(
  {
    citation: TEXT,
    status: { ...TEXT, enum: ['unchanged', 'changed', 'deleted'] },
    snapshot: { ...SNAPSHOT, description: 'the table as it was read now' },
    current: { ...TEXT, description: 'a citation of the row as it is now' },
    missing_columns: { ...TEXTS, description: 'cited columns that the table no longer has' },
  },
  ...['citation', 'status', 'snapshot'],
);

/** Whether cited rows still say what they said. */
export const citeCheckTool: AgentTool = {
  name: 'cite_check',
  title: 'Check citations',
  describe: () =>
    'Read cited rows again from the table and say of each whether its cited columns are ' +
    'unchanged, changed, or the row is deleted.',
  input: INPUT,
  required: ['citations'],
  output: objectSchema({ checks: { type: 'array', items: CHECK } }, 'checks'),
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

function lineOf({ citation, status, current, missing_columns: missing }: CitationCheck): string {
  const gone = missing === undefined ? '' : `; columns that are gone: ${missing.join(', ')}`;
  const now = status === 'changed' && current !== undefined ? `; now ${current}` : '';
  return `${status}: ${citation}${now}${gone}`;
}
