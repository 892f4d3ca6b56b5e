import type { ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { SyncResponse } from '@lakehouse-search/contract';
import { appendRows, createTable } from '@lakehouse-search/lake';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { schemaOf } from '../../../test/support/schema.ts';
import { ended, Home, lines } from './child.ts';
import { describeOnBackends } from './on-backend.ts';

/** Following, status and waiting, each command a process of its own. */
const home = new Home();
const WAREHOUSE = ['--warehouse', home.path('lake')];
let nextId = 1;
const followers: ChildProcess[] = [];
afterEach(() => {
  for (const child of followers.splice(0)) child.kill('SIGKILL');
});
afterAll(() => {
  console.log(`follow: ${home.runs} processes`);
  home.dispose();
});

/** Waits until a process that got SIGSTOP has stopped, where the system says so (proc(5)). */
async function stopped(pid: number): Promise<void> {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return;
  await vi.waitUntil(() => /\) T/.test(readFileSync(file, 'utf8')));
}

const TABLE = {
  catalog: { type: 'filesystem' as const, warehouse: home.path('lake') },
  table: 'ops.notes',
};
const SCHEMA = schemaOf({ id: 'long', title: 'string' });

/** A snapshot of `n` new rows; returns its id. */
async function append(n: number): Promise<string> {
  const rows = Array.from({ length: n }, () => ({ id: nextId++, title: 'a note' }));
  return (await appendRows(TABLE, { kind: 'rows', rows })).snapshot!;
}

beforeAll(async () => {
  await createTable(TABLE.catalog, TABLE.table, { schema: SCHEMA, formatVersion: 2 });
  await append(3);
  const { stdout } = await home.run(['index', 'init', 'ops.notes', ...WAREHOUSE]);
  await home.json(['index', 'create', '-f', '-'], { input: stdout });
  await home.json(['index', 'reindex', 'notes']);
});

