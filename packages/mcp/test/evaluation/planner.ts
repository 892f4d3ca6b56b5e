/**
 * A planner without a language model. It reads what a client lists, names and schemas of tools, and
 * refuses to send what a schema does not allow: a question that it answers can be answered from the
 * schemas alone.
 */
import {
  type AgentClient,
  type ListedTool,
  type ToolResult,
  textOf,
} from '../../../../test/support/agent-client.ts';

/** What a question wants to know. `where` is in the query syntax. */
export type Goal =
  | { readonly kind: 'count'; readonly where: string }
  | { readonly kind: 'groups'; readonly by: string; readonly where?: string; readonly size: number }
  | {
      readonly kind: 'periods';
      readonly by: string;
      readonly interval: string;
      readonly where?: string;
    }
  | {
      readonly kind: 'figure';
      readonly figure: 'avg' | 'min' | 'max' | 'sum';
      readonly of: string;
      readonly where?: string;
    }
  | { readonly kind: 'distinct'; readonly of: string; readonly where?: string }
  | { readonly kind: 'keys'; readonly where: string; readonly sort: string; readonly limit: number }
  | { readonly kind: 'nearest'; readonly words: string }
  | {
      readonly kind: 'cell';
      readonly where: string;
      readonly sort: string;
      readonly column: string;
    }
  | { readonly kind: 'proof'; readonly where: string }
  | { readonly kind: 'type'; readonly of: string };

/** A question about one of the indexes. */
export interface Question {
  readonly ask: string;
  /** A word of the index's description. */
  readonly about: string;
  readonly goal: Goal;
  /** Of this and a wrong answer, the test shows both. */
  readonly answer: unknown;
}

/** What the planner found, and how many calls it took. */
export interface Plan {
  readonly answer: unknown;
  readonly calls: number;
}

type Structure = ToolResult['structuredContent'];

/** Answers a question. */
export async function plan(
  agent: AgentClient,
  tools: readonly ListedTool[],
  { goal, about }: Question,
): Promise<Plan> {
  let calls = 0;
  /** Calls the first tool that has these arguments, of the index if it has that. */
  const use: Use = (own) => useTool(toolFor(tools, Object.keys(own)), own);
  const useTool = async (tool: ListedTool, own: Readonly<Record<string, unknown>>) => {
    const hasIndex = tool.inputSchema.properties?.index !== undefined;
    const input = hasIndex ? { ...index, ...own } : own;
    checkInput(tool, input);
    calls++;
    const result = await agent.call(tool.name, input);
    if (result.isError === true) throw new Error(textOf(result));
    return result.structuredContent;
  };
  const index = await chooseIndex(tools, about, async () => {
    calls++;
    return (await agent.call('list_indexes')).structuredContent.indexes;
  });
  const describe = () => useTool(namedTool(tools, 'describe_index'), {});
  const answer = await reach(goal, use, describe);
  return { answer, calls };
}

/** `{index}` where tools have the argument: the index whose description has the word. */
async function chooseIndex(
  tools: readonly ListedTool[],
  about: string,
  list: () => Promise<readonly { readonly name: string; readonly description?: string }[]>,
): Promise<{ readonly index?: string }> {
  const search = toolFor(tools, ['query', 'mode']);
  if (search.inputSchema.properties?.index === undefined) return {};
  const found = (await list()).find(({ description = '' }) => description.includes(about));
  if (found === undefined) throw new Error(`no index is about ${about}`);
  return { index: found.name };
}

/** A tool without arguments that tell it apart is chosen by its name. */
const namedTool = (tools: readonly ListedTool[], wanted: string): ListedTool =>
  tools.find(({ name }) => name === wanted) as ListedTool;

function toolFor(tools: readonly ListedTool[], names: readonly string[]): ListedTool {
  const found = tools.find(({ inputSchema: { properties = {} } }) =>
    names.every((name) => Object.hasOwn(properties, name)),
  );
  if (found !== undefined) return found;
  throw new Error(`no tool has ${names.join(', ')}`);
}

/** Holds an input to the schema: names, types, choices, bounds. */
function checkInput({ name, inputSchema }: ListedTool, input: Readonly<Record<string, unknown>>) {
  const { properties = {}, required = [] } = inputSchema;
  for (const needed of required) if (!(needed in input)) throw new Error(`${name} needs ${needed}`);
  for (const [key, value] of Object.entries(input)) {
    const own = Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value;
    const { anyOf = [properties[key]] } = properties[key] as {
      anyOf?: (typeof properties)[string][];
    };
    const {
      type,
      enum: choices,
      maximum,
      minimum,
    } = anyOf.find((one) => one.type === own) ?? anyOf[0];
    if (own !== type) throw new Error(`${name}.${key} is ${own}, not ${String(type)}`);
    if (Array.isArray(choices) && !choices.includes(value)) {
      throw new Error(`${name}.${key} has no choice ${String(value)}`);
    }
    if (typeof value === 'number' && (value > Number(maximum) || value < Number(minimum))) {
      throw new Error(`${name}.${key} is out of bounds`);
    }
  }
}

type Use = (input: Readonly<Record<string, unknown>>) => Promise<Structure>;

const EVERY_ROW = '*:*';
const rowsOf = ({ where = EVERY_ROW }: { readonly where?: string }) => ({ query: where });

async function reach(goal: Goal, use: Use, describe: () => Promise<Structure>): Promise<unknown> {
  switch (goal.kind) {
    case 'count':
      return (await use({ query: goal.where, mode: 'lexical', limit: 1 })).total;
    case 'groups': {
      const input = { ...rowsOf(goal), terms: goal.by, size: goal.size };
      return pairs((await use(input)).results.terms.buckets, 'key');
    }
    case 'periods': {
      const { by, interval } = goal;
      const input = { ...rowsOf(goal), histogram: by, interval };
      return pairs((await use(input)).results.histogram.buckets, 'key');
    }
    case 'figure': {
      const { results } = await use({ ...rowsOf(goal), stats: goal.of });
      return results.stats[goal.figure];
    }
    case 'distinct': {
      const { results } = await use({ ...rowsOf(goal), cardinality: goal.of });
      return results.cardinality.value;
    }
    case 'keys': {
      const { where: query, sort, limit } = goal;
      const { hits } = await use({ query, mode: 'lexical', sort, limit });
      return hits.map(({ key }: { key: string }) => key);
    }
    case 'nearest':
      return (await use({ query: goal.words, mode: 'semantic', limit: 1 })).hits[0].key;
    case 'cell': {
      const { where: query, sort, column } = goal;
      const { hits } = await use({ query, mode: 'lexical', sort, limit: 1 });
      const { rows } = await use({ keys: [hits[0].key], columns: [column] });
      return rows[0].row[column];
    }
    case 'proof': {
      const found = await use({ query: goal.where, mode: 'lexical', limit: 1 });
      const { hits, citation } = found;
      const cited = citation.replace('{key}', hits[0].key).replace('{hash}', hits[0].hash);
      return (await use({ citations: [cited] })).checks[0].status;
    }
    case 'type': {
      const { fields } = await describe();
      return fields.find(({ name }: { name: string }) => name === goal.of)?.type;
    }
  }
}

type Bucket = Readonly<Record<string, unknown>>;
const pairs = (buckets: readonly Bucket[], key: string) =>
  buckets.map((bucket) => [bucket[key], bucket.doc_count]);
