import { type ClientOptions, createClient } from '@lakehouse-search/client';
import type { Backend } from '@lakehouse-search/contract';
import { credentialFor } from './credentials.ts';
import { profileInForce } from './settings.ts';
import { readUserFile } from './settings-file.ts';

/** How API tokens begin. All others are session tokens. */
const API_TOKEN = /^lhs_/;

/** What a client is made of that sends a token. */
type Tokens = Pick<ClientOptions, 'token' | 'apiKey'>;

/** A token as the option of its kind. */
export const tokenOption = (token: string): Tokens =>
  API_TOKEN.test(token) ? { apiKey: token } : { token };

/**
 * The service at a URL as a backend. Its token is `LHS_TOKEN`, or was stored by `lhs login` for
 * this URL. Definitions travel without their folder, which means nothing to another machine.
 */
export function openRemote(url: string, env: NodeJS.ProcessEnv, profile?: string): Backend {
  const service = createClient({ url, ...tokensFor(url, env, profile) });
  return {
    ...service,
    createIndex: ({ base_dir: _, ...request }, call) => service.createIndex(request, call),
    alterIndex: ({ base_dir: _, ...request }, call) => service.alterIndex(request, call),
    rehearseAlter: ({ base_dir: _, ...request }, call) => service.rehearseAlter(request, call),
    validateDefinition: ({ base_dir: _, ...request }, call) =>
      service.validateDefinition(request, call),
  };
}

function tokensFor(url: string, env: NodeJS.ProcessEnv, profile: string | undefined): Tokens {
  if (env.LHS_TOKEN) return tokenOption(env.LHS_TOKEN);
  const inForce = profileInForce(profile, env, readUserFile(env));
  const stored = credentialFor(url, inForce?.name, env);
  if (stored === undefined) return {};
  return stored.kind === 'api' ? { apiKey: stored.token } : { token: stored.token };
}
