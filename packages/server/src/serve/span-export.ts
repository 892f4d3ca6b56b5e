import { OtlpExporter, type OtlpOptions } from '../observe/otlp-exporter.ts';
import type { RepeatedFaults } from '../observe/repeated-faults.ts';
import type { Release } from './releases.ts';
import type { ServerOptions } from './server-options.ts';

/** What exports the spans of a process; undefined: its settings name no collector. */
export function spanExport(
  { otlpEndpoint }: Pick<ServerOptions, 'otlpEndpoint'>,
  role: OtlpOptions['role'],
  faults: RepeatedFaults,
  later: (release: Release) => void,
): OtlpExporter | undefined {
  if (otlpEndpoint === undefined) return undefined;
  const exporter = new OtlpExporter({ endpoint: otlpEndpoint, role, faults });
  later(() => exporter.close());
  return exporter;
}
