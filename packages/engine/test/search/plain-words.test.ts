/** Queries in plain words, and the clauses that they mean. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const schema = schemaOf({
  ...{ id: 'long', title: 'string', genre: 'string', note: 'string' },
  ...{ invoice_total: 'double', opened_at: 'timestamptz', resolved: 'boolean' },
});
const ROWS = Array.from({ length: 40 }, (_, id) => ({
  id,
  title: ['rock in jazz', 'hard rock', 'jazz over rock', 'cool jazz'][id % 4],
  genre: ['rock', 'jazz', 'blues'][id % 3],
  note: id % 5 === 0 ? 'blues not otherwise' : 'blues after all',
  invoice_total: id / 2,
  opened_at: new Date(Date.UTC(2025, id % 12, 1)).toISOString(),
  resolved: id % 7 === 0,
}));

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(schema, { rows: ROWS });
  await lake.build(`key: { identifier: [id] }
default_fields: [title, genre, note]
fields:
  - { name: title, type: TEXT }
  - { name: note, type: TEXT }
  - { name: genre, type: KEYWORD, fast: true }
  - { name: invoice_total, type: DOUBLE, fast: true }
  - { name: opened_at, type: DATE, fast: true }
  - { name: resolved, type: BOOL, fast: true }`);
});
afterAll(() => lake.close());

type Row = (typeof ROWS)[number];
const words = ({ title, genre, note }: Row) => `${title} ${genre} ${note}`.split(' ');
const has = (row: Row, ...all: readonly string[]) => all.some((word) => words(row).includes(word));
const month = ({ opened_at }: Row) => opened_at.slice(0, 7);

describe('a query in plain words', () => {
  it.each([
    ['opened after 2025-03-01', 'opened_at:>2025-03-01', (row: Row) => month(row) > '2025-03'],
    ['opened_at before 2025-03', 'opened_at:<2025-03', (row: Row) => month(row) < '2025-03'],
    ['since 2025-11', 'opened_at:>=2025-11', (row: Row) => month(row) >= '2025-11'],
    ['in 2025', 'opened_at:2025', () => true],
    ['started in 2025-04', 'opened_at:2025-04', (row: Row) => month(row) === '2025-04'],
    ['invoice total over 15', 'invoice_total:>15', (row: Row) => row.invoice_total > 15],
    ['invoice total is at most $2', 'invoice_total:<=2', (row: Row) => row.invoice_total <= 2],
    ['not resolved', 'resolved:false', (row: Row) => !row.resolved],
    ['rock but not jazz', 'rock -jazz', (row: Row) => has(row, 'rock') && !has(row, 'jazz')],
    ['jazz, not rock', 'jazz -rock', (row: Row) => has(row, 'jazz') && !has(row, 'rock')],
    [
      'hard cool not "hard rock"',
      'hard cool -"hard rock"',
      (row: Row) => has(row, 'hard', 'cool') && row.title !== 'hard rock',
    ],
  ])('%s: %s', async (query, suggested_query, isHit) => {
    const suggested_total = ROWS.filter(isHit).length;
    const { notes, ...found } = await lake.backend.search({ query, suggest: true });
    expect(found).toMatchObject({ suggested_query, suggested_total });
    const meant = `perhaps you mean ${suggested_query} (${suggested_total} hits)`;
    expect(notes).toEqual([`"${query}" is searched as words: ${meant}`]);
    expect((await lake.backend.search({ query: suggested_query })).total).toBe(suggested_total);
  });

  it.each(['blues not otherwise', 'hard rock in 2025', 'rock after jazz', 'title not resolved'])(
    'but not %s',
    async (query) => {
      const { notes = [] } = await lake.backend.search({ query, suggest: true });
      expect(notes.join()).not.toContain('is searched as words');
    },
  );

  it('is the only suggestion if a value is missing', async () => {
    const missing = { query: 'genre is null', suggest: true };
    expect(await lake.backend.search(missing)).toMatchObject({
      ...{ suggested_query: '-genre:*', suggested_total: 0 },
      notes: ['"genre is null" is searched as words: perhaps you mean -genre:* (0 hits)'],
    });
    const present = { query: 'genre is not null', suggest: true };
    expect(await lake.backend.search(present)).toMatchObject({
      ...{ suggested_query: 'genre:*', suggested_total: ROWS.length },
    });
  });

  it('has its value in the spelling of the rows', async () => {
    const found = await lake.backend.search({ query: "genre = 'Rock'", suggest: true });
    const suggested_total = ROWS.filter(({ genre }) => genre === 'rock').length;
    expect(found).toMatchObject({ suggested_query: 'genre:rock', suggested_total });
  });
});
