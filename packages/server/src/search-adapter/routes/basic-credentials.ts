/**
 * Credentials as clients of the imitated engine send them. `Basic` logs a user in; the session is
 * remembered until shortly before it ends, so that not every request counts as an attempt to log
 * in. `ApiKey` may hold the base64 text of `id:secret`.
 */
import { createHash } from 'node:crypto';
import { LhsError, type Session } from '@lakehouse-search/contract';
import { utf8Text } from '@lakehouse-search/contract/internal';
import type { Arrival } from '../../access/access.ts';
import { apiTokenText } from '../../access/api-tokens.ts';
import type { Calls } from '../../calls/calls.ts';

interface Remembered {
  readonly header: string;
  readonly untilMs: number;
}

const MOST_SESSIONS = 1000;
/** Sessions are not used in the last part of their life. */
const MARGIN_MS = 10_000;

/** Turns headers into those that the service takes. */
export class BasicCredentials {
  readonly #calls: Calls;
  readonly #sessions = new Map<string, Remembered>();
  /** Logins that run: requests with the same credentials share one. */
  readonly #logins = new Map<string, Promise<string | undefined>>();
  /** The service is open: it has no accounts and lets every caller in. */
  #isOpen = false;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /** The header for the service. Throws unauthenticated, overloaded. */
  async headerOf(authorization: string | undefined, arrival: Arrival): Promise<string | undefined> {
    const [, scheme, text] = /^(basic|apikey) +(\S+)$/i.exec(authorization ?? '') ?? [];
    if (scheme === undefined || this.#isOpen) return authorization;
    if (scheme.toLowerCase() === 'apikey') return `ApiKey ${tokenOf(text)}`;
    const key = createHash('sha256').update(text).digest('base64');
    const known = this.#sessions.get(key);
    if (known !== undefined && Date.now() < known.untilMs) return known.header;
    this.#sessions.delete(key);
    const running = this.#logins.get(key) ?? this.#shared(key, text, arrival);
    return (await running) ?? authorization;
  }

  /** The header of a session; undefined: the service is open. */
  #shared(key: string, text: string, arrival: Arrival): Promise<string | undefined> {
    const login = this.#login(key, text, arrival)
      .catch((error: unknown) => {
        if (!(error instanceof LhsError) || error.code !== 'unsupported') throw error;
        this.#isOpen = true;
        return undefined;
      })
      .finally(() => this.#logins.delete(key));
    this.#logins.set(key, login);
    return login;
  }

  async #login(key: string, text: string, arrival: Arrival): Promise<string> {
    const credentials = utf8Text(Buffer.from(text, 'base64'), 'the header "authorization"');
    const at = credentials.indexOf(':');
    if (at < 0) throw new LhsError('unauthenticated', 'the credentials are missing or invalid');
    const [username, password] = [credentials.slice(0, at), credentials.slice(at + 1)];
    const { release } = await this.#calls.begin('login', arrival, undefined, undefined);
    try {
      const request = { username, password };
      const session = (await this.#calls.login(request, arrival.remote, {})) as Session;
      const header = `Bearer ${session.token}`;
      if (this.#sessions.size >= MOST_SESSIONS) this.#sessions.clear();
      const untilMs = Date.parse(session.expires_at) - MARGIN_MS;
      this.#sessions.set(key, { header, untilMs });
      return header;
    } finally {
      release?.();
    }
  }
}

/** A token as it is, or from the base64 text of its id and its secret. */
function tokenOf(text: string): string {
  if (text.startsWith('lhs_')) return text;
  const [, id, secret] = /^([^:]+):(.+)$/.exec(Buffer.from(text, 'base64').toString('utf8')) ?? [];
  if (id === undefined) return text;
  return secret.startsWith('lhs_') ? secret : apiTokenText({ id, secret });
}
