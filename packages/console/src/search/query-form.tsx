import type { IndexDescription, IndexSummary, SearchMode } from '@lakehouse-search/contract';
import { changed, type SearchPlace, searchOf, sortOf, sortText } from '../place/place.ts';
import { goTo } from '../place/use-place.ts';
import { QueryField } from './query-field.tsx';
import { meaningField } from './search-request.ts';
import { useTyping } from './use-typing.ts';

/** What the form edits, and what it can choose from. */
export interface QueryFormProps {
  readonly place: SearchPlace;
  readonly index: string;
  readonly list: readonly IndexSummary[];
  /** Absent while it is on its way. */
  readonly description: IndexDescription | undefined;
  /** Asks the same once more. */
  readonly again: () => void;
}

const MODES: readonly (readonly [SearchMode, string])[] = [
  ['lexical', 'Words'],
  ['semantic', 'Meaning'],
  ['hybrid', 'Both'],
];

/** Index, query, mode, syntax and order. Each choice changes the URL, and so the results. */
export function QueryForm({ place, index, list, description, again }: QueryFormProps) {
  const typing = useTyping(place, again);
  const change = (part: Partial<SearchPlace>) =>
    goTo(changed({ ...place, index, query: typing.draft }, part));
  const names = [...new Set([index, ...list.map(({ name }) => name)])].sort();
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    typing.submit();
  };
  return (
    <form class="query" aria-label="Search" onSubmit={submit}>
      <div class="query-line">
        <select
          aria-label="Index"
          value={index}
          onChange={(event) => goTo(searchOf(event.currentTarget.value, typing.draft))}
        >
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <QueryField {...{ place, index, typing, description }} />
        <button type="submit" class="main">
          Search
        </button>
      </div>
      <div class="options">
        <Modes {...{ place, description, change }} />
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
        <Order {...{ place, description, change }} />
        <Collapse {...{ place, description, change }} />
      </div>
    </form>
  );
}

interface ChoiceProps extends Pick<QueryFormProps, 'place' | 'description'> {
  readonly change: (part: Partial<SearchPlace>) => void;
}

function Modes({ place, description, change }: ChoiceProps) {
  const hasMeaning = description !== undefined && meaningField(description) !== undefined;
  return (
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
  );
}

/** The fields that order the hits: those chosen, and one more. */
function Order({ place: { sort }, description, change }: ChoiceProps) {
  const fields = description?.sort_fields ?? [];
  const texts = sort.map(sortText);
  const choose = (at: number, text: string) => {
    const next = text === '' ? texts.slice(0, at) : texts.with(at, text);
    change({ sort: next.map(sortOf) });
  };
  return (
    <>
      {[...texts, ''].map((text, at) => (
        <label key={at}>
          {at === 0 ? 'Order' : 'then'}
          <select
            value={text}
            onChange={({ currentTarget: { value } }) =>
              at === texts.length ? change({ sort: [...sort, sortOf(value)] }) : choose(at, value)
            }
          >
            <option value="">{at === 0 ? 'relevance' : '…'}</option>
            {[...new Set([...fields, ...sort.map(({ field }) => field)])].flatMap((field) => [
              <option key={`-${field}`} value={`-${field}`}>
                {field} ↓
              </option>,
              <option key={field} value={field}>
                {field} ↑
              </option>,
            ])}
          </select>
        </label>
      ))}
    </>
  );
}

/** The field of which each value has one hit. */
function Collapse({ place: { collapse = '' }, description, change }: ChoiceProps) {
  const fast = description?.fields.filter((field) => field.fast && field.type === 'KEYWORD') ?? [];
  const fields = [...new Set([...fast.map(({ name }) => name), ...(collapse ? [collapse] : [])])];
  if (fields.length === 0) return null;
  return (
    <label>
      One hit per
      <select
        value={collapse}
        onChange={({ currentTarget: { value } }) => change({ collapse: value || undefined })}
      >
        <option value="">row</option>
        {fields.map((field) => (
          <option key={field}>{field}</option>
        ))}
      </select>
    </label>
  );
}
