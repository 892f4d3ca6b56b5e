/** Each bit of the small objects of a place, flipped in its store. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { appendRows } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import { readCommitAt, readHead, whereMoved } from '../../src/home/chain.ts';
import { pinnedCommits } from '../../src/home/pins.ts';
import { isRepository, openHome } from '../../src/home/repository.ts';
import type { Home } from '../../src/home/stored-json.ts';

let lake: SmallLake;
let place: string;
beforeEach(async () => {
  lake = await openSmallLake();
  place = join(lake.folder, 'home');
  await lake.create(schemaOf({ id: 'string' }));
  await appendRows(lake.source, { kind: 'rows', rows: [{ id: 'k0' }] });
  await lake.define(`storage: ${place}\nfields: [{ name: id, type: KEYWORD }]`);
  await lake.backend.reindex({ index: 't' });
  await lake.backend.cloneIndex({ index: 't', name: 'b' });
  await lake.backend.cloneIndex({ index: 't', name: 'm' });
  await lake.backend.moveIndex({ index: 'm', storage: join(lake.folder, 'other') });
});
afterEach(() => lake.close());

/** The small objects of an index, and who reads each. */
const readers = (home: Home, uuid: string): Readonly<Record<string, () => Promise<unknown>>> => ({
  'repository.json': () => isRepository(home),
  'indexes/t': async () => ({ ...(await readHead(home, 't')), etag: null }),
  [`families/${uuid}/commits/000000000001`]: () => readCommitAt(home, uuid, 1),
  'moved/m': () => whereMoved(home, 'm'),
  [`pins/${uuid}`]: () => pinnedCommits(home, uuid),
});

/** The bytes with each of their bits flipped in turn. */
function* flippedBits(bytes: Buffer): Generator<Buffer> {
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const flipped = Buffer.from(bytes);
    flipped[bit >> 3]! ^= 1 << (bit & 7);
    yield flipped;
  }
}

const textOrCode = (read: () => Promise<unknown>): Promise<string> =>
  read().then(
    (found) => JSON.stringify(found),
    ({ code }) => code,
  );

describe('a flipped bit', () => {
  it('of a small object is found, or changes nothing', async () => {
    const home = await openHome(place);
    const { uuid } = (await readHead(home, 't'))!;
    for (const [key, read] of Object.entries(readers(home, uuid))) {
      const folder = join(place, key);
      const path = key.startsWith('pins') ? join(folder, readdirSync(folder)[0]!) : folder;
      const bytes = readFileSync(path);
      const found = new Set(['corrupt_index', await textOrCode(read)]);
      for (const flipped of flippedBits(bytes)) {
        writeFileSync(path, flipped);
        found.add(await textOrCode(read));
      }
      writeFileSync(path, bytes);
      expect([...found], key).toEqual(['corrupt_index', await textOrCode(read)]);
    }
  });
});
