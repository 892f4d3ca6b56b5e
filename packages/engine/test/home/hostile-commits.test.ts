/** A data folder that follows a store to which somebody else has written. */
import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { appendRows } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import { SYSTEM_CLOCK } from '../../src/base/time/clock.ts';
import {
  appendCommit,
  bundleKey,
  bundleName,
  newestCommit,
  readHead,
} from '../../src/home/chain.ts';
import { commitInputs, makeBundle } from '../../src/home/make-bundle.ts';
import { pinForCopy } from '../../src/home/pinned-commit.ts';
import { openHome } from '../../src/home/repository.ts';
import { type Commit, commitFileOf } from '../../src/index/commits/commit.ts';
import { openLocalDirectory } from '../../src/storage/local-directory.ts';

let lake: SmallLake;
beforeEach(async () => {
  lake = await openSmallLake();
  await lake.create(schemaOf({ id: 'string' }));
  await appendRows(lake.source, { kind: 'rows', rows: [{ id: 'k1' }] });
  await lake.define(FIELDS);
  await lake.backend.reindex({ index: 't' });
});
afterEach(() => lake.close());

const FIELDS = 'storage: ./home\nfields: [{ name: id, type: KEYWORD }]';

/** The commit with another name of its first file. */
function renamed(commit: Commit, file: string): Commit {
  const [{ components, ...segment }] = commit.segments as [Commit['segments'][0]];
  const [first, ...rest] = components as [(typeof components)[0]];
  return {
    ...commit,
    segments: [{ ...segment, components: [{ ...first, file }, ...rest] }],
  };
}

/** What differs between what the commit says of a file and where its bytes are. */
interface Lie {
  /** Its name in the commit of the index. */
  readonly named: string;
  /** Its name in the published commit; null: it is not there. */
  readonly listed: string | null;
  /** Its name in the bundle. */
  readonly bundled: string;
}

/** Publishes the commit of the index with a wrong name of its first file. */
async function publish({ named, listed, bundled }: Lie): Promise<void> {
  const home = await openHome(join(lake.folder, 'home'));
  const newest = (await newestCommit(home, (await readHead(home, 't'))!))!;
  const [uuid = ''] = readdirSync(join(lake.backend.dataDir, 'indexes'));
  const folder = join(lake.backend.dataDir, 'indexes', uuid);
  const clock = SYSTEM_CLOCK;
  const pinned = pinForCopy({ index: 't', folder, openDirectory: openLocalDirectory, clock });
  const commit = renamed(pinned.commit, named);
  const was = pinned.commit.segments[0]!.components[0]!.file;
  const inputs = commitInputs({ ...pinned, bytes: commitFileOf(commit) }, openLocalDirectory);
  const bundle = await makeBundle(
    inputs.map((input) => (input.name === was ? { ...input, name: bundled } : input)),
  );
  const [number, attempt] = [newest.number + 1, randomUUID()];
  const object = bundleName(number, attempt);
  await home.store.put(bundleKey(newest.uuid, { object }), bundle.parts, { condition: 'absent' });
  const names = inputs.flatMap(({ name }) => (name === was ? (listed ?? []) : name));
  const files = Object.fromEntries(names.map((name) => [name, 0]));
  const bundles = [{ ...bundle.ref, object }];
  await appendCommit(home, { ...newest, number, attempt, bundles, files });
  pinned.release();
}

describe('a data folder', () => {
  it.each<Lie>([
    { named: '../stolen', listed: '../stolen', bundled: '../stolen' },
    { named: '../stolen', listed: null, bundled: '../stolen' },
    { named: 'other', listed: null, bundled: 'other' },
    { named: 'other', listed: 'other', bundled: 'another' },
  ])('takes no file of another name from its store: %o', async (lie) => {
    await publish(lie);
    const folder = join(lake.folder, 'second');
    const engine = await openEngine(folder, { create: true, threads: 0 });
    const source = `{ catalog: ${JSON.stringify(lake.source.catalog)}, table: a.t }`;
    const definition = `version: 1\nindex: t\nsource: ${source}\n${FIELDS}\n`;
    await engine.createIndex({ definition, base_dir: lake.folder });
    await expect(engine.sync({ index: 't' })).rejects.toHaveProperty('code', 'corrupt_index');
    await engine.close();
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    expect(files.filter((name) => name.endsWith('stolen'))).toEqual([]);
  });
});
