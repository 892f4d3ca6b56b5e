/** Keys of random identifiers, of which texts have the start: they are read, compared and cited. */
import { createHash } from 'node:crypto';
import { deleteRows } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../test/support/small-lake.ts';
import { TOOLS } from '../src/tools/all-tools.ts';

const ROWS = Array.from({ length: 40 }, (_, i) => ({
  sha: createHash('sha1').update(`row ${i}`).digest('hex'),
  subject: `fix the leak ${i}`,
  at: `2004-03-${String((i % 28) + 1).padStart(2, '0')}T07:16:0${i % 10}Z`,
}));

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(schemaOf({ sha: 'string', subject: 'string', at: 'timestamptz' }), {
    rows: ROWS,
  });
  await lake.build(`key: { identifier: [sha] }
fields:
  - { name: sha, type: KEYWORD }
  - { name: subject, type: TEXT, cached: true }
  - { name: at, type: DATE, fast: true, cached: true }`);
});
afterAll(() => lake.close());

async function ask(name: string, input: object) {
  const tool = TOOLS.find((one) => one.name === name)!;
  const answer = await tool.run(input, { backend: lake.library, call: {} });
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any tool's response
  return answer as { readonly text: string; readonly structured: any };
}
const statusesOf = async (citations: readonly string[]) =>
  (await ask('cite_check', { citations })).structured.checks;

describe('a short key', () => {
  it('of a table of many hits is read by hydrate', async () => {
    const list = { query: 'leak', limit: 40, sort: 'at', fields: ['subject'] };
    const { text, structured } = await ask('search', list);
    const lines = text.split('\n').slice(3, -1);
    expect(lines[0]).toBe('sha (…*)\tat (2004-03-…Z)\tsubject');
    const cells = lines.slice(1).map((line) => line.split('\t'));
    const shown = cells.map(([sha, at, subject]) => ({ sha, at: `2004-03-${at}Z`, subject }));
    const short = ROWS.map((row) => ({ ...row, sha: row.sha.slice(0, 8) }));
    expect(shown).toEqual(expect.arrayContaining(short));
    expect(structured.rows.map(([key]: [string]) => key)).toEqual(
      shown.map(({ subject }) => `sha=${ROWS.find((row) => row.subject === subject)?.sha}`),
    );
    const keys = cells.map(([sha]) => `sha=${sha}*`);
    const { rows } = (await ask('hydrate', { keys, max_tokens: 50_000 })).structured;
    const read = rows.map(({ row }: { row: { subject: string } }) => row.subject);
    expect(read).toEqual(shown.map(({ subject }) => subject));
  });

  it('is shown of a row that is read by its whole one, with or without its column', async () => {
    const [{ sha, subject }] = ROWS;
    for (const key of [sha, `sha=${sha}`]) {
      const { text, structured } = await ask('hydrate', { keys: [key] });
      expect(structured.rows).toMatchObject([{ key: `sha=${sha}`, row: { sha, subject } }]);
      expect(text).toMatch(new RegExp(`^sha=${sha.slice(0, 8)}\\* #\\w{16}$`, 'm'));
    }
  });

  it('is that of a row whose similar rows are found', async () => {
    const [{ sha }] = ROWS;
    const { structured } = await ask('similar', { key: `sha=${sha.slice(0, 8)}*`, limit: 3 });
    expect(structured.hits).toHaveLength(3);
    expect(JSON.stringify(structured.hits)).not.toContain(sha);
  });

  it('of a citation is that of the row, as long as the index has it', async () => {
    const full = { query: 'leak', limit: 3, detail: 'full' };
    const hydrated = { keys: ROWS.slice(0, 3).map(({ sha }) => sha.slice(0, 10)) };
    for (const [name, input] of [
      ['search', full],
      ['hydrate', hydrated],
    ] as const) {
      const { text } = await ask(name, input);
      const pattern = /^citation: (.*)$/m.exec(text)?.[1] ?? '';
      const hits = [...text.matchAll(/^(sha=[0-9a-f]{8}\*) #([0-9a-f]{16})$/gm)];
      const cited = hits.map(([, key, hash]) =>
        pattern.replace('{key}', key).replace('{hash}', hash),
      );
      expect(cited).toHaveLength(3);
      expect((await statusesOf(cited)).map(({ status }: { status: string }) => status)).toEqual(
        Array(3).fill('unchanged'),
      );
      const [invented, wide] = ['sha=00000000*', 'sha=*'].map((key) =>
        pattern.replace('{key}', key).replace('{hash}', '0'.repeat(16)),
      );
      expect(await statusesOf([invented, wide])).toMatchObject([
        { status: 'never_true' },
        { status: 'unreadable', reason: expect.stringContaining('did you mean sha=') },
      ]);
      if (name === 'search') continue;
      await deleteRows(lake.source, `sha = '${ROWS[0].sha}'`);
      await lake.library.indexes.sync({});
      const [gone, left] = await statusesOf(cited);
      expect([gone, left]).toMatchObject([
        { status: 'deleted', reason: expect.stringContaining('a short key cannot be read') },
        { status: 'unchanged' },
      ]);
    }
  });
});
