import { createClient } from '@lakehouse-search/client';
import type { Backend } from '@lakehouse-search/contract';

/** How API tokens begin. All others are session tokens. */
const API_TOKEN = /^lhs_/;

/**
 * The service at a URL as a backend. `LHS_TOKEN` is its session or API token. Definitions travel
 * without their folder, which means nothing to another machine.
 */
export function openRemote(url: string, env: NodeJS.ProcessEnv): Backend {
  const token = env.LHS_TOKEN || undefined;
  const isApi = token !== undefined && API_TOKEN.test(token);
  const service = createClient({ url, ...(isApi ? { apiKey: token } : { token }) });
  return {
    ...service,
    createIndex: ({ base_dir: _, ...request }, call) => service.createIndex(request, call),
    alterIndex: ({ base_dir: _, ...request }, call) => service.alterIndex(request, call),
    rehearseAlter: ({ base_dir: _, ...request }, call) => service.rehearseAlter(request, call),
    validateDefinition: ({ base_dir: _, ...request }, call) =>
      service.validateDefinition(request, call),
  };
}
