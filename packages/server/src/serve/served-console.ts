import type { Logger } from 'pino';
import { type ConsoleAssets, installedConsole } from '../console/console-assets.ts';
import type { ServerOptions } from './server-options.ts';

/** The console of a gateway, if it is on. A service works without its files, and logs that. */
export function servedConsole(
  { console }: Pick<ServerOptions, 'console'>,
  logger: Pick<Logger, 'warn'>,
): { readonly console?: ConsoleAssets } {
  if (!console) return {};
  const assets = installedConsole();
  if (assets !== undefined) return { console: assets };
  logger.warn('the web console is not served: @lakehouse-search/console is missing or not built');
  return {};
}
