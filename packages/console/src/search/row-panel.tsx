import type { IndexDescription, KeysResponse } from '@lakehouse-search/contract';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useService } from '../parts/console-context.ts';
import { CopyLine } from '../parts/copy-line.tsx';
import { Answered } from '../parts/screen.tsx';
import { useAnswer } from '../parts/use-answer.ts';
import { hrefOf, type SearchPlace } from '../place/place.ts';
import { goTo } from '../place/use-place.ts';
import { shellWord } from '../text/commands.ts';
import { coordinatesOf, type KeyParts, keyParts, keyText } from '../text/values.ts';
import { Explanation } from './explanation.tsx';
import type { FoundPage } from './find-page.ts';
import { RowFields } from './row-fields.tsx';

/** The row that is open beside the hits. */
export interface RowPanelProps {
  readonly place: SearchPlace;
  readonly index: string;
  readonly description: IndexDescription;
  readonly page: FoundPage;
  readonly row: KeyParts;
}

/** A row as the table has it now, and why the search finds it. Escape closes it. */
export function RowPanel({ place, index, description, page, row }: RowPanelProps) {
  const service = useService();
  const key = keyText(row);
  const closed = { ...place, row: undefined };
  const heading = useFocusOn(key, () => goTo(closed));
  const coordinates = coordinatesOf(row, description.key.partition);
  const answer = useAnswer<KeysResponse>(`${index} ${key}`, (signal) =>
    service.call('getKeys', { index, keys: [coordinates] }, signal),
  );
  const [isExplained, setExplained] = useState(false);
  const hit = page.answer.hits.find((one) => keyText(keyParts(one.coordinates)) === key);
  return (
    <section class="row-panel" aria-labelledby="row-heading">
      <h2 id="row-heading" ref={heading} tabIndex={-1}>
        <bdi>{key}</bdi>
      </h2>
      <nav aria-label="Rows">
        <Neighbors {...{ place, page, row }} />
        <a class="close" href={hrefOf(closed)} aria-label="Close the row">
          ✕
        </a>
      </nav>
      <Answered answer={answer}>
        {({ rows }) =>
          rows.length === 0 ? (
            <p class="quiet">The table has no row with this key any more.</p>
          ) : (
            <>
              {rows[0].newer && <p class="quiet">Written after the snapshot of the index.</p>}
              <RowFields key={key} {...{ place, description, hit }} fields={rows[0].fields} />
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
        {isExplained && <Explanation wanted={page.wanted} coordinates={coordinates} />}
      </details>
      <CopyLine
        label="lhs"
        text={`lhs keys get ${shellWord(index)} ${shellWord(key)} --url ${shellWord(service.url)}`}
      />
    </section>
  );
}

/** The rows before and behind on the page. */
function Neighbors({ place, page, row }: Pick<RowPanelProps, 'place' | 'page' | 'row'>) {
  const rows = page.answer.hits.map(({ coordinates }) => keyParts(coordinates));
  const at = rows.findIndex((one) => keyText(one) === keyText(row));
  const to = (other: number, label: string, sign: string) =>
    rows[other] !== undefined && (
      <a href={hrefOf({ ...place, row: rows[other] })} aria-label={label} title={label}>
        {sign}
      </a>
    );
  if (at < 0) return null;
  return (
    <>
      {to(at - 1, 'Previous row (k)', '↑')}
      {to(at + 1, 'Next row (j)', '↓')}
    </>
  );
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
      document.querySelector<HTMLElement>('a.hit-link[aria-current=true]')?.focus();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  return heading;
}
