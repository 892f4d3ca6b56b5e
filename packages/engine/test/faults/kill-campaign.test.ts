// @module-tag campaign
// @module-tag slow
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byEffort, seedOfDay } from '../../../../test/support/effort.ts';
import { seededBelow } from '../../../../test/support/random.ts';
import type { Random } from '../power-loss/crash-states.ts';
import { expectSound, type Operation, Stage } from './operations.ts';
import { type ChildWork, openData } from './work.ts';

/**
 * Real processes that are killed (SIGKILL) at each call of an operation that changes something, and
 * at every other write with half of it done. A sample of the points, spread evenly: with
 * LHS_TEST_CAMPAIGN=1 more than 1,000 in all, with LHS_TEST_LONG=1 every one, with LHS_KILL_POINTS
 * so many a group. The seed is printed.
 */
const LONG = process.env.LHS_TEST_LONG === '1';
const SEED = Number(process.env.LHS_SEED ?? byEffort(20_261_121, seedOfDay()));
const ALL = Number.POSITIVE_INFINITY;
/** Points to be killed at, of a group that has a sample of `few` in the short run. */
const sampleSize = (few: number, campaign: number, many = ALL): number =>
  Number(process.env.LHS_KILL_POINTS ?? byEffort(Math.ceil(few / 2), campaign, many));
/** Points at which a process was killed, of all groups. */
let killedAt = 0;
const HOURS = 4 * 3_600_000;
const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.make(byEffort([1], [1, 3]));
}, 600_000);
afterAll(() => stage.dispose());

const childOf = (data: string, work: ChildWork, at = 0, how = 'WHOLE'): string[] => [
  '--import',
  path('../../../../test/support/from-source.ts'),
  path('./kill-child.ts'),
  data,
  JSON.stringify(work),
  String(at),
  how,
];

const isTiered = (kind: string): boolean => /^(tiers|window|erase)$/.test(kind);

/** What a child said before its end. */
interface Said {
  readonly killed: boolean;
  readonly acknowledged: number;
  readonly ended: boolean;
  readonly calls: readonly string[];
}

function readSaid(stdout: string, killed: boolean): Said {
  const [, dots = '', end = ''] = /^begin (\.*)(.*)$/s.exec(stdout) ?? [];
  const ended = end.startsWith(' end ');
  const calls = ended ? end.slice(5).split(' ').filter(Boolean) : [];
  return { killed, acknowledged: dots.length, ended, calls };
}

/** Runs a child to its end; one that ends otherwise than by being killed must have said all. */
function runChild(args: readonly string[], command = process.execPath): Said {
  const child = spawnSync(command, args, { encoding: 'utf8', timeout: 600_000 });
  const killed = child.signal === 'SIGKILL' || child.status === 137;
  const said = readSaid(child.stdout, killed);
  if (!killed && !said.ended) throw new Error(`the child failed: ${child.stderr.slice(0, 2000)}`);
  return said;
}

const acknowledgedBy = (operation: Operation, said: Said): number =>
  said.ended ? operation.states.length - 1 : said.acknowledged;

/** A place at which a process ends. */
interface Point {
  readonly operation: Operation;
  readonly at: number;
  readonly how: 'WHOLE' | 'HALF';
}

function pointsOf(operations: readonly Operation[]): readonly Point[] {
  return operations.flatMap((operation) => {
    const data = stage.copy(operation);
    const { calls } = runChild(childOf(data, operation.work));
    rmSync(data, { recursive: true });
    return calls.flatMap((kind, i): Point[] => {
      // A write is half done every other time; between two writes of one file little differs.
      return [{ operation, at: i + 1, how: kind === 'write' && i % 2 === 0 ? 'HALF' : 'WHOLE' }];
    });
  });
}

function sampleOf<T>(all: readonly T[], count: number, random: Random): readonly T[] {
  const step = Math.max(1, all.length / count);
  const first = random(Math.floor(step));
  return all.filter((_, i) => Math.floor((i - first) / step) > Math.floor((i - first - 1) / step));
}

async function killAt({ operation, at, how }: Point, random: Random): Promise<number> {
  const data = stage.copy(operation);
  let kills = 1;
  const said = runChild(childOf(data, operation.work, at, how));
  expect(said.killed).toBe(true);
  // Each fourth time the one that cleans up is killed too, and sometimes the next one.
  for (let again = 1; again <= 2 && random(4) === 0; again++) {
    const more = runChild(childOf(data, { kind: 'open' }, 1 + random(12)));
    if (more.killed) kills++;
  }
  await expectSound(data, operation, acknowledgedBy(operation, said));
  rmSync(data, { recursive: true });
  return kills;
}

