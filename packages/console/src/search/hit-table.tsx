import type { FieldDescription, Hit, IndexDescription, Json } from '@lakehouse-search/contract';
import { DataTable } from '../parts/data-table.tsx';
import { hrefOf, type SearchPlace } from '../place/place.ts';
import { instantText, keyParts, keyText, valueText } from '../text/values.ts';
import { visible } from '../text/visible.ts';

/** Hits as a table. */
export interface HitTableProps {
  readonly hits: readonly Hit[];
  readonly place: SearchPlace;
  readonly description: IndexDescription;
  readonly columns: readonly string[];
}

const FIGURES = new Set(['LONG', 'DOUBLE']);

/** The chosen fields of each hit, behind its key. */
export function HitTable({ hits, place, description, columns }: HitTableProps) {
  const { fields } = description;
  const shown = columns.flatMap((name) => fields.find((field) => field.name === name) ?? []);
  const open = place.row && keyText(place.row);
  return (
    <DataTable
      caption="Columns of the hits"
      rows={hits}
      keyOf={({ key }) => key}
      empty=""
      columns={[
        {
          head: 'Row',
          cell: ({ coordinates, key }) => (
            <a
              class="hit-link"
              href={hrefOf({ ...place, row: keyParts(coordinates) })}
              aria-current={open === keyText(keyParts(coordinates)) ? 'true' : undefined}
            >
              <bdi>{key}</bdi>
            </a>
          ),
        },
        ...shown.map((field) => ({
          head: field.name,
          isFigure: FIGURES.has(field.type),
          cell: (hit: Hit) => <bdi class="cell">{cellText(fieldValue(hit, field))}</bdi>,
        })),
      ]}
    />
  );
}

/** The cached value of a field, or that of its column in the row. */
export function fieldValue(
  { fields, row }: Hit,
  { name, source: [column = ''] }: FieldDescription,
): Json {
  const cached = fields?.[name];
  if (cached !== undefined) return cached;
  const [first, ...rest] = column.split('.');
  return rest.reduce<Json>(
    (value, part) =>
      value !== null && typeof value === 'object' && !Array.isArray(value)
        ? ((value as { readonly [name: string]: Json })[part] ?? null)
        : null,
    row?.[first] ?? null,
  );
}

const LONGEST = 200;

function cellText(value: Json): string {
  if (value === null) return '';
  const text = visible(instantText(valueText(value)));
  return text.length > LONGEST ? `${text.slice(0, LONGEST)} …` : text;
}
