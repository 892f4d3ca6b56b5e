import { changed, hrefOf, type SearchPlace } from '../place/place.ts';
import { clauseText, type Filter, toggled } from '../text/filter.ts';
import { instantText } from '../text/values.ts';

/** The filters in force; each is a link that removes it. */
export function Chips({ place }: { readonly place: SearchPlace }) {
  const { filters } = place;
  if (filters.length === 0) return null;
  const without = (filter: Filter) => hrefOf(changed(place, { filters: toggled(filters, filter) }));
  return (
    <ul class="chips" aria-label="Filters">
      {filters.map((filter) => (
        <li key={clauseText(filter)}>
          <a href={without(filter)} class={isExclusion(filter) ? 'out' : undefined}>
            <span class="hidden">Remove </span>
            <bdi>{words(filter)}</bdi> <span aria-hidden="true">✕</span>
          </a>
        </li>
      ))}
      {filters.length > 1 && (
        <li>
          <a class="all" href={hrefOf(changed(place, { filters: [] }))}>
            Remove all
          </a>
        </li>
      )}
    </ul>
  );
}

const isExclusion = ({ kind }: Filter): boolean => kind === 'not' || kind === 'missing';

/** A filter as people read it. */
function words(filter: Filter): string {
  const { field } = filter;
  switch (filter.kind) {
    case 'is':
      return `${field}: ${filter.value || '(empty)'}`;
    case 'not':
      return `${field} is not ${filter.value || '(empty)'}`;
    case 'missing':
      return `${field} has no value`;
    case 'present':
      return `${field} has a value`;
    case 'range':
      return rangeWords(field, filter.from, filter.to);
  }
}

function rangeWords(field: string, from: string | undefined, to: string | undefined): string {
  if (from === undefined) return `${field} before ${instantText(to ?? '')}`;
  if (to === undefined) return `${field} from ${instantText(from)}`;
  return `${field}: ${instantText(from)} – ${instantText(to)}`;
}
