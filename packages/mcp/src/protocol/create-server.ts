import { type CallContext, LhsError } from '@lakehouse-search/contract';
import {
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type Transport,
} from '@modelcontextprotocol/server';
import type { AgentBackend, AgentContext } from '../base/agent-backend.ts';
import { visible, visibleText } from '../base/visible.ts';
import { ASK_PROMPT, promptText } from '../guides/prompts.ts';
import { listResources, MAPPING_TEMPLATE, readResource } from '../guides/resources.ts';
import { INSTRUCTIONS } from '../guides/rules.ts';
import { type ServedTools, servedTools, toolSchema } from '../tools/served-tools.ts';
import type { AgentTool, Served } from '../tools/tool.ts';
import { errorText } from '../tools/tool-error.ts';
import { withPlainError } from './messages.ts';

/** What a server of the protocol is made from. */
export interface AgentServerOptions {
  readonly backend: AgentBackend;
  /** The version of this program. */
  readonly version: string;
  /** The error that a caller may see. One that is no `LhsError` becomes `internal`, with its message. */
  readonly publicError?: ((error: unknown) => unknown) | undefined;
  /** Names of the tools that are served. Default: all. */
  readonly tools?: readonly string[];
  /** What the name of each tool begins with, such as `lhs_`. */
  readonly toolPrefix?: string;
}

/** Lists change when an index is created: a client may keep them this long. */
const HINT = { ttlMs: 60_000, cacheScope: 'private' } as const;
/** Of a tool that only reads no other hint means anything. */
const READ_ONLY = Object.freeze({ readOnlyHint: true, openWorldHint: false });

/** A server of the protocol, for one connection or one request. */
export function createAgentServer(options: AgentServerOptions): Server {
  const { backend, version } = options;
  const publicError = (error: unknown) => lhsError(options.publicError?.(error) ?? error);
  const tools = servedTools(options);
  const server = new PlainServer(
    { name: 'lhs', title: 'Lakehouse search', version },
    {
      capabilities: { tools: {}, resources: {}, prompts: {} },
      instructions: tools.reworded(INSTRUCTIONS),
      cacheHints: {
        'tools/list': HINT,
        'prompts/list': HINT,
        'resources/list': HINT,
        'resources/templates/list': HINT,
      },
    },
  );
  const context = (signal: AbortSignal): AgentContext => ({ backend, call: { signal } });
  addTools(server, tools, context, publicError);
  addResources(server, context, publicError);
  addPrompts(server, context, publicError);
  return server;
}

/** A server whose errors do not have the texts of a validation library. */
class PlainServer extends Server {
  override connect(transport: Transport): Promise<void> {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => send(withPlainError(message), options);
    return super.connect(transport);
  }
}

type ContextOf = (signal: NonNullable<CallContext['signal']>) => AgentContext;
type PublicError = (error: unknown) => LhsError;

const lhsError: PublicError = (error) => {
  if (error instanceof LhsError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new LhsError('internal', message, { cause: error });
};

function addTools(
  server: Server,
  tools: ServedTools,
  contextOf: ContextOf,
  publicError: PublicError,
): void {
  server.setRequestHandler('tools/list', (_, { mcpReq }) =>
    protocolErrors(publicError, async () => {
      const served = await servedTo(contextOf(mcpReq.signal));
      return { tools: tools.all.map((tool) => listedTool(tool, served, tools)) };
    }),
  );
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const tool = tools.all.find(({ name }) => tools.named(name) === params.name);
    if (tool === undefined) {
      const known = tools.all.map(({ name }) => tools.named(name)).join(', ');
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `no tool "${params.name.slice(0, 200)}": the tools are ${known}`,
      );
    }
    const context = contextOf(mcpReq.signal);
    try {
      const { structured, text } = await tool.run(params.arguments, context);
      const content = [{ type: 'text' as const, text: visibleText(text) }];
      return { content, structuredContent: visible(structured) };
    } catch (error) {
      const fault = await explained(error, params.arguments, context, publicError);
      const text = tools.reworded(visibleText(fault));
      return { content: [{ type: 'text' as const, text }], isError: true };
    }
  });
}

/** The text of an error; what goes wrong while it is explained does not hide it. */
async function explained(
  error: unknown,
  input: unknown,
  context: AgentContext,
  publicError: PublicError,
): Promise<string> {
  const known = publicError(error);
  try {
    return await errorText(known, input, context);
  } catch {
    return `${known.code}: ${known.message}`;
  }
}

/** The indexes of the caller; the fields of an only one, if it can be opened. */
async function servedTo({ backend, call }: AgentContext): Promise<Served> {
  const indexes = await backend.indexes.list({}, call);
  if (indexes.length !== 1 || indexes[0].error !== undefined) return { indexes };
  try {
    return { indexes, only: await backend.indexes.describe({ index: indexes[0].name }, call) };
  } catch (error) {
    if (error instanceof LhsError) return { indexes };
    throw error;
  }
}

/** A tool as `tools/list` has it. */
export function listedTool(tool: AgentTool, served: Served, { named, reworded }: ServedTools) {
  const { title, output } = tool;
  return {
    name: named(tool.name),
    title,
    description: reworded(tool.describe(served)),
    inputSchema: { ...toolSchema(tool, served), type: 'object' as const },
    outputSchema: { ...output, type: 'object' as const },
    annotations: READ_ONLY,
  };
}

function addResources(server: Server, contextOf: ContextOf, publicError: PublicError): void {
  server.setRequestHandler('resources/list', (_, { mcpReq }) =>
    protocolErrors(publicError, async () => {
      return { resources: await listResources(contextOf(mcpReq.signal)) };
    }),
  );
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [
      {
        uriTemplate: MAPPING_TEMPLATE,
        name: 'mapping',
        title: 'Fields of an index',
        mimeType: 'application/json',
      },
    ],
  }));
  server.setRequestHandler('resources/read', ({ params }, { mcpReq }) =>
    protocolErrors(publicError, async () => {
      return { contents: [await readResource(params.uri, contextOf(mcpReq.signal))] };
    }),
  );
}

function addPrompts(server: Server, contextOf: ContextOf, publicError: PublicError): void {
  server.setRequestHandler('prompts/list', () => ({
    prompts: [{ ...ASK_PROMPT, arguments: [...ASK_PROMPT.arguments] }],
  }));
  server.setRequestHandler('prompts/get', ({ params }, { mcpReq }) =>
    protocolErrors(publicError, async () => {
      const context = contextOf(mcpReq.signal);
      const text = await promptText(params.name, params.arguments ?? {}, context);
      return { messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }] };
    }),
  );
}

/** Errors outside of tools are errors of the protocol: the caller's, or the server's. */
async function protocolErrors<T>(publicError: PublicError, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code, status, message, hint } = publicError(error);
    const kind = status < 500 ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
    const text = hint === undefined ? message : `${message}; ${hint}`;
    throw new ProtocolError(kind, text, { code });
  }
}
