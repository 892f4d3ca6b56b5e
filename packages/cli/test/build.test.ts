// @module-tag campaign
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { byEffort } from '../../../test/support/effort.ts';
import { ended, Home, LHS, TABLES } from './child.ts';

let home: Home;
beforeEach(async () => {
  home = new Home();
  mkdirSync(home.path('tmp'));
  await define('own_vectors');
});
afterEach(() => home.dispose());

const LHS_COMMAND = `${process.execPath} ${LHS}`;

/** An index over a table of many files, with storage. */
async function define(table: string): Promise<void> {
  const init = await home.run(['index', 'init', '--path', `${TABLES}${table}`, '--name', 'small']);
  const definition = init.stdout.replace(/^next: .*$/m, '');
  writeFileSync(home.path('small.yaml'), `${definition}\nstorage: ./home\n`);
  const made = await home.run(['index', 'create', home.path('small.yaml')]);
  expect(made.stderr).toBe('');
}

const env = () => ({ TMPDIR: home.path('tmp') });
const lhs = (args: readonly string[], input?: string) =>
  home.run(args, { alone: true, env: env(), ...(input === undefined ? {} : { input }) });

async function documents(): Promise<string[]> {
  const { stdout } = await home.run(['index', 'export', 'small']);
  return stdout.trim().split('\n').sort();
}

describe('a build by tasks', () => {
  it('goes through pipes: plan, task, commit', async () => {
    const plan = await lhs(['build', 'plan', 'small', '--tasks', '3']);
    expect(plan.stderr).toBe('');
    const results = await lhs(['build', 'task'], plan.stdout);
    expect(results.stderr).toBe('');
    expect(results.stdout.trim().split('\n')).toHaveLength(plan.stdout.trim().split('\n').length);
    const merges = await lhs(['build', 'merge', 'small'], results.stdout);
    const merged = await lhs(['build', 'task'], merges.stdout);
    expect(merged.stdout.trim().split('\n')).toHaveLength(1);
    const built = await lhs(['build', 'commit', 'small'], results.stdout + merged.stdout);
    expect(built.stderr).toBe('');
    expect(built.stdout).toMatch(/^small {2}built .* rows in .* generation 1 live/);
    expect(readdirSync(home.path('tmp')).filter((name) => name.includes('task'))).toEqual([]);
    const verified = await home.run(['index', 'verify', 'small']);
    expect(verified.stdout).toContain('the index equals the table');
  });

  it('runs in processes of this machine, or of a command that gets a line per task', async () => {
    await lhs(['reindex', 'small']);
    const expected = await documents();
    writeFileSync(
      home.path('each'),
      '#!/bin/sh\nwhile read -r line; do printf "%s\\n" "$line" | "$@" & done\nwait\n',
      { mode: 0o755 },
    );
    const command = `${home.path('each')} ${LHS_COMMAND} build task`;
    for (const how of [['local'], ['command', '--command', command]]) {
      const built = await lhs(['reindex', 'small', '--tasks', '3', '--runner', ...how]);
      expect(built.stderr).not.toContain('error');
      expect(built.stdout).toContain(' live ');
      expect(await documents()).toEqual(expected);
    }
    const jobs = await home.json<{ jobs: readonly { state: string }[] }>(['jobs', 'list']);
    expect(jobs.jobs.map(({ state }) => state)).toEqual(['done', 'done', 'done']);
  });

  it('fails with its processes, and goes on with what has run', async () => {
    const broken = `${LHS_COMMAND} build task | head -n 1`;
    const args = ['reindex', 'small', '--tasks', '3', '--runner', 'command', '--command'];
    const failed = await lhs([...args, broken]);
    expect(failed.code).toBe(2);
    expect(failed.stderr).toContain('is not complete: no result of 1 among tasks 0 to 1');
    const died = await lhs([...args, 'exit 3']);
    expect(died.code).toBe(1);
    expect(died.stderr).toContain('a process that runs tasks ended with exit code 3');
    const built = await lhs([...args, `${LHS_COMMAND} build task`]);
    expect(built.code).toBe(0);
  });

  it.skipIf(process.platform === 'win32')('leaves nothing on a disk that is full', async () => {
    const plan = await lhs(['build', 'plan', 'small', '--tasks', '2']);
    // no file may be larger than a block
    const child = spawn('sh', ['-c', `ulimit -f 1; exec ${LHS_COMMAND} build task`], {
      env: { ...process.env, ...env() },
    });
    child.stdin.end(plan.stdout);
    const { code, stdout, stderr } = await ended(child);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/error: cannot write ".*lhs-task-/);
    expect(readdirSync(home.path('tmp')).filter((name) => name.includes('task'))).toEqual([]);
    const results = await lhs(['build', 'task'], plan.stdout);
    const built = await lhs(['build', 'commit', 'small'], results.stdout);
    expect(built.code).toBe(0);
  });

  it('runs on Spark, whose messages are among the results', async () => {
    writeFileSync(
      home.path('spark-submit'),
      `#!/bin/sh\ncase $3 in *.py) echo "a warning"; ${LHS_COMMAND} build task < "$4" ;; esac\n`,
      { mode: 0o755 },
    );
    const spark = `${home.path('spark-submit')} --master yarn`;
    const args = ['reindex', 'small', '--tasks', '3', '--runner', 'spark', '--command', spark];
    const built = await lhs(args);
    expect(built.stderr).toContain('a warning\n');
    expect(built.stdout).toContain(' live ');
    const absent = await lhs(['reindex', 'small', '--runner', 'spark', '--command', 'no-such']);
    expect(absent.stderr).toContain('a process that runs tasks ended with exit code 127');
    expect(readdirSync(home.path('tmp'))).toEqual([]);
  });

  it('says what its flags need', async () => {
    const alone = await lhs(['reindex', 'small', '--runner', 'command']);
    expect(alone.code).toBe(2);
    expect(alone.stderr).toContain('--runner command and --command need each other');
    const bad = await lhs(['build', 'task'], '{"format":1}\n');
    expect(bad.code).toBe(2);
    const outdated = await lhs(['build', 'commit', 'small'], '');
    expect(outdated.stderr).toContain('there are no results');
  });
});

