import { useRef } from 'preact/hooks';
import { useKeys } from './use-keys.ts';

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ['/', 'go to the query'],
  ['↓', 'from the query to the hits; from hit to hit'],
  ['j  k', 'next, previous hit or row'],
  ['o  Enter', 'open the row of a hit'],
  ['x', 'why is the row found?'],
  ['Esc', 'close completions, or the row'],
  ['Ctrl Enter', 'send a request'],
  ['?', 'this sheet'],
];

/** The keys of the console; `?` opens it from everywhere but a field. */
export function KeySheet() {
  const dialog = useRef<HTMLDialogElement>(null);
  useKeys((key) => {
    if (key === '?') dialog.current?.showModal();
    return key === '?';
  });
  return (
    <dialog ref={dialog} aria-labelledby="keys-heading">
      <h2 id="keys-heading">Keys</h2>
      <dl class="facts">
        {KEYS.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}
