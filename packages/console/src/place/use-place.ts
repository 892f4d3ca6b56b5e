import { useEffect, useState } from 'preact/hooks';
import { hrefOf, type Place, placeOf } from './place.ts';

/** Goes to a place. `replace`: without an entry of its own in the history of the browser. */
export function goTo(place: Place, replace = false): void {
  const href = hrefOf(place);
  if (href === location.hash) return;
  if (replace) history.replaceState(null, '', href);
  else history.pushState(null, '', href);
  dispatchEvent(new HashChangeEvent('hashchange'));
}

/** The place of the URL, always the current one. */
export function usePlace(): Place {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const read = () => setHash(location.hash);
    addEventListener('hashchange', read);
    addEventListener('popstate', read);
    return () => {
      removeEventListener('hashchange', read);
      removeEventListener('popstate', read);
    };
  }, []);
  return placeOf(hash);
}
