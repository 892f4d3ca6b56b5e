// @module-tag campaign
// @module-tag slow
import { writeFileSync } from 'node:fs';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byEffort, everyNth, seedOfDay } from '../../../test/support/effort.ts';
import { startGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { Registry } from '../../engine/src/registry/registry.ts';
import { Home } from './child.ts';

/** Commands on a service: the answer is that of the embedded engine. */
const home = new Home();
let gateway: TestGateway;
beforeAll(async () => {
  await home.json(['demo']);
  const engine = { create: true, threads: 0, freshnessMs: 0 };
  gateway = await startGateway(await openEngine(home.path('data'), engine));
});
afterAll(async () => {
  await gateway.close();
  home.dispose();
});

const VOLATILE = /"(took_ms|lag_checked_ms|index_ms|hydration_ms|total_ms)": ?[\d.]+/g;
const shown = (text: string): string => text.replaceAll(VOLATILE, '"$1":0');
/** Keys come in the order of the fields in gRPC. */
const sorted = (text: string): unknown => JSON.parse(shown(text));

const COMMANDS: readonly (readonly string[])[] = [
  ['index', 'list'],
  ['index', 'describe', 'demo-incidents'],
  ['index', 'status', 'demo-incidents'],
  ['index', 'search', 'demo-incidents', 'timeout'],
  ['index', 'facets', 'demo-incidents', 'timeout', '--field', 'service'],
  ['index', 'suggest', 'demo-incidents', '--field', 'service', 'p'],
  ['index', 'parse', 'a:b'],
  ['index', 'analyze', '--analyzer', 'english', 'running'],
  ['index', 'export', 'demo-incidents'],
  ['jobs', 'list'],
  ['alias', 'list'],
  ['query', 'list'],
];

const withoutUrl = (text: string): string => text.replace(/ --url \S+$/gm, '');

describe('a command with --url', () => {
  it('types an index with the client that browsers load too', async () => {
    const words = ['index', 'types', 'demo-incidents', '--url', gateway.restUrl];
    expect((await home.run(words)).stdout).toContain("from '@lakehouse-search/client/rest';");
  });

  // a quarter of them each day, in campaigns all
  it.each(everyNth(COMMANDS, byEffort(4, 1), seedOfDay()).map((words) => words.join(' ')))(
    'prints what the embedded engine prints: %s',
    async (command) => {
      const words = command.split(' ');
      const [local, rest, grpc] = await Promise.all(
        [[], ['--url', gateway.restUrl], ['--url', gateway.grpcUrl]].map((flags) =>
          home.run([...words, ...flags, '--json']),
        ),
      );
      expect([local.code, local.stderr]).toEqual([0, '']);
      expect([rest.code, rest.stderr, shown(rest.stdout)]).toEqual([0, '', shown(local.stdout)]);
      const lines = (text: string) => text.trim().split('\n').map(sorted);
      expect([grpc.code, lines(grpc.stdout)]).toEqual([0, lines(local.stdout)]);
    },
  );

  it('points at the place of a fault in a query', async () => {
    const words = ['search', 'demo-incidents', 'titel:x AND service:billing'];
    const urls = [[], ['--url', gateway.restUrl], ['--url', gateway.grpcUrl]];
    const [local, ...remote] = await Promise.all(
      urls.map((flags) => home.run([...words, ...flags])),
    );
    expect(local.stderr).toMatch(/^ {2}titel:x AND service:billing\n {2}\^{5}$/m);
    const ends = remote.map(({ code, stderr }) => [code, withoutUrl(stderr)]);
    expect(ends).toEqual(Array(2).fill([2, local.stderr]));
    // the next command works where this one did
    expect(remote[0].stderr).toContain(`describe demo-incidents --url ${gateway.restUrl}\n`);
  });

  it('ends with the error and the exit code of the service', async () => {
    const words = ['index', 'search', 'nothing', 'x'];
    const [local, remote] = await Promise.all([
      home.run(words),
      home.run([...words, '--url', gateway.restUrl]),
    ]);
    expect([remote.code, withoutUrl(remote.stderr)]).toEqual([local.code, local.stderr]);
  });

  it('starts jobs of every kind in the service and does not wait for them', async () => {
    const env = { LHS_URL: gateway.restUrl };
    const client = gateway.client('rest');
    const detach = async (...words: readonly string[]) => {
      const started = await home.json<{ job_id: string }>([...words, '--detach'], { env });
      const records = await Array.fromAsync(client.watchJob({ job_id: started.job_id }));
      expect([words, records.at(-1)]).toEqual([words, expect.objectContaining({ state: 'done' })]);
      return records.at(-1);
    };
    const backups = home.path('backups');
    await detach('index', 'reindex', 'demo-incidents');
    const registry = new Registry(home.path('data'));
    const { definition } = registry.get('demo-incidents');
    registry.close();
    writeFileSync(home.path('next.yaml'), `${definition}\nkeep_previous: 3\n`);
    const altered = ['index', 'alter', 'demo-incidents', '-f', home.path('next.yaml'), '--apply'];
    expect(await detach(...altered)).toMatchObject({ result: { applied: true } });
    await detach('index', 'rollback', 'demo-incidents');
    await detach('index', 'compact', 'demo-incidents');
    await detach('index', 'upgrade', 'demo-incidents');
    const verified = await detach('index', 'verify', 'demo-incidents');
    expect(verified).toMatchObject({ result: { equal: true } });
    await detach('index', 'backup', 'demo-incidents', backups);
    const restored = ['index', 'restore', backups, '--index', 'demo-incidents', '--as', 'again'];
    expect(await detach(...restored)).toMatchObject({ result: { index: 'again' } });
  });

  it('is refused by name if it works on this machine alone', async () => {
    for (const words of [['doctor'], ['model', 'list'], ['source', 'rows', 'x'], ['version']]) {
      const { code, stderr } = await home.run([...words, '--url', gateway.restUrl]);
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining(`"lhs ${words.slice(0, 2).join(' ').replace(/ x$/, '')}" works on`),
      ]);
    }
  });

  it('uses the data folder that a flag names, whatever the environment says', async () => {
    const env = { LHS_URL: 'http://127.0.0.1:1' };
    const words = ['index', 'list', '--data-dir', home.path('data')];
    expect(await home.run(words, { env })).toMatchObject({ code: 0 });
  });
});