/** Kills at a sample of the points; returns the number of all points of the chosen operations. */
async function campaign(name: string, operations: readonly Operation[], sample: number) {
  const random = seededBelow(SEED);
  // to count the points of an operation takes a process: with few kills, of as many operations
  const points = pointsOf(sampleOf(operations, sample, random));
  const chosen = sampleOf(points, sample, random);
  let kills = 0;
  for (const point of chosen) {
    const place = `${point.operation.name}, call ${point.at}, ${point.how}`;
    kills += await killAt(point, random).catch((cause: unknown) => {
      throw new Error(`${place}: ${(cause as Error).message}`, { cause });
    });
  }
  const byName = Map.groupBy(points, ({ operation }) => operation.name);
  const counts = [...byName].map(([operation, own]) => `${operation} ${own.length}`);
  console.log(
    `${name}: ${points.length} points (${counts.join('; ')}), killed at ` +
      `${chosen.length}, ${kills} kills in all, ` +
      `seed ${SEED}, 0 violations`,
  );
  killedAt += chosen.length;
  return points.length;
}

describe('operations ended by SIGKILL', () => {
  it(
    'at the points of syncs of one snapshot leaves the old commit or the new one',
    async () => {
      const steps = stage.operations.filter(({ name }) => /^sync \d/.test(name));
      const sample = sampleSize(1, 250);
      const points = await campaign('sync, one snapshot each', steps, sample);
      expect(points).toBeGreaterThanOrEqual(20 * Math.min(steps.length, sample));
    },
    HOURS,
  );

  it(
    'at points of longer syncs leaves the last acknowledged commit or a later one',
    async () => {
      const longer = stage.operations.filter(({ name }) => /^sync (back|of all)/.test(name));
      await campaign('sync, back and of all', longer, sampleSize(1, 150));
    },
    HOURS,
  );

  it(
    'at points of a reindex, and of one that is resumed after it, leaves the old state or the new',
    async () => {
      const builds = stage.operations.filter(({ work }) => /^re(index|sume)$/.test(work.kind));
      await campaign('reindex and resume', builds, sampleSize(1, 250));
    },
    HOURS,
  );

  it(
    'at the points of moves and rebuilds of windows, and of erasures, leaves a sound index',
    async () => {
      const tiered = stage.operations.filter(({ work }) => isTiered(work.kind));
      const points = await campaign('tiers, window and erase', tiered, sampleSize(1, 200));
      expect(points).toBeGreaterThanOrEqual(40);
    },
    HOURS,
  );

  it(
    'at the points of the other operations leaves the old state or the new one',
    async () => {
      const others = stage.operations.filter(
        ({ work }) => !/^(sync|re(index|sume))$/.test(work.kind) && !isTiered(work.kind),
      );
      await campaign('the others', others, sampleSize(2, 350));
    },
    HOURS,
  );

  it(
    'at moments at random leaves the old state or a later one',
    async () => {
      const random = seededBelow(SEED + 1);
      const operations = stage.operations.filter(({ name }) =>
        /of all|compact|upgrade|reindex|tiers|window|erase/.test(name),
      );
      const moments = sampleSize(2, 100, 400);
      let killed = 0;
      for (let i = 0; i < moments; i++) {
        const operation = operations[i % operations.length];
        const data = stage.copy(operation);
        const said = await killLater(childOf(data, operation.work, 0, 'FREE'), random(600));
        if (said.killed) killed++;
        await expectSound(data, operation, acknowledgedBy(operation, said));
        rmSync(data, { recursive: true });
      }
      killedAt += killed;
      console.log(
        `moments at random: ${killed} of ${moments} children were killed before their end`,
      );
    },
    HOURS,
  );

  it('is tried at 1,000 points and more in a campaign', () => {
    console.log(`killed at ${killedAt} points of all operations, 0 violations`);
    if (process.env.LHS_KILL_POINTS !== undefined) return;
    expect(killedAt).toBeGreaterThanOrEqual(byEffort(5, 1000));
  });
});

