import type { FastifyInstance } from 'fastify';
import { sendJson } from '../rest/send-json.ts';
import { openApi } from './document.ts';

/** Adds `GET /v1/openapi.json`, which needs no authentication. */
export function addOpenApi(rest: FastifyInstance, version: string): void {
  let text: string | undefined;
  rest.get('/v1/openapi.json', (request, reply) => {
    text ??= JSON.stringify(openApi(version));
    return sendJson(request, reply, 200, text);
  });
}
