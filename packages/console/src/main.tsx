/** What the page loads: the console over the service that the page comes from. */
import { render } from 'preact';
import { App } from './app.tsx';
import { applyPreferences } from './parts/preferences.tsx';
import { type Kept, tabSession } from './service/session.ts';

/** The storage of the tab; browsers throw if their user has switched it off. */
function tabStorage(): Kept | undefined {
  try {
    return sessionStorage;
  } catch {
    return undefined;
  }
}

applyPreferences();
const url = new URL('.', location.href).href;
const send: typeof fetch = (target, init) => fetch(target, init);
const root = document.getElementById('console');
if (root !== null) {
  render(<App url={url} session={tabSession(tabStorage())} fetch={send} />, root);
}
