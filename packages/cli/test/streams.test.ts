import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { DuckDBInstance } from '@duckdb/node-api';
import { tableFromIPC } from 'apache-arrow';
import stringWidth from 'string-width';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Home, LHS, lines, TABLES } from './child.ts';
import { describeOnBackends } from './on-backend.ts';

/** What goes to which stream, in which form, and how a process ends. */
const home = new Home();
const VECTORS = join(TABLES, 'own_vectors');
const TYPES = join(TABLES, 'py_types');
const ESCAPE = '\u001b';

beforeAll(async () => {
  const { stdout } = await home.run(['index', 'init', '--path', VECTORS, '--name', 'vec']);
  await home.run(['index', 'create', '-f', '-', '--json'], { input: stdout });
  await home.json(['index', 'reindex', 'vec']);
  await buildFew();
});
afterAll(() => {
  console.log(`streams: ${home.runs} processes`);
  home.dispose();
});

/** An index of 10 rows over a table of 400,010. */
async function buildFew(): Promise<void> {
  const lake = home.path('lake');
  const row = (id: number) => `${id},"report ${id % 977} of the ${id % 13} th gateway timed out"\n`;
  const csv = (from: number, to: number) =>
    `id,text\n${Array.from({ length: to - from }, (_, i) => row(from + i)).join('')}`;
  writeFileSync(home.path('few.csv'), csv(0, 10));
  writeFileSync(home.path('many.csv'), csv(10, 400_010));
  const at = ['--table', 'big.t', '--warehouse', lake];
  await home.json(['source', 'import', home.path('few.csv'), ...at, '--key', 'id']);
  const { stdout } = await home.run(['index', 'init', 'big.t', '--warehouse', lake, '--name', 'b']);
  await home.run(['index', 'create', '-f', '-'], { input: stdout });
  await home.json(['index', 'reindex', 'b']);
  await home.json(['source', 'import', home.path('many.csv'), ...at, '--append']);
}

describeOnBackends('a command', home, ({ isBrief, isRemote, dataDir }) => {
  describe('output to a pipe', () => {
    it.skipIf(isBrief)('writes no escape sequences, unless they are forced', async () => {
      const [plain, forced, refused, bad] = await Promise.all([
        home.run(['search', 'vec', 'title']),
        home.run(['search', 'vec', 'title'], { env: { FORCE_COLOR: '1' } }),
        home.run(['search', 'vec', 'title'], { env: { FORCE_COLOR: '1', NO_COLOR: '1' } }),
        home.run(['search', 'vec', 'nope:x']),
      ]);
      expect(plain.stdout).not.toContain(ESCAPE);
      expect(plain.stdout).toContain('«title»');
      expect(forced.stdout).toContain(`${ESCAPE}[1;7mtitle${ESCAPE}`);
      expect(refused.stdout).not.toContain(ESCAPE);
      expect(bad.stderr).not.toContain(ESCAPE);
    });

    it.skipIf(isBrief)('fits narrow terminals', async () => {
      const commands = [
        ['search', 'vec', 'title:title service:billing'],
        ['search', 'vec', 'title:changed', '--hydrate'],
        ['index', 'describe', 'vec'],
        ['index', 'list'],
        ['index', 'analyze', 'vec', '--field', 'title', 'a word'],
      ];
      const wide = await Promise.all(
        commands.map(async (args) => {
          const done = await home.run(args, { env: { COLUMNS: '40' } });
          expect(done.code).toBe(0);
          return lines(done.stdout).filter((l) => stringWidth(l) > 40 && !l.startsWith('next: '));
        }),
      );
      expect(wide.flat()).toEqual([]);
    });

    it.skipIf(isBrief)('keeps data on stdout and all else on stderr', async () => {
      const built = await home.run(['index', 'reindex', 'vec', '--json']);
      expect(Object.keys(JSON.parse(built.stdout))).toEqual(
        expect.arrayContaining(['doc_count', 'snapshot', 'index_generation', 'bytes', 'took_ms']),
      );
      for (const event of lines(built.stderr)) {
        expect(JSON.parse(event)).toMatchObject({ index: 'vec', phase: expect.any(String) });
      }
      const quiet = await home.run(['index', 'reindex', 'vec']);
      expect(quiet.stderr).toBe('');
      expect(lines(quiet.stdout)[0]).toMatch(/^vec {2}built/);
    });

    it.skipIf(process.platform !== 'linux')('says so when the device is full', async () => {
      for (const args of ['--version', 'search vec title', 'search --help', 'index list --json']) {
        const script = `"$0" "$1" ${args} >/dev/full`;
        const child = spawn('sh', ['-c', script, process.execPath, LHS], {
          cwd: home.folder,
          env: { ...process.env, LHS_DATA_DIR: dataDir },
        });
        const [err, code] = await Promise.all([
          text(child.stderr),
          new Promise((resolve) => child.on('close', resolve)),
        ]);
        expect(err).toMatch(
          /^error: cannot write the output: .*no space left on (the )?device.*\n$/,
        );
        expect(code).toBe(1);
      }
    });

    // `lhs source rows` works on this machine alone
    it.skipIf(isRemote)('ends quietly when the reader goes away', async () => {
      const rows = join(TABLES, 'own_codecs');
      const child = spawn(
        'sh',
        ['-c', `"$0" "$1" source rows --path "$2" | head -1; exit 0`, process.execPath, LHS, rows],
        { cwd: home.folder, env: process.env },
      );
      let [out, err] = ['', ''];
      child.stdout.on('data', (chunk) => {
        out += chunk;
      });
      child.stderr.on('data', (chunk) => {
        err += chunk;
      });
      expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0);
      expect(lines(out)).toHaveLength(1);
      expect(err).toBe('');
      const closed = home.start(['source', 'rows', '--path', rows]);
      closed.stdout?.destroy();
      let said = '';
      closed.stderr?.on('data', (chunk) => {
        said += chunk;
      });
      expect(await new Promise((resolve) => closed.on('close', resolve))).toBe(0);
      expect(said).toBe('');
    });
  });

  describe('an interrupted reindex', () => {
    it('exits 130 and leaves the live generation as it was', async () => {
      const child = home.start(['index', 'reindex', 'b', '--json']);
      let [out, err] = ['', ''];
      child.stdout?.on('data', (chunk) => {
        out += chunk;
      });
      child.stderr?.on('data', (chunk) => {
        if (err === '') child.kill('SIGINT'); // at the first progress event
        err += chunk;
      });
      const code = await new Promise((resolve) => child.on('close', resolve));
      const message = 'interrupted: the live generation is untouched';
      expect([code, JSON.parse(out)]).toMatchObject([
        130,
        { error: { code: 'interrupted', message } },
      ]);
      expect(err).toMatch(/stopping … \(again to stop at once\)/);
      const [described, found] = await Promise.all([
        home.json<Record<string, unknown>>(['index', 'describe', 'b']),
        home.json<{ total: number }>(['search', 'b', '*:*']),
      ]);
      expect(described).toMatchObject({ num_docs: 10, index_generation: 1 });
      expect(found.total).toBe(10);
      const left = readdirSync(dataDir, { recursive: true, encoding: 'utf8' });
      expect(left.filter((path) => /\.(staged|tmp)$/.test(path))).toEqual([]);
    });
  });
});

