/**
 * Routes that are no operations of a backend: the Model Context Protocol and the queries of
 * metrics, whose bodies are those of their own protocols.
 */
const ERROR = { $ref: '#/components/responses/Error' };
const ANSWER = { description: 'Success.', content: { 'application/json': { schema: {} } } };
const REFUSALS = Object.fromEntries(
  ['400', '401', '403', '429', '501', '503'].map((status) => [status, ERROR]),
);
const TEXT = { type: 'string' };

const text = (name: string, required: boolean) => ({
  name,
  in: 'query',
  required,
  schema: TEXT,
});

const stats = (operationId: string, description: string, parameters: readonly object[]) => ({
  get: {
    operationId,
    tags: ['Stats'],
    description,
    'x-lhs-scope': 'index_read',
    parameters,
    responses: { '200': ANSWER, ...REFUSALS },
  },
});

const RANGE = [text('query', true), text('start', true), text('end', true), text('step', true)];

/** The tags of `OTHER_PATHS`. */
export const OTHER_TAGS = ['Agents', 'Stats'];

/** The descriptions of these routes (OpenAPI 3.1). */
export const OTHER_PATHS = {
  '/mcp': {
    post: {
      operationId: 'mcp',
      tags: ['Agents'],
      description: 'One message of the Model Context Protocol over streamable HTTP.',
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { type: 'object' } } },
      },
      responses: {
        '200': {
          description: 'Success.',
          content: { 'application/json': { schema: {} }, 'text/event-stream': { schema: TEXT } },
        },
        '202': { description: 'A notification, which has no response.' },
        ...REFUSALS,
      },
    },
  },
  '/v1/stats/query': stats('statsQuery', 'A query of the Prometheus server.', [
    text('query', true),
    text('time', false),
  ]),
  '/v1/stats/query_range': stats('statsQueryRange', 'A query over a range of time.', RANGE),
  '/v1/stats/alerts': stats('statsAlerts', 'The alerts of the Prometheus server.', []),
} as const;
