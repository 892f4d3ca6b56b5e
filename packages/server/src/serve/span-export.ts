import type { Logger } from 'pino';
import type { Observer } from '../observe/observer.ts';
import { OtlpExporter, type OtlpOptions } from '../observe/otlp-exporter.ts';
import type { Release } from './releases.ts';
import type { ServerOptions } from './server-options.ts';

/** What exports the spans of a server, if its settings name a collector. */
export function spanExport(
  { otlpEndpoint }: Pick<ServerOptions, 'otlpEndpoint'>,
  role: OtlpOptions['role'],
  logger: Logger,
  later: (release: Release) => void,
): readonly Observer[] {
  if (otlpEndpoint === undefined) return [];
  const exporter = new OtlpExporter({ endpoint: otlpEndpoint, role, logger });
  later(() => exporter.close());
  return [exporter];
}