/** Processes whose command lines have this text. */
const processes = (text: string): string[] =>
  execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(text) && line.includes(' build task'));

describe.runIf(byEffort(false, true))('a build whose processes are stopped', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'by %s ends them, and the next one is whole',
    async (signal) => {
      await lhs(['reindex', 'small']);
      const expected = await documents();
      const waiting = `sleep 60; echo ${home.folder} build task`;
      const args = ['reindex', 'small', '--runner', 'command', '--command', waiting];
      const child = home.start(args, { env: env() });
      while (processes(home.folder).length < 2) await new Promise((done) => setImmediate(done));
      child.kill(signal);
      const { code, stderr } = await ended(child);
      expect(code).toBe(130);
      expect(stderr).toContain('the live generation is untouched');
      expect(processes(home.folder)).toEqual([]);
      expect(await documents()).toEqual(expected);
      await lhs(['reindex', 'small', '--runner', 'local']);
      expect(await documents()).toEqual(expected);
    },
  );

  it('by SIGKILL in the middle of a commit: the next one is whole', async () => {
    await lhs(['reindex', 'small']);
    const expected = await documents();
    const plan = await lhs(['build', 'plan', 'small', '--tasks', '3']);
    const { stdout } = await lhs(['build', 'task'], plan.stdout);
    writeFileSync(home.path('results.jsonl'), stdout);
    const commit = ['build', 'commit', 'small', home.path('results.jsonl')];
    const indexes = home.path('data', 'indexes');
    const inIndex = () => readdirSync(`${indexes}/${readdirSync(indexes)[0]}`).length;
    const before = inIndex();
    const child = home.start(commit, { env: env() });
    while (inIndex() === before) await new Promise((done) => setImmediate(done));
    child.kill('SIGKILL');
    await ended(child);
    expect(await documents()).toEqual(expected);
    expect((await lhs(commit)).code).toBe(0);
    expect(await documents()).toEqual(expected);
    expect((await home.run(['index', 'verify', 'small'])).code).toBe(0);
  });

  it('by SIGKILL, driver and tasks: nothing is published, and the next one is whole', async () => {
    await lhs(['reindex', 'small']);
    const expected = await documents();
    const command = `${LHS_COMMAND} build task; sleep 60; echo ${home.folder} build task`;
    const args = ['reindex', 'small', '--tasks', '3', '--runner', 'command', '--command', command];
    const child = home.start(args, { env: env() });
    const stored = () => readdirSync(home.path('home'), { recursive: true, encoding: 'utf8' });
    while (!stored().some((name) => name.endsWith('.json') && name.includes('/data/9')))
      await new Promise((done) => setImmediate(done));
    child.kill('SIGKILL');
    for (const line of processes(home.folder)) process.kill(Number.parseInt(line, 10), 'SIGKILL');
    await ended(child);
    expect(await documents()).toEqual(expected);
    const built = await lhs(['reindex', 'small', '--resume', '--runner', 'local']);
    expect(built.stderr).not.toContain('error');
    expect(await documents()).toEqual(expected);
    const { stdout } = await home.run(['index', 'verify', 'small']);
    expect(stdout).toContain('the index equals the table');
  });
});
