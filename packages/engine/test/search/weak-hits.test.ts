/** Hits by meaning that are about something else are called weak. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const TITLES = ['Expired certificate on the gateway', 'Search ran out of database connections'];

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  const rows = TITLES.map((title, i) => ({ id: String(i), title }));
  await lake.create(schemaOf({ id: 'string', title: 'string' }), { rows });
  await lake.build(`key: { identifier: [id] }
fields:
  - { name: title, type: TEXT }
  - { name: meaning, type: VECTOR, source: title, model: default }`);
});
afterAll(() => lake.close());

describe('a search by meaning', () => {
  it.each(['the certificate has expired', 'too many connections to the database'])(
    'of a subject of the rows has no note: %s',
    async (query_text) => {
      expect(await lake.backend.semantic({ query_text })).not.toHaveProperty('notes');
      expect(await lake.backend.hybrid({ query_text })).not.toHaveProperty('notes');
    },
  );

  it.each(['quantum chromodynamics', 'Kunden wurden doppelt belastet', 'データベースが遅い'])(
    'of another subject or language is weak: %s',
    async (query_text) => {
      const { notes = [] } = await lake.backend.semantic({ query_text });
      expect(notes).toEqual([expect.stringMatching(/^weak: .*similarity of -?0\.[012]/)]);
      expect((await lake.backend.hybrid({ query_text })).notes).toEqual([
        `no row has a word of "${query_text}"`,
        ...notes,
      ]);
    },
  );

  it('names a word that no row and no model has', async () => {
    const query_text = 'expired certificate on the gateway, Zertifikat';
    const note =
      'perhaps weak: no row has "Zertifikat", nor has the model "default", ' +
      'which knows English only';
    expect((await lake.backend.semantic({ query_text })).notes).toEqual([note]);
    expect((await lake.backend.hybrid({ query_text })).notes).toEqual([note]);
  });

  it('of other words for a subject of the rows has no note', async () => {
    const query_text = 'employees expired outside the gateway entrance';
    expect(await lake.backend.hybrid({ query_text })).not.toHaveProperty('notes');
  });

  it('of no row that the filter leaves', async () => {
    const request = { query_text: 'quantum', filter: 'title:expired' };
    const { notes = [] } = await lake.backend.hybrid(request);
    expect(notes[0]).toBe('no row that passes the filter has a word of "quantum"');
  });
});
