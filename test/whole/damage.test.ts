import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { initDefinition, LhsError, openLocal } from '../../packages/engine/src/index.ts';
import { openTable } from '../../packages/lake/src/index.ts';

/**
 * Files of an index, cut short or with a bit turned over, at random places: every question is answered as before the
 * damage, or refused as corrupt_index. Never another answer. The seed is printed; LHS_DAMAGE_CASES asks for more cases.
 */
const TABLE = fileURLToPath(new URL('../../fixtures/tables/own_codecs/', import.meta.url));
const SEED = 20261121;
const CASES = Number(process.env.LHS_DAMAGE_CASES ?? 400);
const folder = mkdtempSync(join(tmpdir(), 'lhs-damage-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const QUERIES = [
  'title:title',
  'title:"title 7"',
  'title:12 title:13 service:search',
  'service:(billing OR büro) AND id:[5 TO 2200]',
  'service:/b.*/',
  '-service:billing AND title:1*',
  'at:[2025-01-02 TO *]',
];

/** Every answer of an index as one text, without what changes from one call to the next. */
async function answers(): Promise<string> {
  const backend = await openLocal(folder);
  try {
    const parts: unknown[] = [];
    for (const query of QUERIES) {
      const { took_ms: _, ...found } = await backend.search({
        index: 'codecs',
        query,
        limit: 50,
        highlight: {},
      });
      parts.push(found);
    }
    const sort = [{ field: 'service' }, { field: 'at', desc: true }, { field: '_key' }];
    const { took_ms: _, ...sorted } = await backend.search({ index: 'codecs', sort, limit: 3000 });
    parts.push(sorted);
    for await (const document of backend.exportDocuments({ index: 'codecs' })) parts.push(document);
    return JSON.stringify(parts);
  } finally {
    await backend.close();
  }
}

function lcg(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** A new file in the place of the old one: readers of the old one keep what they have mapped. */
function replace(path: string, bytes: Uint8Array): void {
  writeFileSync(`${path}.new`, bytes);
  renameSync(`${path}.new`, path);
}

function damaged(bytes: Buffer, random: (below: number) => number): Buffer {
  const copy = Buffer.from(bytes);
  switch (random(4)) {
    case 0:
      return copy.subarray(0, random(copy.length));
    case 1:
      return copy.fill(random(256), random(copy.length));
    default:
      copy[random(copy.length)] ^= 1 << random(8);
      return copy;
  }
}

let intact = '';
beforeAll(async () => {
  const source = { path: TABLE };
  const table = await openTable(source);
  const definition = await initDefinition(table, { source, name: 'codecs' });
  await table.close();
  const backend = await openLocal(folder);
  await backend.createIndex({ definition });
  const [oldest] = table.snapshots;
  await backend.reindex({ index: 'codecs', as_of: String(oldest.id) });
  await backend.sync({ index: 'codecs' });
  await backend.close();
  intact = await answers();
});

it(`${CASES} damaged files are named, or change no answer`, async () => {
  const files = (readdirSync(folder, { recursive: true, encoding: 'utf8' }) as string[])
    .filter((path) => path.startsWith('indexes') && !/lock|verified/i.test(path))
    .map((path) => join(folder, path))
    .filter((path) => statSync(path).isFile() && statSync(path).size > 0)
    .sort();
  expect(files.length).toBeGreaterThan(10);
  const random = lcg(SEED);
  const outcomes = new Map<string, number>();
  for (let i = 0; i < CASES; i++) {
    const file = files[i % files.length];
    const whole = readFileSync(file);
    const bytes = damaged(whole, random);
    if (bytes.equals(whole)) continue;
    replace(file, bytes);
    const outcome = await answers().then(
      (text) => (text === intact ? 'as before' : `ANOTHER ANSWER after ${file} (case ${i})`),
      (error: unknown) => {
        if (error instanceof LhsError) return `${error.code}`;
        throw new Error(`case ${i}, ${file}`, { cause: error });
      },
    );
    if (outcome !== 'as before' && outcome !== 'corrupt_index') console.log(i, file, outcome);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    replace(file, whole);
  }
  console.log(`damage: seed ${SEED}, ${files.length} files, ${JSON.stringify([...outcomes])}`);
  expect([...outcomes.keys()].filter((o) => !/^(as before|corrupt_index)$/.test(o))).toEqual([]);
  expect(outcomes.get('corrupt_index')).toBeGreaterThan(CASES / 2);
  expect(await answers()).toBe(intact);
});

it('a damaged index is listed as such and built again', async () => {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }) as string[];
  for (const name of ['CURRENT', 'commit', '.core']) {
    const file = paths.find((path) => path.endsWith(name)) ?? '';
    writeFileSync(join(folder, file), 'gen-000077');
    const backend = await openLocal(folder);
    await expect(backend.search({ index: 'codecs' })).rejects.toMatchObject({
      code: 'corrupt_index',
    });
    expect((await backend.listIndexes()).map((i) => [i.name, i.error])).toEqual([
      ['codecs', expect.stringMatching(/CURRENT|commit|core/)],
    ]);
    const built = await backend.reindex({ index: 'codecs' });
    await backend.close();
    expect(built.doc_count).toBeGreaterThan(2000);
    paths.splice(0, paths.length);
    paths.push(...(readdirSync(folder, { recursive: true, encoding: 'utf8' }) as string[]));
  }
});

it('a file that is gone is named', async () => {
  const files = (readdirSync(folder, { recursive: true, encoding: 'utf8' }) as string[])
    .filter((path) => /s\d+\.\w+/.test(path))
    .map((path) => join(folder, path));
  for (const file of files) {
    const whole = readFileSync(file);
    rmSync(file);
    const error = await answers().catch((e: unknown) => e as LhsError);
    expect(error).toMatchObject({ code: 'corrupt_index' });
    expect((error as LhsError).message).toContain(file.split('/').at(-1));
    writeFileSync(file, whole);
  }
});
