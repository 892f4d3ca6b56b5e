import { createRemote } from '@lakehouse-search/client/remote/internal';
import type { BackendApi, ServiceApi } from '@lakehouse-search/contract/internal';
import { credentialFor } from './credentials.ts';
import { profileInForce } from './settings.ts';
import { readUserFile } from './settings-file.ts';

/** A client of the command: a person waits, so it repeats calls for a second, and waits itself. */
export const commandClient = (url: string, token?: string): ServiceApi =>
  createRemote({ url, token, retryMs: 1000, timeoutMs: 0 });

/**
 * The service at a URL as a backend. Its token is `LHS_TOKEN`, or was stored by `lhs login` for
 * this URL. Definitions travel without their folder, which means nothing to another machine.
 */
export function openRemote(url: string, env: NodeJS.ProcessEnv, profile?: string): BackendApi {
  const service = commandClient(url, tokenFor(url, env, profile));
  return {
    ...service,
    createIndex: ({ base_dir: _, ...request }, call) => service.createIndex(request, call),
    alterIndex: ({ base_dir: _, ...request }, call) => service.alterIndex(request, call),
    rehearseAlter: ({ base_dir: _, ...request }, call) => service.rehearseAlter(request, call),
    validateDefinition: ({ base_dir: _, ...request }, call) =>
      service.validateDefinition(request, call),
  };
}

function tokenFor(url: string, env: NodeJS.ProcessEnv, profile?: string): string | undefined {
  if (env.LHS_TOKEN) return env.LHS_TOKEN;
  const inForce = profileInForce(profile, env, readUserFile(env));
  return credentialFor(url, inForce?.name, env)?.token;
}
