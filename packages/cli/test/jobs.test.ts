// @module-tag campaign
import { fileURLToPath } from 'node:url';
import type { Job } from '@lakehouse-search/engine';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { appendRows, createTable } from '@lakehouse-search/lake';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { byEffort } from '../../../test/support/effort.ts';
import { startGateway } from '../../../test/support/gateway.ts';
import { RestCatalog } from '../../../test/support/rest-catalog.ts';
import { schemaOf } from '../../../test/support/schema.ts';
import { Home, LHS } from './child.ts';
import { describeOnBackends } from './on-backend.ts';
import { hasTmux, Pane } from './tmux.ts';

/** An index over a table whose catalog can stop answering, so that a build waits. */
const SCHEMA = schemaOf({ id: 'long', title: 'string' });
let catalog: RestCatalog;
const home = new Home();
beforeAll(async () => {
  const rows = Array.from({ length: 20 }, (_, id) => ({ id, title: `row ${id}` }));
  const files = { type: 'filesystem', warehouse: home.path('lake') } as const;
  await createTable(files, 'ops.notes', { schema: SCHEMA });
  await appendRows({ catalog: files, table: 'ops.notes' }, { kind: 'rows', rows });
  catalog = new RestCatalog(home.path('lake', 'ops', 'notes'));
  const uri = await catalog.listen();
  const definition = `version: 1
index: notes
source: { catalog: { type: rest, uri: "${uri}" }, table: ops.notes }
fields:
  - { name: title, type: TEXT }
`;
  const backend = await openEngine(home.path('data'), { create: true, threads: 0 });
  await backend.createIndex({ definition, base_dir: home.folder });
  await backend.close();
});
afterEach(() => {
  catalog.hangs = false;
});
afterAll(async () => {
  await catalog.close();
  home.dispose();
});

const jobs = async (...flags: readonly string[]) =>
  (await home.json<{ jobs: readonly Job[] }>(['jobs', 'list', ...flags])).jobs;
const show = (id: string) => home.json<Job>(['jobs', 'show', id]);

describeOnBackends('a detached reindex', home, ({ isBrief, isRemote }) => {
  it.skipIf(isBrief)('returns at once, and can be watched to its end', async () => {
    const started = await home.json<Job>(['index', 'reindex', 'notes', '--detach']);
    expect(started).toMatchObject({ kind: 'reindex', index: 'notes' });
    const watched = await home.run(['jobs', 'watch', started.job_id, '--json']);
    expect(watched.code).toBe(0);
    const records = watched.stdout.trim().split('\n');
    expect(JSON.parse(records.at(-1) ?? '')).toMatchObject({
      state: 'done',
      result: { doc_count: 20 },
    });
    expect(await jobs('--state', 'done')).toContainEqual(
      expect.objectContaining({ job_id: started.job_id }),
    );
    const shown = await home.run(['jobs', 'show', started.job_id]);
    expect(shown.stdout).toMatch(/^state +done$/m);
    expect((await home.run(['jobs', 'list'])).stdout).toContain(started.job_id);
    expect(await home.run(['search', 'notes', 'row'])).toMatchObject({ code: 0, stderr: '' });
  });

  it('is refused with the job that runs, and canceled by another process', async () => {
    catalog.hangs = true;
    const { job_id } = await home.json<Job>(['index', 'reindex', 'notes', '--detach']);
    const second = await home.run(['index', 'reindex', 'notes', '--detach']);
    expect(second.code).toBe(5);
    expect(second.stderr).toContain(`lhs jobs watch ${job_id}`);
    const dropped = await home.run(['index', 'drop', 'notes', '--yes']);
    expect(dropped.code).toBe(5);
    if (!isRemote) expect((await show(job_id)).owner?.pid).toBeGreaterThan(0);
    await home.json(['jobs', 'cancel', job_id]);
    const watched = await home.run(['jobs', 'watch', job_id]);
    expect(watched.code).toBe(130);
    expect(watched.stderr).toContain('the job was canceled');
    expect(await show(job_id)).toMatchObject({ state: 'canceled' });
    const again = await home.run(['jobs', 'cancel', job_id]);
    expect(again.stdout).toContain('the job is canceled');
  });

  it.skipIf(isRemote)('whose process is killed is failed', async () => {
    catalog.hangs = true;
    const { job_id, owner } = await home.json<Job>(['index', 'reindex', 'notes', '--detach']);
    process.kill(owner?.pid ?? 0, 'SIGKILL');
    const watched = await home.run(['jobs', 'watch', job_id]);
    expect(watched.code).toBe(130);
    expect(await show(job_id)).toMatchObject({
      state: 'failed',
      error: { message: expect.stringContaining(`process ${owner?.pid}`) },
    });
    catalog.hangs = false;
    expect(await home.json(['index', 'reindex', 'notes'])).toMatchObject({ doc_count: 20 });
  });

  it.skipIf(isBrief)('that cannot start says why', async () => {
    const missing = await home.run(['index', 'reindex', 'nonsense', '--detach']);
    expect([missing.code, missing.stderr]).toEqual([3, expect.stringContaining('"nonsense"')]);
    const wrong = await home.run(['jobs', 'show', 'nonsense']);
    expect([wrong.code, wrong.stderr]).toEqual([3, expect.stringContaining('lhs jobs list')]);
    expect((await home.run(['jobs', 'run'])).code).toBe(2);
    expect((await home.run(['index', 'reindex', 'notes', '--resume'])).code).toBe(3);
  });
});

