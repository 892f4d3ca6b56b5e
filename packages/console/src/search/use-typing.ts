import { useEffect, useRef, useState } from 'preact/hooks';
import { changed, type SearchPlace } from '../place/place.ts';
import { goTo } from '../place/use-place.ts';

const PAUSE_MS = 100;

/** The text of the query field. */
export interface Typing {
  readonly draft: string;
  readonly type: (query: string) => void;
  readonly submit: () => void;
}

/**
 * The text of the field. A pause while typing searches; what is typed in one go is one entry of the
 * browser's history. `again`: asks the same once more.
 */
export function useTyping(place: SearchPlace, again: () => void): Typing {
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
    goTo(changed(place, { query }), replace);
  };
  return {
    draft,
    type(query) {
      setDraft(query);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => {
        search(query, isTyping.current);
        isTyping.current = true;
      }, PAUSE_MS);
    },
    submit() {
      clearTimeout(timer.current);
      if (draft === place.query) again();
      else search(draft, isTyping.current);
      isTyping.current = false;
    },
  };
}
