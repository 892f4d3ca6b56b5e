import { LhsError } from '@lakehouse-search/contract';
import type { Credential } from '../config/credentials.ts';
import { commandClient } from '../config/open-remote.ts';
import { askLine } from '../terminal/ask/ask-line.ts';
import { askSecret } from '../terminal/ask/ask-secret.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** How a token is obtained. */
export interface TokenRequest {
  /** Read an API token, instead of a password. */
  readonly token?: boolean;
  /** The user; absent: a person at the terminal names it. */
  readonly user?: string;
  readonly terminal: Terminal;
}

/**
 * A token that the service at a URL accepts: of a login with a password, or one that was read.
 * Throws unauthenticated, unreachable, unsupported (an open service has no users).
 */
export async function obtainToken(url: string, request: TokenRequest): Promise<Credential> {
  return request.token === true ? readToken(url) : session(url, request);
}

async function session(url: string, { user: named, terminal }: TokenRequest): Promise<Credential> {
  const user = named ?? (await askLine(terminal, 'user: ', '--user NAME'));
  const password = await askSecret(`password of ${user}: `);
  const client = commandClient(url);
  try {
    const { token, expires_at } = await client.login({ username: user, password });
    return { url, kind: 'session', token, user, expires_at };
  } finally {
    await client.close();
  }
}

async function readToken(url: string): Promise<Credential> {
  const token = (await askSecret('token: ')).trim();
  const client = commandClient(url, token);
  try {
    await client.consoleConfig();
  } catch (error) {
    const isKnown = error instanceof LhsError && error.code === 'permission_denied';
    if (!isKnown) throw error;
  } finally {
    await client.close();
  }
  return { url, kind: token.startsWith('lhs_') ? 'api' : 'session', token };
}