describe.skipIf(!hasTmux)('Ctrl-C during a job on a terminal', () => {
  const FROM = fileURLToPath(new URL('..', import.meta.url));
  const panes: Pane[] = [];
  afterEach(() => {
    for (const pane of panes.splice(0)) pane.dispose();
  });

  /** A terminal on which a command waits for the table and has been asked to stop. */
  async function asked(command: string): Promise<Pane> {
    catalog.hangs = true;
    const script = `cd ${FROM}; ${process.execPath} ${LHS} ${command}; echo "exit $?"; cat`;
    const pane = new Pane(100, 20, script, {
      LHS_DATA_DIR: home.path('data'),
      XDG_CONFIG_HOME: home.path('config'),
      XDG_CACHE_HOME: home.path('cache'),
    });
    panes.push(pane);
    await pane.until(/Ctrl-C: detach or cancel/);
    pane.press('C-c');
    await pane.until(/stop watching\?/);
    return pane;
  }

  const newest = async () => (await jobs('--limit', '1'))[0];

  it('detaches the job on request', async () => {
    const pane = await asked('index reindex notes');
    pane.press('d', 'Enter');
    expect(await pane.until(/exit \d+/)).toMatch(/job [0-9a-f-]{36} goes on.*exit 0/s);
    const { job_id, state } = await newest();
    expect(state).toBe('building');
    await home.json(['jobs', 'cancel', job_id]);
    await home.run(['jobs', 'watch', job_id]);
  });

  it('cancels the job on request', async () => {
    const pane = await asked('index reindex notes');
    pane.press('c', 'Enter');
    expect(await pane.until(/exit \d+/)).toMatch(/the live generation is untouched.*exit 130/s);
    expect(await newest()).toMatchObject({ state: 'canceled' });
  });

  const more = it.runIf(byEffort(false, true));

  more('a second time ends the command and cancels the job', async () => {
    const pane = await asked('index reindex notes');
    pane.press('C-c');
    await expect.poll(async () => (await newest()).state).toBe('canceled');
  });

  more('asks for every kind of job, such as verify', async () => {
    await home.json(['index', 'reindex', 'notes']);
    const pane = await asked('index verify notes');
    pane.press('c', 'Enter');
    expect(await pane.until(/exit \d+/)).toMatch(/nothing was changed.*exit 130/s);
    expect(await newest()).toMatchObject({ kind: 'verify', state: 'canceled' });
  });

  more('detaches, or cancels a second time, a job of a service', async () => {
    const engine = { create: true, threads: 0, freshnessMs: 0 };
    const gateway = await startGateway(await openEngine(home.path('data'), engine));
    try {
      const command = `index reindex notes --url ${gateway.restUrl}`;
      const detached = await asked(command);
      detached.press('d', 'Enter');
      expect(await detached.until(/exit \d+/)).toMatch(/goes on.*exit 0/s);
      const { job_id, state } = await newest();
      expect(state).toBe('building');
      await home.json(['jobs', 'cancel', job_id]);
      await home.run(['jobs', 'watch', job_id]);
      (await asked(command)).press('C-c');
      await expect.poll(async () => (await newest()).state).toBe('canceled');
      expect((await newest()).job_id).not.toBe(job_id);
    } finally {
      await gateway.close();
    }
  });
});
