import type { ModeRequest } from '@lakehouse-search/contract';
import { useService } from '../parts/console-context.ts';
import { useAnswer } from '../parts/use-answer.ts';
import { hrefOf, type SearchPlace } from '../place/place.ts';
import { count } from '../text/figures.ts';

/** What to try next: what each clause finds alone, a nearer word, fewer filters. */
export function NothingFound({
  place,
  wanted,
}: {
  readonly place: SearchPlace;
  readonly wanted: ModeRequest;
}) {
  const service = useService();
  const { mode, request } = wanted;
  const isAsked = mode === 'lexical' && place.query.trim() !== '' && place.page === 1;
  const { index, query, syntax, filter } = { query: undefined, ...request };
  const clauses = useAnswer(isAsked ? JSON.stringify(request) : undefined, (signal) =>
    service.call('clauseCounts', defined({ index, query, syntax, filter }), signal),
  );
  const to = (part: Partial<SearchPlace>) => hrefOf({ ...place, page: 1, ...part });
  return (
    <div class="nothing">
      {clauses.value !== undefined && clauses.value.length > 0 && (
        <>
          <p>Each clause alone finds:</p>
          <ul>
            {clauses.value.map(({ clause, total, suggestion }) => (
              <li key={clause}>
                <a href={to({ query: clause })}>{clause}</a>: {count(total)}
                {suggestion !== undefined && (
                  <>
                    {' · did you mean '}
                    <a href={to({ query: corrected(place.query, clause, suggestion) })}>
                      {suggestion}
                    </a>
                    ?
                  </>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
      <p>
        {place.page > 1 && <a href={to({})}>First page</a>}
        {place.chosen.length > 0 && <a href={to({ chosen: [] })}>Remove all filters</a>}
        {place.query !== '' && <a href={to({ query: '', mode: 'lexical' })}>Show everything</a>}
      </p>
    </div>
  );
}

const defined = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;

/** The query with a clause in a better spelling: a suggestion is a clause, or a term of its field. */
export function corrected(query: string, clause: string, suggestion: string): string {
  const [, field = ''] = /^(\w[\w.]*:)/.exec(clause) ?? [];
  const whole = suggestion.startsWith(field) ? suggestion : `${field}${suggestion}`;
  return query.includes(clause) ? query.replace(clause, () => whole) : whole;
}
