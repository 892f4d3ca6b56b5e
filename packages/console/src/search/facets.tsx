import type {
  Facet,
  IndexDescription,
  ModeRequest,
  SearchResponse,
} from '@lakehouse-search/contract';
import { useState } from 'preact/hooks';
import { useService } from '../parts/console-context.ts';
import { Answered } from '../parts/screen.tsx';
import { useAnswer } from '../parts/use-answer.ts';
import { changed, hrefOf, type SearchPlace } from '../place/place.ts';
import { count } from '../text/figures.ts';
import { type Filter, toggled } from '../text/filter.ts';
import { visible } from '../text/visible.ts';
import { COUNTS_ALONE, runSearch, withParts } from './find-page.ts';

/** The counts of a search. */
export interface FacetsProps {
  readonly place: SearchPlace;
  readonly answer: SearchResponse;
  readonly description: IndexDescription;
  readonly wanted: ModeRequest;
}

/** Counts of values; a value narrows the search, or widens it if it is chosen already. */
export function Facets({ place, answer, description, wanted }: FacetsProps) {
  const isLong = (name: string) =>
    description.fields.some((field) => field.name === name && field.type === 'LONG');
  const isChosen = (name: string) => place.filters.some(({ field }) => field === name);
  // numbers with more values than are listed are measures, not categories
  const isUseful = ({ field, buckets, other_count }: Facet) =>
    other_count === 0 ? buckets.length > 0 : !isLong(field) && buckets.some((one) => one.count > 1);
  const shown = (answer.facets ?? [])
    .filter((facet) => isChosen(facet.field) || isUseful(facet))
    .sort((a, b) => Number(a.other_count > 0) - Number(b.other_count > 0));
  return (
    <details class="facets" open={!isNarrow()}>
      <summary>Filters</summary>
      <aside aria-label="Narrow by value">
        {shown.map((facet) => (
          <details key={facet.field} open>
            <summary>
              <bdi>{facet.field}</bdi>
            </summary>
            <Values facet={withChosen(facet, place)} place={place} />
            {facet.other_count > 0 && <MoreValues {...{ place, wanted }} field={facet.field} />}
          </details>
        ))}
      </aside>
    </details>
  );
}

/** Phones open the filters on request. */
const isNarrow = (): boolean =>
  typeof matchMedia === 'function' && matchMedia('(max-width: 760px)').matches;

/** A chosen value stays in the list, also if no hit has it. */
function withChosen(facet: Facet, { filters }: SearchPlace): Facet {
  const listed = new Set(facet.buckets.map(({ value }) => value));
  const chosen = filters.flatMap((filter) =>
    filter.field === facet.field && (filter.kind === 'is' || filter.kind === 'not')
      ? [filter.value]
      : [],
  );
  const absent = chosen.filter((value) => !listed.has(value));
  return { ...facet, buckets: [...absent.map((value) => ({ value, count: 0 })), ...facet.buckets] };
}

function Values({ facet, place }: { readonly facet: Facet; readonly place: SearchPlace }) {
  const { field, buckets } = facet;
  const most = Math.max(1, ...buckets.map(({ count: n }) => n));
  const to = (filter: Filter) =>
    hrefOf(changed(place, { filters: toggled(place.filters, filter) }));
  const has = (kind: Filter['kind'], value?: string) =>
    place.filters.some(
      (one) =>
        one.kind === kind && one.field === field && (!('value' in one) || one.value === value),
    );
  return (
    <ul>
      {buckets.map(({ value, count: n }) => {
        const [isOn, isOut] = [has('is', value), has('not', value)];
        const text = value === '' ? '(empty)' : visible(value);
        return (
          <li key={value}>
            <a href={to({ kind: 'is', field, value })} class={isOn ? 'on' : undefined} title={text}>
              <span class="hidden">
                {isOn ? 'Remove' : 'Only'} {field}{' '}
              </span>
              <svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
                <rect width={(100 * n) / most} height="1" />
              </svg>
              <bdi class={isOut ? 'value out' : 'value'}>{text}</bdi>
              <span class="count">{count(n)}</span>
            </a>
            <a
              class="exclude"
              href={to({ kind: 'not', field, value })}
              aria-label={`${isOut ? 'Include' : 'Exclude'} ${field} ${text}`}
            >
              {isOut ? '+' : '−'}
            </a>
          </li>
        );
      })}
      <li class="presence">
        <a href={to({ kind: 'missing', field })} class={has('missing') ? 'on' : undefined}>
          no value
        </a>
        <a href={to({ kind: 'present', field })} class={has('present') ? 'on' : undefined}>
          any value
        </a>
      </li>
    </ul>
  );
}

const MOST_VALUES = 100;

interface MoreProps extends Pick<FacetsProps, 'place' | 'wanted'> {
  readonly field: string;
}

/** More values of a field among the hits, and a text that they contain. */
function MoreValues({ place, wanted, field }: MoreProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="more" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>more …</summary>
      {isOpen && <MoreList {...{ place, wanted, field }} />}
    </details>
  );
}

function MoreList({ place, wanted, field }: MoreProps) {
  const service = useService();
  const [typed, setTyped] = useState('');
  const counted = withParts(wanted, {
    ...COUNTS_ALONE,
    facets: { fields: [field], size: MOST_VALUES },
  });
  const answer = useAnswer(JSON.stringify(counted), (signal) =>
    runSearch(service, counted, signal),
  );
  const fits = ({ value }: { readonly value: string }) =>
    value.toLowerCase().includes(typed.toLowerCase());
  return (
    <Answered answer={answer}>
      {({ facets: [facet] = [] }: SearchResponse) => (
        <>
          <input
            type="search"
            aria-label={`Values of ${field}`}
            placeholder={`among ${facet?.buckets.length ?? 0} values`}
            value={typed}
            onInput={({ currentTarget: { value } }) => setTyped(value)}
          />
          {facet !== undefined && (
            <Values facet={{ ...facet, buckets: facet.buckets.filter(fits) }} place={place} />
          )}
        </>
      )}
    </Answered>
  );
}
