import type { HttpExchange } from './exchange.ts';
import { type Fetch, fetchExchange } from './fetch-exchange.ts';

/** How requests reach a service: by `send` if it is given, in Node by a pool, else by `fetch`. */
export async function openExchange(url: string, send: Fetch | undefined): Promise<HttpExchange> {
  const base = url.replace(/\/+$/, '');
  if (send !== undefined || !isNode() || isFetchConfigured()) {
    return fetchExchange(base, send ?? fetch);
  }
  const { poolExchange } = await import('./pool-exchange.ts');
  return poolExchange(base);
}

/** Runtimes that imitate Node have a name of their own here. */
const isNode = (): boolean => globalThis.navigator?.userAgent?.startsWith('Node.js/') === true;

interface Agent {
  readonly [options: symbol]: { readonly connect?: unknown } | undefined;
}

/**
 * Whether the process has its own settings of connections for `fetch`: a proxy
 * (`NODE_USE_ENV_PROXY`), or a dispatcher of undici other than a plain agent.
 */
function isFetchConfigured(): boolean {
  const [agent] = ['2', '1']
    .map((version) => Symbol.for(`undici.globalDispatcher.${version}`))
    .map((key) => Reflect.get(globalThis, key) as Agent | undefined)
    .filter((found) => found !== undefined);
  if (agent === undefined) return false;
  if (agent.constructor.name !== 'Agent') return true;
  const keys = Object.getOwnPropertySymbols(agent);
  const options = keys.find(({ description }) => description === 'options');
  return options === undefined || agent[options]?.connect !== undefined;
}
