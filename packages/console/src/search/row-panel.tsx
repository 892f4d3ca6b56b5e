import type { IndexDescription, Json, KeysResponse, ModeRequest } from '@lakehouse-search/contract';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useService } from '../parts/console-context.ts';
import { CopyLine } from '../parts/copy-line.tsx';
import { Facts } from '../parts/data-table.tsx';
import { Answered } from '../parts/screen.tsx';
import { useAnswer } from '../parts/use-answer.ts';
import { hrefOf, type SearchPlace } from '../place/place.ts';
import { goTo } from '../place/use-place.ts';
import { shellWord } from '../text/commands.ts';
import { coordinatesOf, instantText, type KeyParts, keyText } from '../text/values.ts';
import { Explanation } from './explanation.tsx';

/** The row that is open beside the hits. */
export interface RowPanelProps {
  readonly place: SearchPlace;
  readonly index: string;
  readonly description: IndexDescription;
  readonly wanted: ModeRequest;
  readonly row: KeyParts;
}

/** A row as the table has it now, and why the search finds it. Escape closes it. */
export function RowPanel({ place, index, description, wanted, row }: RowPanelProps) {
  const service = useService();
  const key = keyText(row);
  const closed = { ...place, row: undefined };
  const heading = useFocusOn(key, () => goTo(closed));
  const coordinates = coordinatesOf(row, description.key.partition);
  const answer = useAnswer<KeysResponse>(`${index} ${key}`, (signal) =>
    service.call('getKeys', { index, keys: [coordinates] }, signal),
  );
  const [isExplained, setExplained] = useState(false);
  return (
    <section class="row-panel" aria-labelledby="row-heading">
      <h2 id="row-heading" ref={heading} tabIndex={-1}>
        {key}
      </h2>
      <a class="close" href={hrefOf(closed)} aria-label="Close the row">
        ✕
      </a>
      <Answered answer={answer}>
        {({ rows }) =>
          rows.length === 0 ? (
            <p class="quiet">The table has no row with this key any more.</p>
          ) : (
            <>
              {rows[0].newer && <p class="quiet">Written after the snapshot of the index.</p>}
              <Facts facts={Object.entries(rows[0].fields).map(([name, v]) => [name, cell(v)])} />
            </>
          )
        }
      </Answered>
      <details
        class="explain"
        open={isExplained}
        onToggle={(event) => setExplained(event.currentTarget.open)}
      >
        <summary>Why is it found?</summary>
        {isExplained && <Explanation wanted={wanted} coordinates={coordinates} />}
      </details>
      <CopyLine
        label="lhs"
        text={`lhs keys get ${shellWord(index)} ${shellWord(key)} --url ${shellWord(service.url)}`}
      />
    </section>
  );
}

function cell(value: Json) {
  if (value === null) return <span class="quiet">null</span>;
  if (typeof value === 'string') return instantText(value);
  if (typeof value === 'object') return <pre>{JSON.stringify(value, null, 2)}</pre>;
  return String(value);
}

/** Moves the focus to the heading of a row that opens; Escape closes it. */
function useFocusOn(key: string, close: () => void) {
  const heading = useRef<HTMLHeadingElement>(null);
  const latest = useRef(close);
  latest.current = close;
  // another row is another opening
  useEffect(() => heading.current?.focus({ preventScroll: true }), [key]);
  useEffect(() => {
    const press = ({ key: pressed, defaultPrevented }: KeyboardEvent) => {
      if (pressed !== 'Escape' || defaultPrevented) return;
      latest.current();
      document.querySelector<HTMLElement>('.hit.open .hit-link')?.focus();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  return heading;
}
