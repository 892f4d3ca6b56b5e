// @module-tag campaign
// @module-tag program
/**
 * Questions in other words than the reports that they are about, on the demo's table: by meaning
 * they find them. The transformer reads a part of the table (LHS_TEST_LONG=1: all of it, some
 * minutes).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocalEngine, openEngine } from '@lakehouse-search/engine/local/internal';
import { appendRows, createTable } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasShared, shared } from '../../../test/support/shared-tables.ts';
import { locateRuntime } from '../../engine/src/embed/transformer/transformer-runtime.ts';
import { INCIDENT_SCHEMA, incidentDefinition } from '../src/demo/incident-table.ts';
import { incidents } from '../src/demo/incidents.ts';
import { oddReport } from '../src/demo/odd-reports.ts';
import { PARAPHRASES } from './paraphrases.ts';

const ROWS = 5000;
const MODEL = `${shared}models/all-MiniLM-L6-v2`;
const folder = mkdtempSync(join(tmpdir(), 'lhs-paraphrase-'));
const catalog = { type: 'filesystem', warehouse: join(folder, 'lake') } as const;
let backend: LocalEngine;
beforeAll(async () => {
  backend = await openEngine(join(folder, 'data'), { create: true, threads: 0 });
});
afterAll(async () => {
  await backend.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The ids of the odd reports, in their order. */
const ODD_IDS = Array.from({ length: 10_000 }, (_, id) => id).filter(oddReport);

/** An index over the odd reports and every `step`-th of the others, its vectors by a model. */
async function build(index: string, step: number, model: string): Promise<void> {
  const rows = incidents(0, ROWS).filter(({ id }) => id % step === 0 || ODD_IDS.includes(id));
  const table = `ops.${index}`;
  await createTable(catalog, table, { schema: INCIDENT_SCHEMA, formatVersion: 3 });
  await appendRows({ catalog, table }, { kind: 'rows', rows: rows.map((row) => ({ ...row })) });
  const { warehouse } = catalog;
  const definition = incidentDefinition({ index, table, warehouse }).replace(
    'source: [title, narrative]',
    `$&, dims: 384, model: ${model}`,
  );
  await backend.createIndex({ definition });
  await backend.reindex({ index });
}

/** The questions whose report is among the first ten. */
async function found(index: string): Promise<string[]> {
  const hits: string[] = [];
  for (const [i, query_text] of PARAPHRASES.entries()) {
    const answer = await backend.semantic({ index, query_text, k: 10 });
    const ids = answer.hits.map(({ coordinates }) => coordinates.identifier[0]?.value);
    if (ids.includes(String(ODD_IDS[i]))) hits.push(query_text);
  }
  return hits;
}

describe('the model that ships with lhs', () => {
  beforeAll(() => build('incidents', 1, 'default'), 600_000);

  it.each(PARAPHRASES.map((text, i) => [text, i] as const))(
    '%s: no word in common',
    async (text, i) => {
      const { title, narrative } = oddReport(ODD_IDS[i]!)!;
      const words = async (of: string) => {
        const { tokens } = await backend.analyze({ index: 'incidents', field: 'title', text: of });
        return tokens.map(({ token }) => token);
      };
      const own = new Set(await words(`${title}\n${narrative}`));
      expect((await words(text)).filter((word) => own.has(word))).toEqual([]);
      expect(await words(text)).not.toEqual([]);
    },
  );

  it('finds half of them and more', async () => {
    expect(PARAPHRASES).toHaveLength(30);
    expect((await found('incidents')).length).toBeGreaterThanOrEqual(15);
  });

  it('finds by words what shares them, and nothing of these', async () => {
    for (const [i, text] of PARAPHRASES.entries()) {
      const id = String(ODD_IDS[i]);
      const { why_not } = await backend.explain({
        ...{ index: 'incidents', mode: 'hybrid', query_text: text, weights: { semantic: 0 } },
        coordinates: { identifier: [{ name: 'id', value: id }] },
      });
      expect(why_not?.reason).toBe('not_near');
    }
  });
});

const LONG = process.env.LHS_TEST_LONG === '1';
const isInstalled = locateRuntime() !== undefined;
describe.skipIf(isInstalled)('a transformer', () => {
  it.skip('is not tested: LHS_TRANSFORMERS names no folder with its package', () => {});
});
describe.skipIf(!hasShared || !isInstalled)('a transformer', () => {
  beforeAll(() => build('meant', LONG ? 1 : 50, MODEL), 900_000);

  it('finds four of five and more', async () => {
    expect((await found('meant')).length).toBeGreaterThanOrEqual(24);
  }, 600_000);
});
