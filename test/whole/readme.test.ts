import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { INCIDENT_SCHEMA, incidentDefinition } from '../../packages/cli/src/demo/incident-table.ts';
import { incidents } from '../../packages/cli/src/demo/incidents.ts';
import { openLocal } from '../../packages/engine/src/index.ts';
import { appendRows, createTable } from '../../packages/lake/src/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'lhs-readme-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('runs the ten lines that the README shows', async () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const [, code] = /<!-- run by[\s\S]*?```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  const body = code
    .replace(/^import .*$/m, '')
    .replace("'./data'", JSON.stringify(join(folder, 'data')));
  const warehouse = join(folder, 'lake');
  const config = { catalog: { type: 'filesystem' as const, warehouse }, table: 'ops.incidents' };
  await createTable(config.catalog, config.table, { schema: INCIDENT_SCHEMA, formatVersion: 3 });
  await appendRows(config, { kind: 'rows', rows: incidents(0, 300).map((r) => ({ ...r })) });
  const printed: unknown[][] = [];
  const console = { log: (...values: unknown[]) => printed.push(values) };
  const run = new Function(
    'openLocal',
    'definition',
    'console',
    `return (async () => {${body}})();`,
  );
  await run(
    openLocal,
    incidentDefinition({ index: 'incidents', table: 'ops.incidents', warehouse }),
    console,
  );
  expect(printed).toHaveLength(5);
  for (const [score, id] of printed) {
    expect(score).toBeGreaterThan(0);
    expect(id).toMatch(/^\d+$/);
  }
});
