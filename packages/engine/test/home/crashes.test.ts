// @module-tag campaign
/** A process that is killed at any request of what it does with an index in an object store. */
import { LhsError } from '@lakehouse-search/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byEffort, everyNth, seedOfDay } from '../../../../test/support/effort.ts';
import {
  CrashWorld,
  contentsOf,
  type Engine,
  ERASED,
  type Moment,
  OTHER,
  PLACE,
  VAULT,
} from './crash-world.ts';

let world: CrashWorld;
let begin: Moment;
/** What readers may find: before and after the newest commit of the table. */
let before: readonly string[];
let after: readonly string[];
beforeAll(async () => {
  world = await CrashWorld.open();
  begin = await world.begin();
  before = await world.read(PLACE, 't');
  await world.withCopy(begin, ({ engine }) => engine.sync({ index }));
  after = await world.read(PLACE, 't');
});
afterAll(() => world.close());

const index = 't';
const keys = [{ identifier: [{ name: 'id', value: ERASED }] }];

/** What a process does, and what it has done before. */
interface Deed {
  readonly first?: (engine: Engine) => Promise<unknown>;
  readonly run: (engine: Engine) => Promise<unknown>;
  /** What is true once it was done. */
  readonly check?: (engine: Engine) => Promise<void>;
}

const isErased =
  (...backups: readonly string[]) =>
  async (engine: Engine): Promise<void> => {
    const { remains } = await engine.checkErasure({ index, keys, backups });
    expect(remains).toEqual([]);
  };

const DEEDS: Readonly<Record<string, Deed>> = {
  sync: { run: (engine) => engine.sync({ index }) },
  'sync with a sweep': {
    first: async (engine) => {
      await engine.compact({ index });
      world.pass();
    },
    run: (engine) => engine.sync({ index }),
  },
  reindex: { run: (engine) => engine.reindex({ index }) },
  compact: { run: (engine) => engine.compact({ index }) },
  branch: { run: (engine) => engine.cloneIndex({ index, name: 'b' }) },
  'drop of a branch': {
    first: (engine) => engine.cloneIndex({ index, name: 'b' }),
    run: (engine) => engine.dropIndex({ index: 'b' }),
  },
  'drop of what has a branch': {
    first: (engine) => engine.cloneIndex({ index, name: 'b' }),
    run: (engine) => engine.dropIndex({ index }),
  },
  'move to another store': { run: (engine) => engine.moveIndex({ index, storage: OTHER }) },
  'move to the data folder': { run: (engine) => engine.moveIndex({ index }) },
  'move from the data folder': {
    first: (engine) => engine.moveIndex({ index }),
    run: (engine) => engine.moveIndex({ index, storage: OTHER }),
  },
  'move back': {
    first: (engine) => engine.moveIndex({ index }),
    run: (engine) => engine.moveIndex({ index, storage: PLACE }),
  },
  rename: { run: (engine) => engine.renameIndex({ index, name: 'u' }) },
  drop: { run: (engine) => engine.dropIndex({ index }) },
  backup: { run: (engine) => engine.backup({ index, target: VAULT }) },
  'backup at home': { run: (engine) => engine.backup({ index, target: PLACE }) },
  'prune at home': {
    first: async (engine) => {
      for (let n = 0; n < 2; n++) {
        await engine.backup({ index, target: PLACE });
        await engine.compact({ index });
      }
    },
    run: (engine) => engine.pruneBackups({ target: PLACE, keep: 1 }),
  },
  restore: {
    first: (engine) => engine.backup({ index, target: VAULT }),
    run: (engine) => engine.restore({ index, target: VAULT, as: 'r' }),
  },
  erase: { run: (engine) => engine.runErasure({ index, keys }), check: isErased() },
  'erase with a backup': {
    first: (engine) => engine.backup({ index, target: PLACE }),
    run: (engine) => engine.runErasure({ index, keys, backups: [PLACE], replace_backups: true }),
    check: isErased(PLACE),
  },
};

/** What was done already, or cannot be done any more. */
const DONE = /^(index_not_found|index_exists|already_exists|not_found)$/;

/** Another process came first. */
const OVERTAKEN = /^(index_busy|index_not_found|already_exists|not_found)$/;

const PLACES = [PLACE, OTHER];

const unless = (codes: RegExp) => (error: unknown) => {
  if (error instanceof LhsError && codes.test(error.code)) return;
  throw error;
};
const unlessDone = unless(DONE);
const unlessOvertaken = unless(OVERTAKEN);

/** Each reader of each index finds it as expected. */
async function readAll(expected: readonly (readonly string[])[]): Promise<void> {
  for (const place of PLACES) {
    for (const name of world.namesIn(place)) {
      expect(expected, `${place}/${name}`).toContainEqual(await world.read(place, name));
    }
  }
}

