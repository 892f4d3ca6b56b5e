import type { Hit, IndexDescription, Json, ModeRequest } from '@lakehouse-search/contract';
import { useService } from '../parts/console-context.ts';
import { Problem } from '../parts/problem.tsx';
import { useAction } from '../parts/use-action.ts';
import type { SearchPlace } from '../place/place.ts';
import type { ConsoleService } from '../service/console-service.ts';
import { csvOf, ndjsonOf } from '../text/rows.ts';
import { runSearch, withParts } from './find-page.ts';
import { fieldValue } from './hit-table.tsx';

/** The search whose hits are saved. */
export interface DownloadProps {
  readonly place: SearchPlace;
  readonly description: IndexDescription;
  readonly wanted: ModeRequest;
}

/** Hits of a file, at most. */
const MOST_HITS = 10_000;
const PAGE = 1000;

/** Saves the hits with the columns on the screen, up to 10,000. */
export function Download({ place, description, wanted }: DownloadProps) {
  const service = useService();
  const action = useAction();
  const { fields } = description;
  const shown = fields.filter(({ name, cached }) => place.columns?.includes(name) ?? cached);
  const save = (ending: 'csv' | 'ndjson') =>
    action.run(async () => {
      const hits = await allHits(service, wanted);
      const rows = hits.map((hit) => rowOf(hit, shown));
      const text = ending === 'csv' ? csvOf(rows) : ndjsonOf(rows);
      saveFile(`${description.index}.${ending}`, text);
    });
  return (
    <p class="download">
      {(['csv', 'ndjson'] as const).map((ending) => (
        <button key={ending} type="button" disabled={action.isRunning} onClick={() => save(ending)}>
          Save as {ending.toUpperCase()}
        </button>
      ))}{' '}
      <span class="quiet">up to 10,000 hits</span>
      {action.error !== undefined && <Problem error={action.error} />}
    </p>
  );
}

const rowOf = (
  hit: Hit,
  fields: IndexDescription['fields'],
): readonly (readonly [string, Json])[] => [
  ['_key', hit.key],
  ...fields.map((field) => [field.name, fieldValue(hit, field)] as const),
];

/** The hits of a search, page by page. Throws ServiceError. */
async function allHits(service: ConsoleService, wanted: ModeRequest): Promise<readonly Hit[]> {
  const { signal } = new AbortController();
  const limit = wanted.mode === 'lexical' ? PAGE : MOST_HITS;
  const plain = { limit, offset: undefined, highlight: undefined, facets: undefined };
  const hits: Hit[] = [];
  let after: readonly Json[] | undefined;
  do {
    const search = withParts(wanted, { ...plain, search_after: after });
    const page = (await runSearch(service, search, signal)).hits;
    hits.push(...page);
    after = page.length === PAGE ? page[PAGE - 1].sort : undefined;
  } while (after !== undefined && hits.length < MOST_HITS);
  return hits;
}

/** Has the browser save a text. */
function saveFile(name: string, text: string): void {
  const href = URL.createObjectURL(new Blob([text]));
  const link = Object.assign(document.createElement('a'), { href, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}