describe('rows of `lhs source rows`, which works on this machine alone,', () => {
  const truth = JSON.parse(readFileSync(join(TYPES, 'truth.json'), 'utf8')).snapshots[0].rows;
  const rows = (format: string) =>
    home.run(['source', 'rows', '--path', TYPES, '--format', format]).then((done) => {
      expect(done).toMatchObject({ code: 0, stderr: '' });
      return done.bytes;
    });

  it('come as NDJSON with every type as documented', async () => {
    const found = lines((await rows('ndjson')).toString()).map((line) => JSON.parse(line));
    expect(found).toEqual(truth);
  });

  it('come as CSV that DuckDB reads back', async () => {
    writeFileSync(home.path('rows.csv'), await rows('csv'));
    const found = await query(`SELECT id, flag, s, "dec" FROM read_csv('${home.path('rows.csv')}',
      all_varchar=true, header=true)`);
    expect(found).toEqual(
      truth.map((r: Record<string, unknown>) => [
        String(r.id),
        r.flag === null ? null : String(r.flag),
        // an empty text and none are both an empty cell
        r.s === '' ? null : r.s,
        r.dec,
      ]),
    );
  });

  it('come as Arrow', async () => {
    const table = tableFromIPC(await rows('arrow'));
    expect(table.numRows).toBe(truth.length);
    const ids = [...(table.getChild('id') ?? [])].map(String);
    expect(ids).toEqual(truth.map((r: Record<string, unknown>) => String(r.id)));
    const texts = [...(table.getChild('s') ?? [])];
    expect(texts).toEqual(truth.map((r: Record<string, unknown>) => r.s));
  });

  it('come as Parquet that DuckDB reads back', async () => {
    writeFileSync(home.path('rows.parquet'), await rows('parquet'));
    const found = await query(`SELECT id::VARCHAR, flag, s, i, d::VARCHAR
      FROM read_parquet('${home.path('rows.parquet')}')`);
    expect(found).toEqual(
      truth.map((r: Record<string, unknown>) => [
        String(r.id),
        r.flag,
        r.s,
        r.i,
        typeof r.d === 'string' ? r.d.toLowerCase().replace('infinity', 'inf') : r.d,
      ]),
    );
  });

  async function query(sql: string): Promise<unknown[][]> {
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    const result = await connection.runAndReadAll(sql);
    const found = result.getRows() as unknown[][];
    connection.closeSync();
    instance.closeSync();
    return found;
  }
});

describe('an import that fails', () => {
  it('prints its progress, then the error as the last line, and exits with its code', async () => {
    const where = ['--table', 'big.t', '--warehouse', home.path('lake'), '--append', '--json'];
    const args = ['source', 'import', home.path('many.csv'), ...where];
    const command = [process.execPath, LHS, ...args].map((word) => `'${word}'`).join(' ');
    const child = spawn('sh', ['-c', `${command} 2>&1`], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
    const printed = lines(output).map((line) => JSON.parse(line));
    expect(printed.length).toBeGreaterThan(1);
    for (const line of printed.slice(0, -1)) expect(line).toHaveProperty('phase');
    expect(printed.at(-1)).toMatchObject({ error: { code: 'source_invalid' } });
    expect(code).toBe(1);
  });
});
