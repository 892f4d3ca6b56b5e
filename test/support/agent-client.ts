import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

/** What a tool answered. */
export interface ToolResult {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any tool's response
  readonly structuredContent?: any;
  readonly isError?: boolean;
}

/** A tool as a client lists it. */
export interface ListedTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: {
    readonly properties?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    readonly required?: readonly string[];
  };
  readonly outputSchema?: object;
  readonly annotations?: object;
}

/** An agent that is connected. */
export interface AgentClient {
  tools(): Promise<readonly ListedTool[]>;
  call(name: string, input?: object): Promise<ToolResult>;
  resources(): Promise<readonly { readonly uri: string }[]>;
  read(uri: string): Promise<string>;
  prompt(name: string, input: Readonly<Record<string, string>>): Promise<string>;
  close(): Promise<void>;
}

/** How to reach a server. */
export type AgentPlace =
  | { readonly url: string; readonly authorization?: string }
  | { readonly command: string; readonly args: readonly string[]; readonly env: NodeJS.ProcessEnv };

/** The eras of the protocol: `auto` finds the newest, `legacy` opens a session of 2025. */
export type AgentMode = 'auto' | 'legacy';

const INFO = { name: 'lhs-test', version: '1' };

/** Connects version 2 of the official client. */
export async function connectAgent(place: AgentPlace, mode: AgentMode): Promise<AgentClient> {
  const client = new Client(INFO, { versionNegotiation: { mode } });
  const transport =
    'url' in place
      ? new StreamableHTTPClientTransport(new URL(`${place.url}/mcp`), {
          requestInit: { headers: headersOf(place.authorization) },
        })
      : new StdioClientTransport({ ...stdioOf(place) });
  await client.connect(transport);
  return agentOf(client as unknown as AnyClient);
}

/** Where CI installs version 1 of the SDK and the conformance runner. */
export const MCP_CLIENTS = process.env.LHS_MCP_CLIENTS;

/** Connects version 1 of the official client, which LHS_MCP_CLIENTS has. */
export async function connectFormerAgent(place: AgentPlace): Promise<AgentClient> {
  const require = createRequire(pathToFileURL(join(MCP_CLIENTS as string, 'package.json')));
  const load = (name: string) => require(`@modelcontextprotocol/sdk/client/${name}.js`);
  const client = new (load('index').Client)(INFO);
  const transport =
    'url' in place
      ? new (load('streamableHttp').StreamableHTTPClientTransport)(new URL(`${place.url}/mcp`), {
          requestInit: { headers: headersOf(place.authorization) },
        })
      : new (load('stdio').StdioClientTransport)(stdioOf(place));
  await client.connect(transport);
  return agentOf(client);
}

const headersOf = (authorization: string | undefined): Record<string, string> =>
  authorization === undefined ? {} : { authorization };

function stdioOf({ command, args, env }: Extract<AgentPlace, { command: string }>) {
  const entries = Object.entries(env).filter(([, value]) => value !== undefined);
  return {
    command,
    args: [...args],
    env: Object.fromEntries(entries) as Record<string, string>,
    stderr: 'ignore' as const,
  };
}

/** What both versions of the client have. */
interface AnyClient {
  listTools(): Promise<{ readonly tools: readonly ListedTool[] }>;
  callTool(call: { readonly name: string; readonly arguments: object }): Promise<ToolResult>;
  listResources(): Promise<{ readonly resources: readonly { readonly uri: string }[] }>;
  readResource(request: { readonly uri: string }): Promise<{
    readonly contents: readonly { readonly text?: string }[];
  }>;
  getPrompt(request: { readonly name: string; readonly arguments: object }): Promise<{
    readonly messages: readonly { readonly content: { readonly text?: string } }[];
  }>;
  close(): Promise<void>;
}

const agentOf = (client: AnyClient): AgentClient => ({
  tools: async () => (await client.listTools()).tools,
  call: (name, input = {}) => client.callTool({ name, arguments: input }),
  resources: async () => (await client.listResources()).resources,
  read: async (uri) => (await client.readResource({ uri })).contents[0].text ?? '',
  prompt: async (name, input) => {
    const { messages } = await client.getPrompt({ name, arguments: input });
    return messages[0].content.text ?? '';
  },
  close: () => client.close(),
});

/** The citations of the hits of a search. */
export const citationsOf = ({ structuredContent }: ToolResult): readonly string[] =>
  structuredContent.hits.map(({ key, hash }: { readonly key: string; readonly hash: string }) =>
    structuredContent.citation.replace('{key}', key).replace('{hash}', hash),
  );

/** The text of a result. */
export const textOf = ({ content }: ToolResult): string =>
  content.map(({ text = '' }) => text).join('\n');
