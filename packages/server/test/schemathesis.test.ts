// @module-tag campaign
// @module-tag program
/** The description of REST under Schemathesis, a fuzzer that others wrote, if it is installed. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byEffort } from '../../../test/support/effort.ts';
import { startTickets, type TicketService } from './support/tickets.ts';

const PROGRAM = process.env.LHS_SCHEMATHESIS;
/** `npm test` leaves it to the campaigns. */
const isBrief = byEffort(true, false);

/** 5xx statuses that the description has. */
const CONFIG = `[checks.not_a_server_error]
expected-statuses = ["2xx", "3xx", "4xx", "501", "503", "504"]
`;
const CHECKS = [
  ...['not_a_server_error', 'status_code_conformance', 'content_type_conformance'],
  'response_schema_conformance',
].join(',');

describe.skipIf(isBrief || PROGRAM === undefined)(
  'the description of REST under Schemathesis',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'lhs-schemathesis-'));
    let service: TicketService;
    beforeAll(async () => {
      service = await startTickets({ auth: false });
    });
    afterAll(async () => {
      await service?.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    it('has no response that it does not describe', async () => {
      const config = join(folder, 'schemathesis.toml');
      writeFileSync(config, CONFIG);
      const { url } = service.server;
      const args = [
        ...['--config-file', config, 'run', `${url}/v1/openapi.json`, '--checks', CHECKS],
        ...['--exclude-path-regex', '^/(mcp|v1/stats)'], // they speak protocols of their own
        ...['--max-examples', '40', '--seed', '7', '--phases', 'examples,fuzzing'],
        ...['--header', 'lhs-timeout-ms: 400', '--no-color'],
      ];
      const { code, out } = await new Promise<{ code: number; out: string }>((resolve) => {
        const options = { cwd: folder, maxBuffer: 2 ** 26 };
        execFile(PROGRAM as string, args, options, (error, stdout, stderr) => {
          resolve({ code: error === null ? 0 : 1, out: stdout + stderr });
        });
      });
      expect(code, out.slice(-6000)).toBe(0);
      expect((await fetch(`${url}/livez`)).status).toBe(200);
    });
  },
);
