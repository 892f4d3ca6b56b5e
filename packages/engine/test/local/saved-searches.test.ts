/** Saved queries of all modes: checked when saved, run as they were saved, rehearsed and restored. */
import type { ModeRequest, SavedQueryDraft, SearchResponse } from '@lakehouse-search/contract';
import { searchOfSaved } from '@lakehouse-search/contract/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FLOATS, schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const SCHEMA = schemaOf({ id: 'long', title: 'string', v: FLOATS });
const FIELDS = `fields:
  - { name: title, type: TEXT, cached: true }
  - { name: kind, type: KEYWORD, source: title, fast: true }
  - { name: meaning, type: VECTOR, source: title }
  - { name: v, type: VECTOR, dims: 2 }`;
const TITLES = ['disk full', 'door locked', 'badge refused at the door', 'slow disk', 'lamp out'];

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  const rows = TITLES.map((title, id) => ({ id, title, v: [id + 1, 1] }));
  await lake.create(SCHEMA, { rows });
  await lake.build(FIELDS);
});
afterAll(() => lake.close());

function run({ mode, request }: ModeRequest): Promise<SearchResponse> {
  if (mode === 'lexical') return lake.backend.search(request);
  return mode === 'semantic' ? lake.backend.semantic(request) : lake.backend.hybrid(request);
}

const near = { index: 't', vector_field: 'meaning', query_text: 'people cannot enter' };
const SUMMARIES = { facets: { fields: ['kind'] }, aggs: { all: { filter: '*:*' } } };
const DRAFTS: readonly SavedQueryDraft[] = [
  { name: 'words', request: { index: 't', query: 'disk', highlight: {}, ...SUMMARIES } },
  { name: 'meaning', mode: 'semantic', request: { ...near, k: 3, filter: 'title:door' } },
  { name: 'both', mode: 'hybrid', request: { ...near, weights: { lexical: 2 }, ...SUMMARIES } },
  {
    name: 'vector',
    mode: 'semantic',
    request: { index: 't', vector_field: 'v', query_vector: [1, 2] },
  },
];

describe('a saved search', () => {
  it.each(DRAFTS)('of $name runs as it was saved', async (draft) => {
    const saved = await lake.backend.createSavedQuery(draft);
    expect(saved).toMatchObject(draft);
    const listed = await lake.backend.listSavedQueries();
    expect(listed).toContainEqual(saved);
    const shown = ({ hits, total, facets, aggs }: SearchResponse) => ({
      hits,
      total,
      facets,
      aggs,
    });
    const own = { mode: draft.mode ?? 'lexical', request: draft.request } as ModeRequest;
    const answer = await run(searchOfSaved(saved));
    expect(answer.total).toBeGreaterThan(0);
    expect(shown(answer)).toEqual(shown(await run(own)));
  });

  it('keeps its mode unless the draft that replaces it has another', async () => {
    const { backend } = lake;
    const { id } = await backend.createSavedQuery({ name: 'r', mode: 'hybrid', request: near });
    const again = await backend.replaceSavedQuery({
      id,
      name: 'r',
      mode: 'semantic',
      request: near,
    });
    expect(again.mode).toBe('semantic');
    const lexical = await backend.replaceSavedQuery({ id, name: 'r', request: { index: 't' } });
    expect(lexical).not.toHaveProperty('mode');
  });

  it('is rehearsed in its mode', async () => {
    const { catalog } = lake.source;
    const source = `source: { catalog: ${JSON.stringify(catalog)}, table: a.t }`;
    const definition_yaml = `version: 1\nindex: t\n${source}\n${FIELDS}\n`;
    const { queries } = await lake.backend.rehearseAlter({ index: 't', definition_yaml });
    expect(queries.map(({ mode }) => mode)).toEqual(
      (await lake.backend.listSavedQueries()).map(({ mode = 'lexical' }) => mode),
    );
  });

  it.each<[object, string]>([
    [{ mode: 'fuzzy', request: {} }, '"mode" is "fuzzy"'],
    [{ mode: 'semantic', request: { query: 'x' } }, 'unknown request field "query"'],
    [{ request: { query_text: 'x' } }, 'unknown request field "query_text"'],
    [{ mode: 'semantic', request: { index: 't' } }, 'neither "query_text" nor "query_vector"'],
    [{ mode: 'semantic', request: { index: 't', query_text: 'x' } }, '"vector_field" is missing'],
    [{ mode: 'semantic', request: { ...near, vector_field: 'title' } }, '"title" is TEXT'],
    [{ mode: 'semantic', request: { ...near, vector_field: 'v' } }, 'field "v" has no model'],
    [
      { mode: 'semantic', request: { ...near, vector_field: 'v', query_vector: [1] } },
      'has 1 numbers',
    ],
    [
      { mode: 'hybrid', request: { ...near, lexical_fields: ['nix'] } },
      '"lexical_fields" names "nix"',
    ],
    [{ mode: 'hybrid', request: { ...near, filter: 'nix:1' } }, '"nix"'],
    [{ mode: 'hybrid', request: { ...near, facets: { fields: ['nix'] } } }, '"nix"'],
    [{ mode: 'hybrid', request: { ...near, pit_id: 'x' } }, '"request.pit_id" does not last'],
    [{ mode: 'semantic', request: { ...near, aggs: { a: { terms: { field: 'nix' } } } } }, '"nix"'],
  ])('is refused where it could not run: %#', async (draft, message) => {
    const whole = { name: 'bad', ...draft } as SavedQueryDraft;
    await expect(lake.backend.createSavedQuery(whole)).rejects.toThrow(message);
  });
});
