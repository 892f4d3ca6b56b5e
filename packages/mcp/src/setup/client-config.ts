import { LhsError } from '@lakehouse-search/contract';

/** Programs with agents whose configuration is known. */
export type ClientName = 'claude' | 'vscode' | 'cursor' | 'codex' | 'gemini';

/** How a client reaches the indexes. */
export type Reach =
  | { readonly kind: 'stdio'; readonly command: string; readonly args: readonly string[] }
  | { readonly kind: 'http'; readonly url: string; readonly token: boolean };

/** The configuration of a client, its text, and the file that the text belongs in. */
export interface ClientConfig {
  readonly file: string;
  readonly config: Loose;
  readonly text: string;
}

type Loose = Readonly<Record<string, unknown>>;

const NAME = 'lhs';
const TOKEN_INPUT = 'lhs-token';
/** Variable with a whole header, `ApiKey lhs_…`, where a client cannot ask for it. */
const HEADER_VARIABLE = 'LHS_AUTHORIZATION';

const FILES: Readonly<Record<ClientName, string>> = {
  claude: 'claude_desktop_config.json',
  vscode: '.vscode/mcp.json',
  cursor: '.cursor/mcp.json',
  codex: '~/.codex/config.toml',
  gemini: '~/.gemini/settings.json',
};

/**
 * The configuration with which a client starts `lhs mcp`, or reaches a service over HTTP. Throws
 * unsupported for Claude over HTTP, which has no file for it.
 */
export function clientConfig(client: ClientName, reach: Reach): ClientConfig {
  const file = FILES[client];
  if (client === 'codex') {
    const server = serverOf(client, reach);
    return { file, config: { mcp_servers: { [NAME]: server } }, text: tomlTable(server) };
  }
  const servers = { mcpServers: { [NAME]: serverOf(client, reach) } };
  const config = client === 'vscode' ? vscode(reach) : servers;
  return { file, config, text: JSON.stringify(config, null, 2) };
}

/** How a client that is not VS Code reaches a server. */
function serverOf(client: ClientName, reach: Reach): Loose {
  if (reach.kind === 'stdio') return { command: reach.command, args: reach.args };
  const { url, token } = reach;
  if (client === 'claude') {
    const hint = `add ${url} as a custom connector, or configure stdio`;
    throw new LhsError('unsupported', 'claude reads no file for a server over HTTP', { hint });
  }
  if (client === 'codex') {
    return { url, ...(token ? { env_http_headers: { authorization: HEADER_VARIABLE } } : {}) };
  }
  const address = client === 'gemini' ? { httpUrl: url } : { url };
  const variable = client === 'gemini' ? HEADER_VARIABLE : `env:${HEADER_VARIABLE}`;
  return { ...address, ...(token ? { headers: { authorization: `\${${variable}}` } } : {}) };
}

/** A server as a table of TOML, whose texts and lists are written as in JSON. */
function tomlTable(server: Loose): string {
  const lines = Object.entries(server).map(([name, value]) => {
    const isTable = typeof value === 'object' && !Array.isArray(value);
    const pairs = Object.entries(isTable ? (value as Loose) : {});
    const table = pairs.map(([key, text]) => `${key} = ${JSON.stringify(text)}`).join(', ');
    return `${name} = ${isTable ? `{ ${table} }` : JSON.stringify(value)}`;
  });
  return [`[mcp_servers.${NAME}]`, ...lines].join('\n');
}

function vscode(reach: Reach): Loose {
  if (reach.kind === 'stdio') {
    const { command, args } = reach;
    return { servers: { [NAME]: { type: 'stdio', command, args } } };
  }
  const { url, token } = reach;
  if (!token) return { servers: { [NAME]: { type: 'http', url } } };
  const headers = { authorization: `ApiKey \${input:${TOKEN_INPUT}}` };
  const input = { id: TOKEN_INPUT, type: 'promptString', description: 'API token of lhs' };
  return {
    inputs: [{ ...input, password: true }],
    servers: { [NAME]: { type: 'http', url, headers } },
  };
}