/** The one who goes on in the folder of the killed process. */
const goOn = (moment: Moment, { run, check }: Deed): Promise<void> =>
  world.withCopy(moment, async ({ engine }) => {
    await run(engine).catch(unlessDone);
    await check?.(engine);
    await catchUp(engine);
    const names = (await engine.listIndexes()).map(({ name }) => name);
    const there = PLACES.flatMap((place) => world.namesIn(place));
    expect(names).toEqual(expect.arrayContaining(there));
    await leavesNothing();
  });

/** All indexes of a data folder, and their readers, have what the table has. */
async function catchUp(engine: Engine): Promise<void> {
  for (const { name } of await engine.listIndexes()) await engine.sync({ index: name });
  // a sync may have followed the index to another name
  for (const { name } of await engine.listIndexes()) {
    expect(await contentsOf(engine, name)).toEqual(after);
  }
  await readAll([after]);
}

async function leavesNothing(): Promise<void> {
  world.pass();
  for (const place of [...PLACES, VAULT]) {
    await world.sweep(place);
    expect(world.garbage(place)).toEqual([]);
  }
}

/** What a deed begins with. */
async function ready({ first }: Deed): Promise<Moment> {
  world.setStore(begin.objects);
  return world.withCopy(begin, async ({ engine, folder }) => {
    await first?.(engine);
    return world.moment('ready', folder);
  });
}

/** The moments of a deed at which a process may be killed. */
async function momentsOf(moment: Moment, { run }: Deed): Promise<readonly Moment[]> {
  world.setStore(moment.objects);
  return world.withCopy(moment, ({ engine, folder }) => world.crashes(folder, () => run(engine)));
}

const STEP = byEffort(80, 4, 1);

/** Tries a deed at some of its moments, which are others each day. */
async function atSome<T extends { readonly what: string }>(
  all: readonly T[],
  work: (moment: T, n: number) => Promise<void>,
): Promise<void> {
  for (const [n, moment] of everyNth([...all.entries()], STEP, seedOfDay() % STEP)) {
    await work(moment, n).catch((error: unknown) => {
      throw new Error(`at ${n}, ${moment.what}: ${String(error)}`, { cause: error });
    });
  }
}

describe.each(Object.entries(DEEDS))('an index in a store: %s', (_, deed) => {
  let moment: Moment;
  let moments: readonly Moment[];
  let requests: readonly Moment[];
  beforeAll(async () => {
    moment = await ready(deed);
    moments = await momentsOf(moment, deed);
    requests = moments.filter(({ isRequest }) => isRequest);
  });

  it('is whole when its process is killed', () =>
    atSome(moments, async (killed) => {
      world.setStore(killed.objects);
      await readAll([before, after]);
      await goOn(killed, deed);
    }));

  it('is not overwritten by a process that slept while another one committed', () =>
    atSome(requests, async (_, n) => {
      world.setStore(moment.objects);
      await sleepAt(n, moment, deed);
    }));

  it('is whole when an answer is lost', () =>
    atSome(requests, async (_, n) => {
      world.setStore(moment.objects);
      await world.withCopy(moment, async ({ engine }) => {
        await world.withoutAnswer(n, () => deed.run(engine));
        await deed.check?.(engine);
        await catchUp(engine);
      });
      await leavesNothing();
    }));
});

/** A process sleeps at a request; one with a copy of its folder commits, then it wakes up. */
const sleepAt = (n: number, moment: Moment, { run }: Deed): Promise<void> =>
  world.withCopy(moment, ({ engine: sleeper }) =>
    world.withCopy(moment, async ({ engine: other }) => {
      let written: ReadonlyMap<string, string> = new Map();
      const meanwhile = async () => {
        if (n % 3 === 0) world.pass();
        await (n % 2 === 0 ? other.sync({ index }) : other.reindex({ index })).catch(
          unlessOvertaken,
        );
        written = world.written();
      };
      const error = await world.paused(n, () => run(sleeper), meanwhile);
      if (error !== null) unlessOvertaken(error);
      for (const [key, etag] of world.written()) expect(etag, key).toBe(written.get(key) ?? etag);
      await readAll([before, after]);
      for (const engine of [sleeper, other]) {
        for (const { name } of await engine.listIndexes()) {
          await engine.sync({ index: name }).catch(unlessOvertaken);
        }
        for (const { name } of await engine.listIndexes()) {
          expect([before, after]).toContainEqual(await contentsOf(engine, name));
        }
      }
      await readAll([after]);
      await leavesNothing();
    }),
  );
