import type { ErrorPlace, NextStep } from '@lakehouse-search/contract';
import { hrefOf, type Place } from '../place/place.ts';
import type { ServiceError } from '../service/service-error.ts';
import { useTicks } from './use-answer.ts';

/**
 * An error with its place, a hint, and links to screens that help. `again` repeats the request: on
 * a click, and every few seconds while the service is unreachable.
 */
export function Problem({
  error,
  again,
}: {
  readonly error: ServiceError;
  readonly again?: () => void;
}) {
  useRetries(error, again);
  const { hint, place, next = [] } = error.details;
  const links = next.flatMap(linkOf);
  return (
    <div class="problem" role="alert">
      <p>
        <strong>{error.message}</strong>
      </p>
      {place !== undefined && place.text !== '' && <PlaceOfError place={place} />}
      {hint !== undefined && <p class="hint">{hint}</p>}
      {links.length > 0 && (
        <p>
          {links.map(({ href, words }) => (
            <a key={href} href={href}>
              {words}
            </a>
          ))}
        </p>
      )}
      <p class="quiet">
        {error.code}
        {error.status > 0 && ` · HTTP ${error.status}`}{' '}
        {again !== undefined && (
          <button type="button" class="plain" onClick={again}>
            Try again
          </button>
        )}
      </p>
    </div>
  );
}

const RETRY_MS = 3000;

function useRetries({ code }: ServiceError, again: (() => void) | undefined): void {
  const isAway = code === 'unreachable' && again !== undefined;
  useTicks(isAway ? RETRY_MS : undefined, () => again?.());
}

/** The text that is wrong; its faulty part is underlined. */
export function PlaceOfError({ place: { text, from, to } }: { readonly place: ErrorPlace }) {
  const end = Math.max(to, from + 1);
  return (
    <pre class="place">
      {text.slice(0, from)}
      <u>{text.slice(from, end) || ' '}</u>
      {text.slice(end)}
    </pre>
  );
}

interface Link {
  readonly href: string;
  readonly words: string;
}

/** The screen of a step; steps that the console does not offer have none. */
function linkOf(step: NextStep): readonly Link[] {
  const link = (place: Place, words: string) => [{ href: hrefOf(place), words }];
  switch (step.step) {
    case 'list_indexes':
      return link({ screen: 'indexes' }, 'Indexes');
    case 'describe_index':
      return link({ screen: 'index', index: step.index }, `Fields of ${step.index}`);
    case 'show_status':
      return link({ screen: 'index', index: step.index }, `Status of ${step.index}`);
    case 'list_jobs':
      return link({ screen: 'jobs' }, 'Jobs');
    case 'show_job':
    case 'watch_job':
    case 'cancel_job':
      return link({ screen: 'job', job: step.job }, 'The job');
    case 'list_aliases':
    case 'drop_alias':
      return link({ screen: 'aliases' }, 'Aliases');
    case 'list_saved_queries':
    case 'drop_saved_query':
      return link({ screen: 'saved' }, 'Saved queries');
    default:
      return [];
  }
}
