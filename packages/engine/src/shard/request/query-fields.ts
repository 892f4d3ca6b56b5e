import type { Type } from '@lakehouse-search/lake';
import type { FlatPath, QueryFields } from '../../query/bind/fields.ts';
import { type SynonymTable, synonymTable } from '../../query/bind/synonyms.ts';
import type { MappedField, Mapping } from '../../schema/mapping.ts';
import { pathField } from '../../schema/variant-terms.ts';

const fieldsOfMapping = new WeakMap<Mapping, QueryFields>();

/** The fields of a mapping as queries see them, with the documents of `knn` clauses by name. */
export function queryFields(
  mapping: Mapping,
  precomputed?: QueryFields['precomputed'],
): QueryFields {
  let fields = fieldsOfMapping.get(mapping);
  if (fields === undefined) fieldsOfMapping.set(mapping, (fields = readFields(mapping)));
  return precomputed === undefined ? fields : { ...fields, precomputed };
}

function readFields(mapping: Mapping): QueryFields {
  const plans = new Map(mapping.fields.map((field) => [field.plan.name, field.plan]));
  const fast = mapping.fields.filter((field) => field.definition?.fast === true);
  const ids = new Set(fast.map((field) => field.plan.id));
  const without = mapping.fields.filter((field) => field.definition?.indexed === false);
  const unindexed = new Set(without.map((field) => field.plan.id));
  const declared = declaredPaths(mapping, plans);
  const { key } = mapping;
  const synonyms = synonymsOf(mapping);
  return {
    ...{ index: mapping.definition.index, plans, key, fast: ids, unindexed, declared },
    source: mapping.definition.source,
    columns: columnNames(mapping),
    exact: exactFields(mapping),
    leaves: mapping.columns
      .filter(({ name }) => plans.has(pathField(name)))
      .flatMap(({ name, type }) => leafPaths(type, name)),
    ...(synonyms && { synonyms }),
  };
}

const columnNames = ({ fields, columns }: Mapping): ReadonlyMap<number, string> =>
  new Map(
    fields.flatMap(({ plan, source }) =>
      source.kind === 'columns' && source.columns.length === 1
        ? [[plan.id, columns[source.columns[0]].name]]
        : [],
    ),
  );

const leafPaths = (type: Type, path: string): readonly string[] =>
  type.kind === 'struct'
    ? type.fields.flatMap((field) => leafPaths(field.type, `${path}.${field.name}`))
    : [path];

/** By the id of each other field: the fast KEYWORD field with the same columns. */
function exactFields({ fields }: Mapping): ReadonlyMap<number, string> {
  const columnsOf = ({ source }: MappedField) =>
    source.kind === 'columns' ? source.columns.join() : undefined;
  const isExact = ({ plan, definition }: MappedField) =>
    plan.type === 'KEYWORD' && definition?.fast === true;
  const names = new Map(fields.filter(isExact).map((field) => [columnsOf(field), field.plan.name]));
  names.delete(undefined);
  const others = fields.filter((field) => !isExact(field) && names.has(columnsOf(field)));
  return new Map(others.map((field) => [field.plan.id, names.get(columnsOf(field))!]));
}

/** The synonyms of a mapping's fields, each analysed with its first query; undefined: none. */
function synonymsOf({ definition, fields }: Mapping): QueryFields['synonyms'] {
  const rules = new Map(
    fields.map((field) => [field.plan.id, field.definition?.synonyms ?? definition.synonyms ?? []]),
  );
  if ([...rules.values()].every((own) => own.length === 0)) return undefined;
  const tables = new Map<number, SynonymTable>();
  return ({ id, inverted }) => {
    const own = rules.get(id) ?? [];
    if (own.length === 0 || inverted?.kind !== 'text') return undefined;
    const table = tables.get(id) ?? synonymTable(own, inverted.analyzer);
    tables.set(id, table);
    return table;
  };
}

/** Declared fields whose variant column is also flattened: by id, where their path's terms are. */
function declaredPaths(
  mapping: Mapping,
  plans: QueryFields['plans'],
): ReadonlyMap<number, FlatPath> {
  const declared = new Map<number, FlatPath>();
  for (const { plan, definition } of mapping.fields) {
    if (definition?.path === undefined || plan.folded !== undefined) continue;
    const paths = plans.get(pathField(definition.source[0]));
    if (paths !== undefined) {
      declared.set(plan.id, { plan: paths, path: definition.path.join('.') });
    }
  }
  return declared;
}