/** Kills a child a while after it has begun. */
function killLater(args: readonly string[], afterMs: number): Promise<Said> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  let timer: NodeJS.Timeout | undefined;
  child.stdout.on('data', (bytes: Buffer) => {
    text += bytes;
    timer ??= setTimeout(() => child.kill('SIGKILL'), afterMs);
  });
  return new Promise((resolve) => {
    child.once('close', (_, signal) => {
      clearTimeout(timer);
      resolve(readSaid(text, signal === 'SIGKILL'));
    });
  });
}

const strace = spawnSync('strace', ['-V']).status === 0;
if (!strace) console.log('kills by strace: skipped, strace is not installed');

describe.skipIf(!strace || byEffort(true, false))(
  'operations ended by SIGKILL in native code (strace)',
  () => {
    const CALLS = 'fsync,fdatasync,rename,unlink,link,mkdir,rmdir,ftruncate,pwrite64';
    const traced = (when: number, data: string, work: ChildWork) => [
      ...['-f', '-qq', '-o', '/dev/null', '-e', `trace=${CALLS}`],
      ...(when > 0 ? ['-e', `inject=${CALLS}:signal=KILL:when=${when}`] : []),
      process.execPath,
      ...childOf(data, work, 0, 'FREE'),
    ];

    it(
      'at system calls of operations leaves the old state or a later one',
      async () => {
        const random = seededBelow(SEED + 2);
        const chosen = LONG
          ? stage.operations
          : [stage.operations[random(stage.operations.length)]];
        let kills = 0;
        for (const operation of chosen) {
          // further apart the more calls there are
          for (let when = 1; ; when += LONG ? 3 : Math.max(20, when >> 2)) {
            const data = stage.copy(operation);
            const said = runChild(traced(when, data, operation.work), 'strace');
            await expectSound(data, operation, acknowledgedBy(operation, said));
            rmSync(data, { recursive: true });
            if (!said.killed) break;
            kills++;
          }
        }
        console.log(`kills by strace: ${kills}, 0 violations`);
      },
      HOURS,
    );

    it(
      'while an index is made, renamed, cloned or dropped leaves all of it or nothing',
      async () => {
        const create: ChildWork = { kind: 'create', definition: stage.table.definition };
        let kills = 0;
        for (const work of [create, ...(['rename', 'clone', 'drop'] as const).map(ofKind)]) {
          for (let when = 1; ; when += LONG ? 1 : 8) {
            const data = join(stage.folder, `registry-${work.kind}-${when}`);
            mkdirSync(data);
            if (work.kind !== 'create') await withIndex(data);
            const said = runChild(traced(when, data, work), 'strace');
            await expectRegistry(data, said.ended ? INDEXES_AFTER[work.kind] : null);
            rmSync(data, { recursive: true });
            if (!said.killed) break;
            kills++;
          }
        }
        console.log(`kills of create, rename, clone and drop by strace: ${kills}, 0 violations`);
      },
      HOURS,
    );
  },
);

async function withIndex(data: string): Promise<void> {
  const backend = await openData(data);
  await backend.createIndex({ definition: stage.table.definition, base_dir: '/' });
  await backend.reindex({});
  await backend.close();
}

const INDEXES_AFTER = { create: 1, rename: 1, clone: 2, drop: 0 } as const;
const ofKind = <K extends 'rename' | 'clone' | 'drop'>(kind: K) => ({ kind });

/** The registry opens with the index or without it (`count` where it is known), and works. */
async function expectRegistry(data: string, count: number | null): Promise<void> {
  const backend = await openData(data);
  const indexes = await backend.listIndexes();
  if (count !== null) expect(indexes).toHaveLength(count);
  if (indexes.some(({ name }) => name === 'clone')) {
    expect(await backend.verify({ index: 'clone', deep: true })).toMatchObject({ equal: true });
    await backend.dropIndex({ index: 'clone' });
  }
  if (indexes.length === 0)
    await backend.createIndex({ definition: stage.table.definition, base_dir: '/' });
  await backend.reindex({});
  expect((await backend.search({ limit: 1 })).total).toBeGreaterThan(0);
  const { index } = await backend.describeIndex({});
  expect(['t', 'renamed']).toContain(index);
  await backend.dropIndex({ index });
  await backend.close();
  expect(readdirSync(data).sort()).toEqual(['indexes', 'registry.db']);
  expect(readdirSync(join(data, 'indexes')), 'I5: folders of what was dropped').toEqual([]);
}
