import { docOf, fieldsOf, METHODS, type WireMethod } from '@lakehouse-search/client/internal';
import { ERROR_CODES } from '@lakehouse-search/contract';
import { OTHER_PATHS, OTHER_TAGS } from './other-paths.ts';
import { type Schema, Schemas } from './schemas.ts';

/** The description of the REST interface (OpenAPI 3.1), from the descriptors of all operations. */
export function openApi(version: string): object {
  const schemas = new Schemas();
  const paths: Record<string, Record<string, object>> = {};
  for (const method of Object.values(METHODS)) {
    const { verb, path, also = [] } = method.route;
    for (const [at, binding] of [`${verb} ${path}`, ...also].entries()) {
      const [ownVerb, ownPath] = binding.split(' ');
      const described = operation(method, ownVerb, ownPath, schemas);
      const id = at === 0 ? method.operation : `${method.operation}${at + 1}`;
      (paths[ownPath] ??= {})[ownVerb.toLowerCase()] = { operationId: id, ...described };
    }
  }
  return {
    openapi: '3.1.0',
    info: { ...INFO, version },
    servers: [{ url: '/' }],
    tags: [
      ...new Set(Object.values(METHODS).map(({ service }) => service.name)),
      ...OTHER_TAGS,
    ].map((name) => ({ name })),
    security: [{ bearer: [] }, { apiKey: [] }, {}],
    paths: { ...paths, ...OTHER_PATHS },
    components: {
      schemas: { ...schemas.all, Error: ERROR },
      securitySchemes: SECURITY,
      responses: { Error: { description: 'An error.', content: json(REF_ERROR) } },
    },
  };
}

const INFO = {
  title: 'lakehouse search',
  description:
    'Search indexes over lakehouse tables: docs/rest.md describes the rules of all routes.',
  contact: { name: 'lhs', url: 'https://github.com/lakehouse-search/lhs' },
  license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
};
const REF_ERROR = { $ref: '#/components/schemas/Error' };
const ERROR: Schema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'status', 'message', 'details'],
      properties: {
        code: { type: 'string', enum: Object.keys(ERROR_CODES) },
        status: { type: 'integer' },
        message: { type: 'string' },
        details: { type: 'object' },
      },
    },
  },
};
const SECURITY = {
  bearer: { type: 'http', scheme: 'bearer', description: 'A session token.' },
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'authorization',
    description: 'An API token: `ApiKey TOKEN`.',
  },
};

const json = (schema: Schema, example?: unknown) => ({
  'application/json': { schema, ...(example === undefined ? {} : { example }) },
});

function operation(method: WireMethod, verb: string, path: string, schemas: Schemas): object {
  const { route } = method;
  const { scope } = route;
  const inBody = verb === 'POST' || verb === 'PUT';
  const status = String(route.status ?? 200);
  return {
    tags: [method.service.name],
    ...(docOf(route.rpc) === undefined ? {} : { description: docOf(route.rpc) }),
    ...(scope === null ? { security: [] } : { 'x-lhs-scope': scope }),
    parameters: [...parameters(method, path, inBody, schemas), TIMEOUT],
    ...(inBody ? { requestBody: body(method, path, schemas) } : {}),
    responses: {
      [status]: { description: 'Success.', content: answer(method, schemas) },
      ...refusals(method, scope !== null, inBody),
    },
  };
}

/** The statuses of errors. 500 is none of them: it is a fault of the service. */
function refusals({ operation: name }: WireMethod, isClosed: boolean, inBody: boolean): object {
  const statuses = [
    400,
    ...(isClosed ? [401, 403] : name === 'login' ? [401] : []),
    ...[404, 412],
    ...(inBody ? [413, 415] : []),
    ...[429, 501, 503, 504],
  ];
  const error = { $ref: '#/components/responses/Error' };
  return Object.fromEntries(statuses.map((status) => [String(status), error]));
}

const TIMEOUT = {
  name: 'lhs-timeout-ms',
  in: 'header',
  description: 'The call ends with 504 after so many milliseconds.',
  schema: { type: 'integer', minimum: 0 },
};

const namesIn = (path: string): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);

function parameters(
  { input }: WireMethod,
  path: string,
  inBody: boolean,
  schemas: Schemas,
): readonly object[] {
  const inPath = namesIn(path);
  return fieldsOf(input)
    .filter(({ name }) => !inBody || inPath.includes(name))
    .map((field) => {
      const isPath = inPath.includes(field.name);
      const schema = schemas.field(input, field, true);
      const required = isPath || field.required;
      return { name: field.name, in: isPath ? 'path' : 'query', required, schema };
    });
}

function body({ route, input }: WireMethod, path: string, schemas: Schemas) {
  const inPath = namesIn(path);
  const defaults = Object.keys(route.defaults ?? {});
  const own = inPath.length > 0 || defaults.length > 0;
  const without = new Set([...inPath, ...defaults]);
  const schema = own ? schemas.object(input, true, without) : schemas.reference(input, true);
  const whole = Object.entries(route.example).filter(([key]) => !without.has(key));
  const isRequired = fieldsOf(input).some((field) => field.required && !without.has(field.name));
  return { required: isRequired, content: json(schema, Object.fromEntries(whole)) };
}

function answer({ route, output }: WireMethod, schemas: Schemas): object {
  if (route.stream === 'responses') {
    return { 'application/x-ndjson': { schema: schemas.reference(output, false) } };
  }
  if (route.list === undefined) return json(schemas.reference(output, false));
  const [list] = fieldsOf(output);
  return json({ type: 'array', items: schemas.reference(list.message!, false) });
}
