import type { IndexDescription } from '@lakehouse-search/contract';
import type { SearchPlace } from '../place/place.ts';
import { goTo } from '../place/use-place.ts';

/** Columns of a table that nobody has chosen. */
const FIRST_COLUMNS = 6;

/** The columns of a table of hits: TEXT first, then other cached fields. */
function firstColumns({ fields, key }: IndexDescription): readonly string[] {
  const cached = fields.filter((field) => field.cached && !key.identifier.includes(field.name));
  const texts = cached.filter(({ type }) => type === 'TEXT');
  const others = cached.filter(({ type }) => type !== 'TEXT');
  return [...texts.slice(0, 1), ...others].slice(0, FIRST_COLUMNS).map(({ name }) => name);
}

/** A list or a table of the hits, and the columns of the table. */
export function ViewChoice({
  place,
  description,
}: {
  readonly place: SearchPlace;
  readonly description: IndexDescription;
}) {
  const { columns } = place;
  const show = (next: readonly string[] | undefined) => goTo({ ...place, columns: next }, true);
  const isShown = (name: string) => columns?.includes(name) === true;
  const names = description.fields.filter(({ type }) => type !== 'VECTOR').map(({ name }) => name);
  return (
    <div class="view-choice">
      <button type="button" aria-pressed={columns === undefined} onClick={() => show(undefined)}>
        List
      </button>
      <button
        type="button"
        aria-pressed={columns !== undefined}
        onClick={() => columns === undefined && show(firstColumns(description))}
      >
        Table
      </button>
      {columns !== undefined && (
        <details>
          <summary>Columns</summary>
          <fieldset>
            <legend class="hidden">Columns of the table</legend>
            {names.map((name) => (
              <label key={name}>
                <input
                  type="checkbox"
                  checked={isShown(name)}
                  onChange={() =>
                    show(isShown(name) ? columns.filter((one) => one !== name) : [...columns, name])
                  }
                />
                <bdi>{name}</bdi>
              </label>
            ))}
          </fieldset>
        </details>
      )}
    </div>
  );
}
