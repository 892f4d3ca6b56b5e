import { LhsError } from '@lakehouse-search/contract';

/** Programs with agents whose configuration is known. */
export type ClientName = 'claude' | 'vscode' | 'cursor';

/** How a client reaches the indexes. */
export type Reach =
  | { readonly kind: 'stdio'; readonly command: string; readonly args: readonly string[] }
  | { readonly kind: 'http'; readonly url: string; readonly token: boolean };

/** The configuration of a client, and the file that it belongs in. */
export interface ClientConfig {
  readonly file: string;
  readonly config: Readonly<Record<string, unknown>>;
}

const NAME = 'lhs';
const TOKEN_INPUT = 'lhs-token';
/** Variable with a whole header, `ApiKey lhs_…`, where a client cannot ask for it. */
const HEADER_VARIABLE = 'LHS_AUTHORIZATION';

/**
 * The configuration with which a client starts `lhs mcp`, or reaches a service over HTTP. Throws
 * unsupported for Claude over HTTP, which has no file for it.
 */
export function clientConfig(client: ClientName, reach: Reach): ClientConfig {
  if (client === 'vscode') return { file: '.vscode/mcp.json', config: vscode(reach) };
  if (client === 'cursor') {
    return { file: '.cursor/mcp.json', config: { mcpServers: { [NAME]: cursor(reach) } } };
  }
  if (reach.kind === 'http') {
    const hint = `add ${reach.url} as a custom connector, or configure stdio`;
    throw new LhsError('unsupported', 'claude reads no file for a server over HTTP', { hint });
  }
  const { command, args } = reach;
  return {
    file: 'claude_desktop_config.json',
    config: { mcpServers: { [NAME]: { command, args } } },
  };
}

function cursor(reach: Reach): Readonly<Record<string, unknown>> {
  if (reach.kind === 'stdio') return { command: reach.command, args: reach.args };
  const authorization = `\${env:${HEADER_VARIABLE}}`;
  return { url: reach.url, ...(reach.token ? { headers: { authorization } } : {}) };
}

function vscode(reach: Reach): Readonly<Record<string, unknown>> {
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