/** Lines of a process, one after the other. */
function linesOf(child: ChildProcess) {
  const iterator = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  return async () => {
    const { value, done } = await iterator.next();
    if (done) throw new Error('the process said no more');
    return value as string;
  };
}
const event = async (next: () => Promise<string>, kind: string) => {
  for (;;) {
    const said = JSON.parse(await next()) as Record<string, unknown>;
    if (said.event === kind) return said;
  }
};
const FOLLOW = ['index', 'sync', 'notes', '--follow', '--poll', '0.2'];
const started = (args: readonly string[]) => {
  const child = home.start(args);
  followers.push(child);
  return child;
};
describeOnBackends('an index that follows its table', home, ({ isBrief, isRemote, dataDir }) => {
  describe('lhs index sync --follow', () => {
    it.each<NodeJS.Signals>(isBrief ? ['SIGTERM'] : ['SIGTERM', 'SIGINT'])(
      'ends in order on %s, and with exit code 0',
      async (signal) => {
        const child = started([...FOLLOW, '--json']);
        const end = ended(child);
        const next = linesOf(child);
        await event(next, 'waiting');
        const snapshot = await append(2);
        expect(await event(next, 'commit')).toMatchObject({ snapshot, inserted: 2, deleted: 0 });
        child.kill(signal);
        const { code, stderr } = await end;
        expect(code).toBe(0);
        expect(stderr).toMatch(/^\nstopping … \(again to stop at once\); commits are kept\n$/);
        // a service may still end the step that it was in
        await vi.waitUntil(() => {
          const names = readdirSync(`${dataDir}/indexes`, { recursive: true, encoding: 'utf8' });
          return names.every((name) => !/lock|tmp/.test(name));
        });
        const status = await home.json<{ checkpoint: unknown }>(['index', 'status', 'notes']);
        expect(status.checkpoint).toMatchObject({ snapshot });
      },
    );

    it.skipIf(isBrief)(
      'stops in the middle of many snapshots at one of them, and the next one goes on',
      async () => {
        const snapshots: string[] = [];
        for (let i = 0; i < 6; i++) snapshots.push(await append(400));
        const child = started([...FOLLOW, '--json']);
        const end = ended(child);
        await event(linesOf(child), 'commit');
        child.kill('SIGTERM');
        expect((await end).code).toBe(0);
        const described = await home.json<{ snapshot: string }>(['index', 'describe', 'notes']);
        const at = snapshots.indexOf(described.snapshot);
        expect(at).toBeGreaterThanOrEqual(0);
        const synced = await home.json<SyncResponse>(['index', 'sync', 'notes']);
        // a service may have ended the step that it was in after its caller was gone
        const left = isRemote ? synced.snapshots_applied : 5 - at;
        expect(left).toBeLessThanOrEqual(5 - at);
        expect(synced).toMatchObject({
          ...{ snapshots_applied: left, inserted: 400 * left, doc_count: nextId - 1 },
        });
      },
    );

    it.skipIf(isBrief)('says a line for each commit, and an outage once', async () => {
      const child = started(FOLLOW);
      const end = ended(child);
      const next = linesOf(child);
      await append(1200);
      expect(await next()).toMatch(/^\d\d:\d\d:\d\d {2}\d+…\d+ {2}\w+ +\+1,200 {2,}[\d.]+ m?s$/);
      renameSync(home.path('lake'), home.path('away'));
      await new Promise<void>((told) => {
        child.stderr!.on('data', (text: Buffer) => {
          if (String(text).includes('is not a folder')) told();
        });
      });
      renameSync(home.path('away'), home.path('lake'));
      await append(1);
      expect(await next()).toMatch(/\+1 /);
      child.kill('SIGTERM');
      const { code, stderr } = await end;
      expect(code).toBe(0);
      expect(stderr.match(/is not a folder/g)?.length).toBe(1);
    });

    it.skipIf(isBrief)('takes over from one that was killed while it held the index', async () => {
      for (let i = 0; i < 6; i++) await append(300);
      const killed = started([...FOLLOW, '--json']);
      const end = ended(killed);
      await event(linesOf(killed), 'commit');
      killed.kill('SIGKILL');
      await end;
      const child = started([...FOLLOW, '--json']);
      const next = linesOf(child);
      await event(next, 'waiting');
      const described = await home.json<{ num_docs: number }>(['index', 'describe', 'notes']);
      expect(described.num_docs).toBe(nextId - 1);
    });

    it.skipIf(isBrief)('ends at once on the second signal', async () => {
      const child = started([...FOLLOW, '--json']);
      const end = ended(child);
      await event(linesOf(child), 'waiting');
      // Stopped, it takes both signals at once when it goes on: there is no end in order between
      // them.
      child.kill('SIGSTOP');
      await stopped(child.pid!);
      child.kill('SIGTERM');
      child.kill('SIGINT');
      child.kill('SIGCONT');
      await end;
      expect(child.signalCode).toBe('SIGINT');
      expect(await home.json(['index', 'sync', 'notes'])).toMatchObject({ snapshots_applied: 0 });
    });

    it.skipIf(isBrief)('names what it cannot mean', async () => {
      const [both, poll, alone] = await Promise.all([
        home.run([...FOLLOW, '--until', '1']),
        home.run(['index', 'sync', 'notes', '--follow', '--poll', 'soon']),
        home.run(['index', 'sync', 'notes', '--poll', '5']),
      ]);
      expect(both).toMatchObject({ code: 2, stdout: '' });
      expect(poll.code).toBe(2);
      expect(poll.stderr).toContain('--poll "soon" should be seconds, like 5 or 0.5');
      expect(alone.code).toBe(2);
    });
  });

  describe.skipIf(isBrief)('lhs index status', () => {
    it('shows where the table is, and what to do', async () => {
      await append(7);
      const { code, stdout } = await home.run(['index', 'status', 'notes']);
      expect(code).toBe(0);
      expect(lines(stdout)).toEqual([
        expect.stringMatching(
          /^notes {7}live, generation 1, [\d,]+ rows, [\d.]+ kB in \d+ segments?/,
        ),
        expect.stringMatching(
          /^checkpoint {2}snapshot \d{4}…\d{4} \(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\)$/,
        ),
        expect.stringMatching(
          /^table {7}1 snapshot ahead: \+7 -0 rows, newest \d+ (s|minutes?) old$/,
        ),
        'next        lhs index sync notes',
      ]);
      await home.json(['index', 'sync', 'notes']);
      const { stdout: done } = await home.run(['index', 'status', 'notes']);
      expect(done).toMatch(/^table {7}at the same snapshot, newest \d+ (s|minutes?) old$/m);
    });

    it('says what it knows where the table is away', async () => {
      renameSync(home.path('lake'), home.path('away'));
      const [text, wire, search] = await Promise.all([
        home.run(['index', 'status', 'notes']),
        home.json(['index', 'status', 'notes']),
        home.run(['search', 'notes', 'note']),
      ]);
      renameSync(home.path('away'), home.path('lake'));
      expect(text.code).toBe(0);
      expect(text.stdout.replace(/\s+/g, ' ')).toMatch(
        isRemote
          ? /table cannot be followed now: warehouse ".*lake" is not a folder/
          : /table cannot be followed now: table "ops.notes" is not in warehouse/,
      );
      expect(wire).toMatchObject({
        source_error: { code: isRemote ? 'source_unreachable' : 'source_not_found' },
      });
      expect(search.code).toBe(0);
      expect(search.stdout).toMatch(/the table cannot be reached \(snapshot/);
    });
  });

  describe('waiting for a snapshot', () => {
    it('is woken by the sync of another process', async () => {
      const snapshot = await append(1);
      const wanted = ['search', 'notes', 'note', '--snapshot-min', snapshot];
      const early = await home.run(wanted);
      expect(early.code).toBe(5);
      expect(early.stderr).toContain(`not yet at ${snapshot}`);
      const waiting = home.json<{ snapshot: string; lag_snapshots: number }>([
        ...wanted,
        '--wait',
        '60',
      ]);
      await home.json(['index', 'sync', 'notes']);
      expect(await waiting).toMatchObject({ snapshot, lag_snapshots: 0 });
    });

    it.skipIf(isBrief)('ends with exit code 5 when the time is over', async () => {
      const wanted = ['search', 'notes', 'note', '--snapshot-min', '1', '--wait', '1'];
      const late = await home.run(wanted);
      expect(late.code).toBe(5);
      expect(late.stderr).toContain('not yet at 1, after a wait of 1000 ms');
      const alone = await home.run(['search', 'notes', 'note', '--wait', '1']);
      expect(alone.code).toBe(2);
    });
  });
});
