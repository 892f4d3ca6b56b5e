import type { Facet, IndexDescription, SearchResponse } from '@lakehouse-search/contract';
import { hrefOf, type SearchPlace } from '../place/place.ts';
import { count } from '../text/figures.ts';
import { toggled } from '../text/filter.ts';

/** Counts of values; a value narrows the search, or widens it if it is chosen already. */
export function Facets({
  place,
  answer,
  description,
}: {
  readonly place: SearchPlace;
  readonly answer: SearchResponse;
  readonly description: IndexDescription;
}) {
  const isLong = (name: string) =>
    description.fields.some((field) => field.name === name && field.type === 'LONG');
  const isChosen = (name: string) => place.chosen.some(({ field }) => field === name);
  // numbers with more values than are listed are measures, not categories
  const isUseful = ({ field, buckets, other_count }: Facet) =>
    other_count === 0 ? buckets.length > 0 : !isLong(field) && buckets.some((one) => one.count > 1);
  const shown = (answer.facets ?? [])
    .filter((facet) => isChosen(facet.field) || isUseful(facet))
    .sort((a, b) => Number(a.other_count > 0) - Number(b.other_count > 0));
  return (
    <aside class="facets" aria-label="Narrow by value">
      {place.chosen.length > 0 && (
        <p>
          <a href={hrefOf({ ...place, chosen: [], page: 1 })}>Remove all filters</a>
        </p>
      )}
      {shown.map((facet) => (
        <details key={facet.field} open>
          <summary>{facet.field}</summary>
          <Values facet={withChosen(facet, place)} place={place} />
        </details>
      ))}
    </aside>
  );
}

/** A chosen value stays in the list, also if no hit has it. */
function withChosen(facet: Facet, { chosen }: SearchPlace): Facet {
  const listed = new Set(facet.buckets.map(({ value }) => value));
  const absent = chosen.filter(({ field, value }) => field === facet.field && !listed.has(value));
  return {
    ...facet,
    buckets: [...absent.map(({ value }) => ({ value, count: 0 })), ...facet.buckets],
  };
}

function Values({ facet, place }: { readonly facet: Facet; readonly place: SearchPlace }) {
  const { field, buckets, other_count } = facet;
  const most = Math.max(1, ...buckets.map(({ count: n }) => n));
  return (
    <ul>
      {buckets.map(({ value, count: n }) => {
        const isOn = place.chosen.some((one) => one.field === field && one.value === value);
        const chosen = toggled(place.chosen, { field, value });
        const href = hrefOf({ ...place, chosen, page: 1, row: undefined });
        return (
          <li key={value}>
            <a href={href} class={isOn ? 'on' : undefined}>
              <span class="hidden">
                {isOn ? 'Remove' : 'Only'} {field}{' '}
              </span>
              <span class="value">{value === '' ? '(empty)' : value}</span>
              <span class="count">{count(n)}</span>
              <svg class="bar" viewBox="0 0 100 2" preserveAspectRatio="none" aria-hidden="true">
                <rect width={(100 * n) / most} height="2" />
              </svg>
            </a>
          </li>
        );
      })}
      {other_count > 0 && <li class="quiet">{count(other_count)} in other values</li>}
    </ul>
  );
}
