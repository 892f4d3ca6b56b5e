import { type JsonObject, LhsError } from '@lakehouse-search/contract';
import { didYouMean } from '@lakehouse-search/contract/internal';
import { inputSchema } from '../arguments/arguments.ts';
import { TOOLS } from './all-tools.ts';
import type { AgentTool, Served } from './tool.ts';

/** The tools of a server, and what a client calls them. */
export interface ServedTools {
  readonly all: readonly AgentTool[];
  named(name: string): string;
  /** A text whose names of tools are those that a client calls. */
  reworded(text: string): string;
}

/** Names that are no words of their own. */
const NAMES = /\b(?:hydrate|list_indexes|describe_index|cite_check)\b/g;
const PREFIX = /^[A-Za-z0-9_-]{1,32}$/;

/** The tools of these options. Throws invalid_argument for an unknown one, or an odd prefix. */
export function servedTools(options: {
  readonly tools?: readonly string[];
  readonly toolPrefix?: string;
}): ServedTools {
  const { tools, toolPrefix: prefix = '' } = options;
  const known = TOOLS.map(({ name }) => name);
  const unknown = tools?.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const message = `no tool "${unknown}"${didYouMean(unknown, known)}`;
    throw new LhsError('invalid_argument', message, { hint: `the tools are ${known.join(', ')}` });
  }
  if (prefix !== '' && !PREFIX.test(prefix)) {
    const message = `the prefix of tools is ${JSON.stringify(prefix.slice(0, 60))}`;
    throw new LhsError('invalid_argument', message, { hint: 'letters, digits, _ and -, up to 32' });
  }
  return {
    all: tools === undefined ? TOOLS : TOOLS.filter(({ name }) => tools.includes(name)),
    named: (name) => prefix + name,
    reworded: (text) => (prefix === '' ? text : text.replace(NAMES, (name) => prefix + name)),
  };
}

/** Indexes that are choices of `index` in each tool, and in the first that has the argument. */
const CHOICES_EACH = 8;
const CHOICES = 100;

/** The JSON Schema of a tool's arguments: `index` is hidden, or its choices are the indexes. */
export function toolSchema(
  { name, input, required }: AgentTool,
  { indexes, only }: Served,
): JsonObject {
  const { index } = input;
  if (index === undefined) return inputSchema(input, required);
  if (only !== undefined) return inputSchema(input, required, ['index']);
  const most = name === TOOLS[0].name ? CHOICES : CHOICES_EACH;
  const isListed = indexes.length > 0 && indexes.length <= most;
  const names = indexes.map((own) => own.name);
  const choice = isListed ? { ...index, schema: withChoices(index.schema, names) } : index;
  return inputSchema({ ...input, index: choice }, ['index', ...required]);
}

/** A schema of texts that are one of some names; of several schemas, the first is. */
function withChoices(schema: JsonObject, names: readonly string[]): JsonObject {
  if (!Array.isArray(schema.anyOf)) return { ...schema, enum: names };
  const [one, ...others] = schema.anyOf as readonly JsonObject[];
  return { ...schema, anyOf: [{ ...one, enum: names }, ...others] };
}
