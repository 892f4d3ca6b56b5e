// @module-tag campaign
// @module-tag program
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { type LocalEngine, openEngine } from '@lakehouse-search/engine/local/internal';
import { importFiles } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/**
 * The data sets of the npm package vega-datasets 3.2.1 and the keys that a person gives them; `row`
 * where no few columns tell the rows apart.
 */
const KEYS: Readonly<Record<string, string>> = {
  'airports.csv': 'iata',
  'barley.json': 'variety, year, site',
  'birdstrikes.csv': 'row',
  'budgets.json': 'budgetYear, forecastYear',
  'burtin.json': 'Bacteria',
  'cars.json': 'row',
  'co2-concentration.csv': 'Date',
  'countries.json': 'year, country',
  'crimea.json': 'date',
  'disasters.csv': 'Entity, Year',
  'driving.json': 'year',
  'flights-2k.json': 'row',
  'flights-200k.json': 'row',
  'flights-3m.parquet': 'row',
  'flights-airport.csv': 'origin, destination',
  'football.json': 'date, home_team',
  'gapminder-health-income.csv': 'country',
  'gapminder.json': 'year, country',
  'github.csv': 'time',
  'global-temp.csv': 'year',
  'income.json': 'name, group',
  'iowa-electricity.csv': 'row',
  'jobs.json': 'job, sex, year',
  'la-riots.csv': 'row',
  'londonCentroids.json': 'name',
  'lookup_groups.csv': 'row',
  'monarchs.json': 'name',
  'movies.json': 'row',
  'obesity.json': 'id',
  'ohlc.json': 'date',
  'penguins.json': 'row',
  'population.json': 'row',
  'population_engineers_hurricanes.csv': 'id',
  'seattle-weather.csv': 'date',
  'sp500.csv': 'date',
  'species.csv': 'item_id, county_id',
  'stocks.csv': 'symbol, date',
  'unemployment-across-industries.json': 'series, date',
  'unemployment.tsv': 'id',
  'us-employment.csv': 'month',
  'us-state-capitals.json': 'state',
  'weather.csv': 'location, date',
  'windvectors.csv': 'row',
  'zipcodes.csv': 'zip_code',
};

const FOLDER = process.env.LHS_VEGA_DATASETS;
let folder = '';
let backend: LocalEngine;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lhs-key-proposals-'));
  backend = await openEngine(join(folder, 'data'), { create: true, threads: 0 });
});
afterAll(async () => {
  await backend.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('the key proposed for public data sets', () => {
  if (FOLDER === undefined) {
    it.skip('is not tested: LHS_VEGA_DATASETS names no folder of vega-datasets', () => {});
    return;
  }
  it.each(Object.entries(KEYS))('%s: %s', async (file, expected) => {
    const catalog = { type: 'filesystem', warehouse: join(folder, 'lake') } as const;
    const source = { catalog, table: `v.t_${file.replace(/\W/g, '_').toLowerCase()}` };
    const path = join(FOLDER, 'data', file);
    await importFiles({ ...source, files: [path] });
    const { definition } = await backend.initDefinition({ source });
    const proposed = /^key: row|^ {2}identifier: \[(.*)\]/m.exec(definition)?.[1] ?? 'row';
    expect(proposed).toBe(expected);
    if (proposed !== 'row') expect(await isKey(path, proposed)).toBe(true);
  });
});

/** Whether DuckDB finds no NULL and no value twice in the columns of a file. */
async function isKey(path: string, columns: string): Promise<boolean> {
  const duckdb = await DuckDBInstance.create();
  const connection = await duckdb.connect();
  const names = columns.split(',').map((name) => `"${name.trim()}"`);
  const texts = names.map((name) => `CAST(${name} AS VARCHAR)`);
  const distinct = `count(*) = count(DISTINCT (${texts.join(', ')}))`;
  const present = `count(*) = count(${texts.join(' || ')})`;
  const found = await connection.runAndReadAll(`SELECT ${distinct} AND ${present} FROM '${path}'`);
  connection.closeSync();
  duckdb.closeSync();
  return found.getRows()[0][0] === true;
}
