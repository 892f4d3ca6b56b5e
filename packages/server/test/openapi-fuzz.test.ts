// @module-tag campaign
/**
 * Random requests from the description of REST. Each response has a documented status (500 is
 * none) and the schema of that status, with no further fields.
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byEffort } from '../../../test/support/effort.ts';
import {
  type Described,
  type FuzzRequest,
  type OpenApi,
  OpenApiRequests,
} from './support/openapi-requests.ts';
import { startTickets, type TicketService } from './support/tickets.ts';

const REQUESTS = byEffort(250, 4000, 50_000);
/** For all requests, on a machine that does other work as well. */
const CAMPAIGN_MS = 3_600_000;
const SEED = Number(process.env.LHS_SEED ?? 5);

let service: TicketService;
let document: OpenApi;
let ajv: Ajv2020;

beforeAll(async () => {
  service = await startTickets({ auth: false });
  const response = await fetch(`${service.server.url}/v1/openapi.json`);
  document = (await response.json()) as OpenApi;
  ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: false });
  ajv.addSchema(closed(document) as object, 'api');
});
afterAll(() => service?.stop());

/** The description, whose objects have no fields that it does not name. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, closed(one)]));
  const { properties, additionalProperties, type } = copy;
  const isObject = type === 'object' && typeof properties === 'object';
  return isObject && additionalProperties === undefined
    ? { ...copy, additionalProperties: false }
    : copy;
}

const pointer = (path: string): string => path.replaceAll('~', '~0').replaceAll('/', '~1');
const validators = new Map<string, ValidateFunction>();

/** The check of a response body: that of the status, or of an error. */
function validatorOf(operation: Described | null, status: number, type: string): ValidateFunction {
  const at = operation === null || status >= 400 ? undefined : placeOf(operation);
  const name =
    at === undefined
      ? 'api#/components/schemas/Error'
      : `api#/paths/${pointer(at.path)}/${at.verb}/responses/${status}/content/` +
        `${pointer(type)}/schema`;
  let validate = validators.get(name);
  if (validate === undefined) {
    validate = ajv.compile({ $ref: encodeURI(name) });
    validators.set(name, validate);
  }
  return validate;
}

function placeOf(operation: Described): { path: string; verb: string } {
  for (const [path, verbs] of Object.entries(document.paths)) {
    for (const [verb, one] of Object.entries(verbs)) {
      if (one.operationId === operation.operationId) return { path, verb };
    }
  }
  throw new Error(`no operation ${operation.operationId}`);
}

/** Faults of a response; empty: it is as described. */
async function faultsOf(request: FuzzRequest): Promise<readonly string[]> {
  const { method, target, headers, body, operation } = request;
  const response = await fetch(`${service.server.url}${target}`, { method, headers, body });
  const text = await response.text();
  const { status } = response;
  seen.set(status, (seen.get(status) ?? 0) + 1);
  const documented =
    operation === null ? status >= 400 && status < 500 : Object.hasOwn(operation.responses, status);
  const faults: string[] = [];
  if (!documented) faults.push(`status ${status} is not documented`);
  if (method === 'HEAD') return faults;
  const [type] = (response.headers.get('content-type') ?? '').split(';');
  const validate = validatorOf(operation, status, type);
  const lines = type === 'application/x-ndjson' ? text.trimEnd().split('\n') : [text];
  for (const line of lines) {
    if (line === '' || (lines.length > 1 && line.startsWith('{"error":'))) continue;
    if (validate(JSON.parse(line))) continue;
    faults.push(`${ajv.errorsText(validate.errors)}: ${line.slice(0, 300)}`);
  }
  return faults.map((fault) => `${status} ${fault}`);
}
const seen = new Map<number, number>();

describe('random requests of the description', () => {
  it(
    `get ${REQUESTS} responses that it describes`,
    async () => {
      const requests = new OpenApiRequests(document, SEED);
      const faults: string[] = [];
      for (let n = 0; n < REQUESTS && faults.length < 10; n++) {
        const request = requests.next();
        for (const fault of await faultsOf(request)) {
          const { method, target, body } = request;
          faults.push(`request ${n}: ${method} ${target} ${body?.slice(0, 400)} -> ${fault}`);
        }
      }
      expect(faults).toEqual([]);
      const good = [...seen].filter(([status]) => status < 300);
      expect(good.reduce((sum, [, count]) => sum + count, 0)).toBeGreaterThan(REQUESTS / 8);
      if (process.env.LHS_SHOW !== undefined) console.log(Object.fromEntries(seen));
    },
    CAMPAIGN_MS,
  );

  it('leave the server alive, and the index whole', async () => {
    const body = JSON.stringify({ index: 'tickets', query: '*:*' });
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body };
    const response = await fetch(`${service.server.url}/v1/search`, init);
    expect(((await response.json()) as { total: number }).total).toBe(60);
  });
});
