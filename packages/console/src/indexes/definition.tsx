import type { FieldDescription, IndexDescription, Json } from '@lakehouse-search/contract';
import { DataTable, Facts } from '../parts/data-table.tsx';
import { bytes, count } from '../text/figures.ts';
import { valueText } from '../text/values.ts';

/** What the definition of an index says: source, key, fields, analyzers. */
export function Definition({ description }: { readonly description: IndexDescription }) {
  const { source, key, fields, default_fields, tenant_field, analyzers, variants } = description;
  return (
    <>
      <h2>Definition</h2>
      <Facts
        facts={[
          ...Object.entries(source ?? {}).map(([name, v]) => [`source ${name}`, plain(v)] as const),
          ['key', [...key.partition, ...key.identifier].join(', ')],
          ['bare words search', default_fields.join(', ')],
          ['tenant', tenant_field],
          ['analyzers', analyzers.map(({ name }) => name).join(', ')],
          ['variants', variants.map(({ column }) => column).join(', ')],
        ]}
      />
      <DataTable
        caption="Fields"
        rows={fields}
        keyOf={({ name }) => name}
        empty="No fields."
        columns={[
          {
            head: 'Field',
            cell: ({ name, description: words }) => (
              <>
                <code>{name}</code>
                {words !== undefined && <p class="quiet">{words}</p>}
              </>
            ),
          },
          { head: 'Type', cell: ({ type }) => type },
          { head: 'Can', cell: (field) => abilities(field).join(', ') },
          { head: 'Details', cell: (field) => details(field, description) },
        ]}
      />
    </>
  );
}

/** A setting of the source: a catalog has several of its own. */
function plain(value: Json): string {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return valueText(value);
  return Object.entries(value)
    .map(([name, one]) => `${name} ${valueText(one)}`)
    .join(' · ');
}

function abilities({ indexed, fast, cached, sensitive }: FieldDescription): readonly string[] {
  return [
    ...(indexed ? ['search'] : []),
    ...(fast ? ['sort and count'] : []),
    ...(cached ? ['show'] : []),
    ...(sensitive === true ? ['sensitive'] : []),
  ];
}

function details(
  { name, analyzer, folded, source, path }: FieldDescription,
  { vector_fields }: IndexDescription,
): string {
  const vector = vector_fields.find((one) => one.name === name);
  const from = source.join(', ');
  return [
    ...(analyzer === undefined ? [] : [analyzer]),
    ...(folded ? ['without case and accents'] : []),
    ...(path === undefined ? [] : [`path ${path}`]),
    ...(from === name || from === '' ? [] : [`from ${from}`]),
    ...(vector === undefined ? [] : [`${count(vector.dims)} dimensions`, vector.similarity]),
    ...(vector?.model ? [vector.model.name] : []),
    ...(vector?.bytes === undefined ? [] : [bytes(vector.bytes)]),
  ].join(' · ');
}
