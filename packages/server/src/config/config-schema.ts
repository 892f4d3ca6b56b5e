import { CATALOG_SETTINGS, CATALOG_TYPES } from '@lakehouse-search/contract/internal';
import { SERVER_SETTINGS, type ServerSetting } from './settings.ts';

type Schema = Readonly<Record<string, unknown>>;

const TEXT: Schema = { type: 'string' };
const closed = (properties: Readonly<Record<string, Schema>>, ...required: string[]): Schema => ({
  type: 'object',
  properties,
  additionalProperties: false,
  ...(required.length === 0 ? {} : { required }),
});
const namedBy = (value: Schema): Schema => ({
  type: 'object',
  propertyNames: { pattern: '^[a-z0-9][a-z0-9_-]{0,62}$' },
  additionalProperties: value,
});

/** The JSON Schema of the configuration file, for editors. */
export function configJsonSchema(): Schema {
  const catalog = {
    oneOf: CATALOG_TYPES.map((type) => {
      const { required, settings } = CATALOG_SETTINGS[type];
      const names = Object.fromEntries(Object.keys(settings).map((name) => [name, {}]));
      return closed({ type: { const: type }, ...names }, 'type', required);
    }),
  };
  const claims = closed({ subject: TEXT, roles: TEXT, indexes: TEXT, tenant: TEXT });
  const jwks = { oneOf: [closed({ file: TEXT }, 'file'), closed({ url: TEXT }, 'url')] };
  const issuer = closed(
    {
      name: TEXT,
      issuer: TEXT,
      audience: TEXT,
      jwks,
      claims,
      role_names: namedBy({ enum: ['reader', 'operator', 'admin'] }),
    },
    ...['name', 'issuer', 'audience', 'jwks', 'claims'],
  );
  const license = closed(
    { licensee: TEXT, nodes_limit: { type: ['integer', 'null'], minimum: 1 } },
    'licensee',
  );
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'configuration of lhs serve',
    ...closed({
      ...singleSchemas(),
      catalogs: namedBy(catalog),
      roots: namedBy(TEXT),
      models: namedBy(TEXT),
      issuers: { type: 'array', maxItems: 20, items: issuer },
      license,
    }),
  };
}

function singleSchemas(): Readonly<Record<string, Schema>> {
  const schemas: Record<string, Schema> = {};
  const groups = new Map<string, Record<string, Schema>>();
  for (const [path, setting] of Object.entries(SERVER_SETTINGS)) {
    const [first, second] = path.split('.');
    if (second === undefined) schemas[first] = schemaOf(setting);
    else groups.set(first, { ...groups.get(first), [second]: schemaOf(setting) });
  }
  for (const [name, fields] of groups) schemas[name] = closed(fields);
  return schemas;
}

function schemaOf({ type, meaning, least, most }: ServerSetting): Schema {
  const description = meaning;
  if (type === 'flag') return { type: 'boolean', description };
  if (type === 'whole') return { type: 'integer', minimum: least, maximum: most, description };
  if (type === 'memory')
    return { type: 'string', pattern: '^\\d{1,6}\\s*[MmGg]i[Bb]$', description };
  return { type: 'string', minLength: 1, description };
}
