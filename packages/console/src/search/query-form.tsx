import type { IndexDescription, IndexSummary, SearchMode } from '@lakehouse-search/contract';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type SearchPlace, searchOf, sortText } from '../place/place.ts';
import { goTo } from '../place/use-place.ts';
import { meaningField } from './search-request.ts';

/** What the form edits, and what it can choose from. */
export interface QueryFormProps {
  readonly place: SearchPlace;
  readonly index: string;
  readonly list: readonly IndexSummary[];
  /** Absent while it is on its way. */
  readonly description: IndexDescription | undefined;
}

const MODES: readonly (readonly [SearchMode, string])[] = [
  ['lexical', 'Words'],
  ['semantic', 'Meaning'],
  ['hybrid', 'Both'],
];

/** Index, query, mode, syntax and order. Each choice changes the URL, and so the results. */
export function QueryForm({ place, index, list, description }: QueryFormProps) {
  const { draft, type, submit } = useTyping(place);
  const field = useSlashFocus();
  const change = (part: Partial<SearchPlace>) =>
    goTo({ ...place, index, page: 1, row: undefined, query: draft, ...part });
  const hasMeaning = description !== undefined && meaningField(description) !== undefined;
  const names = [...new Set([index, ...list.map(({ name }) => name)])].sort();
  return (
    <form class="query" aria-label="Search" onSubmit={submit}>
      <div class="query-line">
        <select
          aria-label="Index"
          value={index}
          onChange={(event) => goTo(searchOf(event.currentTarget.value, draft))}
        >
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <input
          ref={field}
          type="search"
          aria-label="Query"
          aria-keyshortcuts="/"
          placeholder={placeholderOf(place, description)}
          value={draft}
          onInput={(event) => type(event.currentTarget.value)}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
        />
        <button type="submit" class="main">
          Search
        </button>
      </div>
      <div class="options">
        <fieldset class="modes">
          <legend class="hidden">Search by</legend>
          {MODES.map(([mode, words]) => (
            <label key={mode}>
              <input
                type="radio"
                name="mode"
                checked={place.mode === mode}
                disabled={mode !== 'lexical' && !hasMeaning && place.mode !== mode}
                onChange={() => change({ mode })}
              />
              <span>{words}</span>
            </label>
          ))}
        </fieldset>
        <label>
          Syntax
          <select
            value={place.syntax ?? 'default'}
            onChange={({ currentTarget: { value } }) =>
              change({ syntax: value === 'kql' ? 'kql' : undefined })
            }
          >
            <option value="default">default</option>
            <option value="kql">KQL</option>
          </select>
        </label>
        <label for="order">
          Order <SortChoice place={place} description={description} change={change} />
        </label>
      </div>
    </form>
  );
}

function placeholderOf({ mode }: SearchPlace, description: IndexDescription | undefined): string {
  if (mode !== 'lexical') return 'what you mean, in a sentence';
  const [field] = description?.default_fields ?? [];
  return field === undefined ? 'everything' : `words of ${field}, or field:value`;
}

interface SortChoiceProps extends Pick<QueryFormProps, 'place' | 'description'> {
  readonly change: (part: Partial<SearchPlace>) => void;
}

function SortChoice({ place: { sort }, description, change }: SortChoiceProps) {
  const current = sort === undefined ? '' : sortText(sort);
  const fields = [...new Set([...(description?.sort_fields ?? []), ...(sort ? [sort.field] : [])])];
  const choose = (text: string) => {
    if (text === '') change({ sort: undefined });
    else if (text.startsWith('-')) change({ sort: { field: text.slice(1), desc: true } });
    else change({ sort: { field: text } });
  };
  return (
    <select id="order" value={current} onChange={(event) => choose(event.currentTarget.value)}>
      <option value="">relevance</option>
      {fields.flatMap((field) => [
        <option key={`-${field}`} value={`-${field}`}>
          {field} ↓
        </option>,
        <option key={field} value={field}>
          {field} ↑
        </option>,
      ])}
    </select>
  );
}

const PAUSE_MS = 250;

/**
 * The text of the field. A pause while typing searches; what is typed in one go is one entry of the
 * browser's history.
 */
function useTyping(place: SearchPlace) {
  const [draft, setDraft] = useState(place.query);
  const sent = useRef(place.query);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const isTyping = useRef(false);
  useEffect(() => {
    if (place.query === sent.current) return;
    sent.current = place.query;
    isTyping.current = false;
    clearTimeout(timer.current);
    setDraft(place.query);
  }, [place.query]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const search = (query: string, replace: boolean) => {
    sent.current = query;
    goTo({ ...place, query, page: 1, row: undefined }, replace);
  };
  return {
    draft,
    type(query: string) {
      setDraft(query);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => {
        search(query, isTyping.current);
        isTyping.current = true;
      }, PAUSE_MS);
    },
    submit(event: Event) {
      event.preventDefault();
      clearTimeout(timer.current);
      search(draft, isTyping.current);
      isTyping.current = false;
    },
  };
}

/** The field of the query, which `/` focuses from everywhere but another field. */
function useSlashFocus() {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isInField = (event.target as Element | null)?.closest?.('input, select, textarea');
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isInField) return;
      event.preventDefault();
      field.current?.focus();
      field.current?.select();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  return field;
}
