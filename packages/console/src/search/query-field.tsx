import type { IndexDescription } from '@lakehouse-search/contract';
import {
  type CompletionItem,
  type CompletionPlace,
  completionPlace,
  fieldItems,
  valueItems,
} from '@lakehouse-search/contract/internal';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useService } from '../parts/console-context.ts';
import { useKeys } from '../parts/use-keys.ts';
import type { SearchPlace } from '../place/place.ts';
import { count } from '../text/figures.ts';
import type { Typing } from './use-typing.ts';

/** The field of a query, and what completes it. */
export interface QueryFieldProps {
  readonly place: SearchPlace;
  readonly index: string;
  readonly typing: Typing;
  /** Absent while it is on its way. */
  readonly description: IndexDescription | undefined;
}

/** The field of the query with a list of fields or values that complete the word at the cursor. */
export function QueryField({ place, index, typing, description }: QueryFieldProps) {
  const field = useQueryFocus();
  const { items, at, look, move, close } = useCompletion(index, description);
  const insert = ({ insert }: CompletionItem, { from, to }: CompletionPlace) => {
    const { draft } = typing;
    const next = draft.slice(0, from) + insert + draft.slice(to);
    typing.type(next);
    close();
    const cursor = from + insert.length;
    requestAnimationFrame(() => field.current?.setSelectionRange(cursor, cursor));
    if (insert.endsWith(':')) look(next, cursor);
  };
  const press = (event: KeyboardEvent) => {
    const { key } = event;
    const chosen = items?.list[at];
    if (items !== undefined && (key === 'ArrowDown' || key === 'ArrowUp')) {
      move(key === 'ArrowDown' ? 1 : -1);
    } else if (key === 'ArrowDown') {
      document.querySelector<HTMLElement>('a.hit-link')?.focus();
    } else if (items !== undefined && key === 'Escape') {
      close();
    } else if (items !== undefined && chosen !== undefined && (key === 'Enter' || key === 'Tab')) {
      insert(chosen, items.place);
    } else {
      return;
    }
    event.preventDefault();
  };
  return (
    <div class="query-field">
      <input
        ref={field}
        type="text"
        role="combobox"
        aria-label="Query"
        aria-keyshortcuts="/"
        aria-autocomplete="list"
        aria-expanded={items !== undefined}
        aria-controls="completions"
        aria-activedescendant={at >= 0 ? `completion-${at}` : undefined}
        placeholder={placeholderOf(place, description)}
        value={typing.draft}
        onInput={({ currentTarget: { value, selectionStart } }) => {
          typing.type(value);
          if (place.mode === 'lexical') look(value, selectionStart ?? value.length);
        }}
        onKeyDown={press}
        onBlur={close}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
      />
      {items !== undefined && (
        <Completions items={items} at={at} insert={(item) => insert(item, items.place)} />
      )}
    </div>
  );
}

interface Items {
  readonly place: CompletionPlace;
  readonly list: readonly CompletionItem[];
}

function Completions({
  items: { list },
  at,
  insert,
}: {
  readonly items: Items;
  readonly at: number;
  readonly insert: (item: CompletionItem) => void;
}) {
  return (
    <div id="completions" class="completions" role="listbox" aria-label="Completions">
      {list.map((item, n) => (
        // the field keeps the focus, and its keys choose
        // biome-ignore lint/a11y/useFocusableInteractive: see above
        <div
          key={item.insert}
          id={`completion-${n}`}
          role="option"
          aria-selected={n === at}
          onMouseDown={(event) => {
            event.preventDefault();
            insert(item);
          }}
        >
          <span class="value">{item.label}</span>
          {item.count !== undefined && <span class="count">{count(item.count)}</span>}
        </div>
      ))}
    </div>
  );
}

function placeholderOf({ mode }: SearchPlace, description: IndexDescription | undefined): string {
  if (mode !== 'lexical') return 'what you mean, in a sentence';
  const [field] = description?.default_fields ?? [];
  return field === undefined ? 'everything' : `words of ${field}, or field:value`;
}

const MOST_ITEMS = 12;

/** What completes the word at the cursor: names of fields at once, values when they arrive. */
function useCompletion(index: string, description: IndexDescription | undefined) {
  const service = useService();
  const [items, setItems] = useState<Items>();
  const [at, setAt] = useState(-1);
  const latest = useRef(0);
  const close = () => {
    latest.current++;
    setItems(undefined);
  };
  const show = (place: CompletionPlace, list: readonly CompletionItem[]) => {
    setAt(-1);
    setItems(list.length === 0 ? undefined : { place, list: list.slice(0, MOST_ITEMS) });
  };
  const look = (text: string, cursor: number) => {
    const turn = ++latest.current;
    const place = completionPlace({ text, at: cursor });
    if (place === undefined || description === undefined) return close();
    const { fields } = description;
    const names = fields.filter(({ indexed }) => indexed).map(({ name }) => name);
    const first = fieldItems(place, names);
    show(place, first);
    const values = {
      suggest: (request: Parameters<typeof service.call<'suggest'>>[1]) =>
        service.call('suggest', request),
      facets: (request: Parameters<typeof service.call<'facets'>>[1]) =>
        service.call('facets', request),
    };
    valueItems(values, { name: index, fields }, place).then((found) => {
      if (turn === latest.current) show(place, [...first, ...found]);
    });
  };
  const move = (by: number) =>
    setAt((now) => {
      const size = items?.list.length ?? 0;
      return now < 0 && by < 0 ? size - 1 : (now + by + size) % Math.max(size, 1);
    });
  return { items, at, look, move, close };
}

/** The field of the query, which `/` focuses from everywhere but another field. */
function useQueryFocus() {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (document.activeElement === document.body) field.current?.focus();
  }, []);
  useKeys((key) => {
    if (key !== '/') return false;
    field.current?.focus();
    field.current?.select();
    return true;
  });
  return field;
}
