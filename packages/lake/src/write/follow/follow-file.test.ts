import {
  appendFileSync,
  mkdtempSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { valueAt } from '../../scan/vectors.ts';
import { openTable } from '../../table.ts';
import { appendRows, compactTable, followFile } from '../writing.ts';
import type { FollowOptions, FollowStep } from './follow-file.ts';

/** Following a file: each line that it ever had is in the table once. */
const root = mkdtempSync(join(tmpdir(), 'lhs-follow-'));
afterAll(() => rmSync(root, { recursive: true }));
const catalog = { type: 'filesystem' as const, warehouse: join(root, 'lake') };
const options = (file: string, table: string, reading: FollowOptions['reading'] = {}) => ({
  catalog,
  table,
  file,
  reading,
  intervalMs: 1,
});

/** Follows until the file has nothing more to give; then the signal stops it. */
async function untilWaiting(follow: FollowOptions): Promise<readonly FollowStep[]> {
  const stop = new AbortController();
  const steps: FollowStep[] = [];
  for await (const step of followFile({ ...follow, signal: stop.signal })) {
    if (step.step === 'waiting') stop.abort();
    else steps.push(step);
  }
  return steps;
}

async function rowsOf(table: string, ...columns: readonly string[]) {
  const source = await openTable({ catalog, table });
  const rows: string[] = [];
  for await (const batch of source.scan({ columns })) {
    for (let row = 0; row < batch.rows; row++) {
      rows.push(batch.columns.map((vector) => String(valueAt(vector, row))).join(' '));
    }
  }
  await source.close();
  return rows.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}

describe('a followed file', () => {
  it('is added by whole lines, and goes on at the same place after a restart', async () => {
    const file = join(root, 'app.log');
    writeFileSync(file, 'one\ntwo\nthr');
    const follow = options(file, 'n.lines');
    expect(await untilWaiting(follow)).toMatchObject([{ step: 'commit', offset: 8 }]);
    expect(await untilWaiting(follow)).toEqual([]);
    appendFileSync(file, 'ee\n\nfive\n');
    expect(await untilWaiting(follow)).toMatchObject([{ result: { inserted: 2 } }]);
    expect(await rowsOf('n.lines', 'n', 'line')).toEqual(['1 one', '2 two', '3 three', '5 five']);
  });

  it('keeps its place through other commits to the table', async () => {
    const file = join(root, 'kept.log');
    writeFileSync(file, 'a\n');
    const follow = options(file, 'n.kept');
    await untilWaiting(follow);
    const row = { n: 99, line: 'other' };
    await appendRows({ catalog, table: 'n.kept' }, { kind: 'rows', rows: [row] });
    await compactTable({ catalog, table: 'n.kept' }, { all: true });
    appendFileSync(file, 'b\n');
    await untilWaiting(follow);
    expect(await rowsOf('n.kept', 'line')).toEqual(['a', 'b', 'other']);
  });

  it.each([
    [
      'renamed',
      (file: string) => {
        renameSync(file, `${file}.1`);
        writeFileSync(file, '');
      },
    ],
    ['copied and cut', (file: string) => truncateSync(file)],
  ])('is read on after it was %s', async (how, rotate) => {
    const file = join(root, `${how[0]}.log`);
    const table = `n.${how[0]}`;
    writeFileSync(file, 'a\n');
    await untilWaiting(options(file, table));
    if (how === 'renamed') appendFileSync(file, 'b\nre');
    rotate(file);
    await untilWaiting(options(file, table));
    if (how === 'renamed') appendFileSync(`${file}.1`, 'st');
    appendFileSync(file, 'new 1\nnew 2\n');
    await untilWaiting(options(file, table));
    const rest = how === 'renamed' ? ['b', 'rest'] : [];
    expect(await rowsOf(table, 'line')).toEqual(['a', ...rest, 'new 1', 'new 2'].sort());
  });

  it('has each line once after many random rotations and restarts', async () => {
    const file = join(root, 'many.log');
    const follow = options(file, 'n.many');
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return Math.floor((seed / 2 ** 31) * below);
    };
    let [count, rotations, open] = [0, 0, false];
    writeFileSync(file, '');
    for (let round = 0; round < 25; round++) {
      for (let line = random(4); line > 0; line--) {
        appendFileSync(file, open ? ' end\n' : `line ${count++} end\n`);
        open = false;
      }
      if (!open && random(3) === 0) {
        appendFileSync(file, `line ${count++}`);
        open = true;
      }
      if (!open && random(3) === 0) {
        // files that are written within one tick of the clock have the same time
        utimesSync(file, ++rotations, rotations);
        renameSync(file, `${file}.${rotations}`);
        writeFileSync(file, '');
      }
      if (random(2) === 0) await untilWaiting(follow);
    }
    if (open) appendFileSync(file, ' end\n');
    await untilWaiting(follow);
    const expected = Array.from({ length: count }, (_, i) => `line ${i} end`);
    expect(await rowsOf('n.many', 'line')).toEqual(expected);
  });

  it('may be CSV, with quoted line ends and a header in each file', async () => {
    const file = join(root, 'rows.csv');
    writeFileSync(file, 'id;text\n');
    const follow = options(file, 'n.csv');
    expect(await untilWaiting(follow)).toEqual([]);
    appendFileSync(file, '1;"a\nb"\n2;"c\n');
    await untilWaiting(follow);
    appendFileSync(file, 'd"\n');
    await untilWaiting(follow);
    renameSync(file, `${file}.1`);
    writeFileSync(file, 'id;text\n3;e\n');
    await untilWaiting(follow);
    expect(await rowsOf('n.csv', 'id', 'text')).toEqual(['1 a\nb', '2 c\nd', '3 e']);
  });

  it('may have a pattern; a line that does not fit needs no other columns', async () => {
    const file = join(root, 'grok.log');
    writeFileSync(file, '12:00:01 INFO started\n');
    const reading = { grok: '%{TIME:at} %{LOGLEVEL:level} %{GREEDYDATA:message}' };
    const follow = options(file, 'n.grok', reading);
    await untilWaiting(follow);
    appendFileSync(file, 'what is this\n12:00:02 WARN slow\n');
    await untilWaiting(follow);
    const rows = await rowsOf('n.grok', 'level', 'message', 'unmatched');
    expect(rows).toEqual(['INFO started null', 'null null what is this', 'WARN slow null']);
  });

  it('may be JSON by lines, also within a log', async () => {
    const file = join(root, 'json.log');
    writeFileSync(file, '{"level":"info","ms":1}\n');
    await untilWaiting(options(file, 'n.json'));
    appendFileSync(file, 'x {"level":"warn","ms":2}\nno json\n');
    await untilWaiting(options(file, 'n.json'));
    const rows = await rowsOf('n.json', 'level', 'ms', 'prefix', 'unmatched');
    expect(rows).toEqual(['info 1 null null', 'null null null no json', 'warn 2 x null']);
    const plain = join(root, 'plain.ndjson');
    writeFileSync(plain, '{"a":1}\n');
    await untilWaiting(options(plain, 'n.plain'));
    appendFileSync(plain, '{"a":2}\n');
    await untilWaiting(options(plain, 'n.plain'));
    expect(await rowsOf('n.plain', 'a')).toEqual(['1', '2']);
  });

  it('says that the file it had is gone', async () => {
    const file = join(root, 'gone.log');
    writeFileSync(file, 'a\n');
    await untilWaiting(options(file, 'n.gone'));
    rmSync(file);
    expect(await untilWaiting(options(file, 'n.gone')).catch(({ reason }) => reason)).toBe(
      'input_not_found',
    );
    writeFileSync(file, 'another\n');
    const steps = await untilWaiting(options(file, 'n.gone'));
    expect(steps).toMatchObject([{ step: 'lost', offset: 2 }, { step: 'commit' }]);
  });

  it('is read from its beginning after it was cut', async () => {
    const file = join(root, 'cut.log');
    writeFileSync(file, 'a\nb\n');
    await untilWaiting(options(file, 'n.cut'));
    writeFileSync(file, 'c\n');
    const steps = await untilWaiting(options(file, 'n.cut'));
    expect(steps).toMatchObject([
      { step: 'lost', offset: 4 },
      { step: 'commit', offset: 2 },
    ]);
    expect((await rowsOf('n.cut', 'line')).toSorted()).toEqual(['a', 'b', 'c']);
  });

  it('is refused if it does not grow by lines, or the table is not its own', async () => {
    const refused = (file: string, table = 'n.none') => untilWaiting(options(file, table));
    const utf16 = join(root, 'utf16.log');
    writeFileSync(utf16, Buffer.from('\ufeffa\nb\n', 'utf16le'));
    await expect(refused(utf16)).rejects.toThrow(/cannot follow .* UTF-16/);
    const packed = join(root, 'packed.log.gz');
    writeFileSync(packed, '');
    await expect(refused(packed)).rejects.toThrow(/only plain text/);
    const other = join(root, 'other.log');
    writeFileSync(other, 'x\n');
    await untilWaiting(options(other, 'n.other'));
    const another = join(root, 'another.log');
    writeFileSync(another, 'y\n');
    await expect(refused(another, 'n.other')).rejects.toMatchObject({ reason: 'table_exists' });
    await untilWaiting({ ...options(another, 'n.other'), append: true });
    expect(await untilWaiting(options(another, 'n.other'))).toEqual([]);
    expect(await rowsOf('n.other', 'line')).toEqual(['x', 'y']);
  });
});
