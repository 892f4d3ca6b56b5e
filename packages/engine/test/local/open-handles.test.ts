import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openFilesBelow } from '../../../../test/support/open-files.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const FILES = 8;
let lake: SmallLake;

beforeEach(async () => {
  lake = await openSmallLake();
  await lake.create({
    schemaId: 0,
    identifierFieldIds: [],
    fields: [
      { id: 1, name: 'id', required: true, type: { kind: 'long' } },
      { id: 2, name: 't', required: false, type: { kind: 'string' } },
    ],
  });
  await append(0);
  await lake.build('key: { identifier: [id] }\nfields: [{ name: t, type: TEXT }]');
  await append(1000);
});
afterEach(() => lake.close());

async function append(from: number): Promise<void> {
  for (let file = 0; file < FILES; file++) {
    const rows = Array.from({ length: 20 }, (_, i) => ({
      id: from + file * 20 + i,
      t: `row ${i}`,
    }));
    await lake.append(rows);
  }
}

/** Data files of the table that this process has open. */
const openFiles = (): string[] => openFilesBelow(join(lake.folder, 'lake'));

describe.skipIf(process.platform !== 'linux')('closing the engine', () => {
  it.each([0, 1, 3, 10, 30, 100])(
    'leaves no file of a table open (%i turns into searches, look-ups, verify and sync)',
    async (turns) => {
      const { backend } = lake;
      const keys = [3, 25, 99].map((id) => ({
        partition: [],
        identifier: [{ name: 'id', value: String(id) }],
      }));
      const work = [
        ...Array.from({ length: 5 }, (_, i) =>
          backend.search({ index: 't', query: `row ${i}`, hydrate: true, limit: 20 }),
        ),
        backend.getKeys({ index: 't', keys }),
        backend.verify({ index: 't' }),
        backend.sync({ index: 't' }),
      ];
      const settled = Promise.allSettled(work);
      for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
      await backend.close();
      await settled;
      // a read that was given up closes its file when it ends
      await vi.waitFor(() => expect(openFiles()).toEqual([]), 60_000);
    },
  );
});
