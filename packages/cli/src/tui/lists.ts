import type { IndexDescription, QueryTree, SavedQuery } from '@lakehouse-search/contract';
import {
  type BackendApi,
  joinedQuery,
  queryValue,
  searchOfSaved,
} from '@lakehouse-search/contract/internal';
import { fieldsOfFewValues } from '../search/few-values.ts';
import { displayColumns } from '../search/lines/display-columns.ts';
import { bytes, count, plural } from '../terminal/figures.ts';
import { facetsOf } from './requests.ts';
import { EVERYTHING, keptSearch, restored, type ScreenIndex } from './state/question.ts';
import {
  type Choice,
  isProse,
  type ListKind,
  question,
  type State,
  shownQuestion,
} from './state/state.ts';

/** The choices of a list that has to be fetched. Throws what the backend refuses. */
export async function listChoices(
  backend: BackendApi,
  state: State,
  of: ListKind,
  history: readonly string[],
): Promise<readonly Choice[]> {
  switch (of) {
    case 'history':
      return history.map((query) => ({ label: query, does: { type: 'query', query } }));
    case 'saved':
      return savedChoices(backend, state.index.name);
    case 'indexes':
      return indexChoices(backend, state.index.name);
    default:
      return facetChoices(backend, state);
  }
}

/** Saved queries of the index, under whichever of its names they were saved. */
async function savedChoices(backend: BackendApi, index: string): Promise<Choice[]> {
  const [saved, aliases] = await Promise.all([backend.listSavedQueries(), backend.listAliases()]);
  const real = (name: string) => aliases.find(({ alias }) => alias === name)?.index ?? name;
  const own = saved.filter(
    ({ request }) => request.index === undefined || real(request.index) === real(index),
  );
  return Promise.all(own.map((query) => savedChoice(backend, index, query)));
}

async function savedChoice(backend: BackendApi, index: string, saved: SavedQuery): Promise<Choice> {
  const { name } = saved;
  const { syntax } = saved.request;
  const tree = async (ast: QueryTree) =>
    (await backend.printQuery({ index, ast, ...(syntax === undefined ? {} : { syntax }) })).query;
  try {
    const parts = await restored(searchOfSaved(saved), tree);
    const { query, filters, sort } = parts;
    const rest = [...filters, ...sort.map((s) => `by ${s.field}`)].join(' · ');
    return {
      label: name,
      detail: `${query === '' ? EVERYTHING : query}${rest === '' ? '' : `  ${rest}`}`,
      does: { type: 'restore', name, restored: parts },
    };
  } catch {
    const what = 'a query tree or a vector';
    const why = `${name} is ${what} without a query string: lhs query run ${name}`;
    return { label: name, detail: what, does: { type: 'refuse', why } };
  }
}

async function indexChoices(backend: BackendApi, current: string): Promise<Choice[]> {
  const indexes = await backend.listIndexes();
  return indexes.map(({ name, status, num_docs, bytes: size, error }) => {
    const isOn = name === current;
    if (error !== undefined) {
      return { label: name, detail: 'cannot be opened', does: { type: 'refuse', why: error } };
    }
    if (status !== 'live') {
      const why = `${name} is not built yet: lhs index reindex ${name}`;
      return { label: name, detail: 'not built yet', does: { type: 'refuse', why } };
    }
    const detail = `${plural(num_docs, 'row')} · ${bytes(size)}`;
    return { label: name, detail, isOn, does: { type: 'index', name } };
  });
}

/** Values among the hits, those that narrow already first. */
async function facetChoices(backend: BackendApi, state: State): Promise<Choice[]> {
  const { index, filters } = state;
  const fields = index.facetFields;
  if (fields.length === 0) return [];
  const facets = await facetsOf(backend, index, shownQuestion(state), fields, 20);
  const choice = (clause: string, label: string, detail?: string): Choice => ({
    label,
    detail,
    isOn: filters.includes(clause),
    does: { type: 'filter', clause },
  });
  const offered = facets.flatMap(({ field, buckets }) =>
    buckets.map(({ value, count: n }) =>
      choice(`${field}:${queryValue(value)}`, `${field}:${value}`, count(n)),
    ),
  );
  const on = filters.map((clause) => choice(clause, clause, 'removes it'));
  return [...on, ...offered.filter((one) => !one.isOn)];
}

/** Saves the search on the screen under a name. Throws what the backend refuses. */
export async function saveQuestion(backend: BackendApi, state: State, name: string): Promise<void> {
  const asked = question(state);
  const query = isProse(state) ? asked.query : joinedQuery(asked.query, asked.kept);
  await backend.createSavedQuery({ name, ...keptSearch(state.index, { ...asked, query }) });
}

const FACET_TYPES = ['KEYWORD', 'BOOL', 'LONG'];
const MOST_FACETS = 4;

/** An index as the screen needs to know it. Throws what the backend refuses. */
export async function screenIndex(backend: BackendApi, name: string): Promise<ScreenIndex> {
  const description = await backend.describeIndex({ index: name });
  const { fields, sort_fields: sortFields, key } = description;
  const few = await fieldsOfFewValues(backend, description, FACET_TYPES);
  return {
    ...{ name, fields, sortFields, ...modesOf(name, description) },
    facetFields: few.slice(0, MOST_FACETS),
    rowTexts: displayColumns(fields, key.identifier),
  };
}

/**
 * By meaning an index can be asked that has a VECTOR field of a model; by both, with TEXT fields.
 */
function modesOf(name: string, { fields, vector_fields: vectors }: IndexDescription) {
  const of = vectors.find(({ model }) => model !== null);
  if (of === undefined) {
    const lexicalOnly =
      vectors.length === 0
        ? `${name} has no VECTOR field: only lexical search`
        : `the vectors of ${name} came with its rows: no model compares a text with them`;
    return { modes: ['lexical'] as const, lexicalOnly };
  }
  const hasText = fields.some(({ type, indexed }) => type === 'TEXT' && indexed);
  const modes = ['lexical', 'semantic', ...(hasText ? (['hybrid'] as const) : [])] as const;
  return { modes, vectorField: of.name };
}
