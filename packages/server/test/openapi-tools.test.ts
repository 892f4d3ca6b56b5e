// @module-tag campaign
// @module-tag program
/**
 * The description of REST, read by other people's tools: Spectral (LHS_SPECTRAL, its program) and
 * OpenAPI Generator (LHS_OPENAPI_GENERATOR, its jar). Skipped without them; CI installs both.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApi } from '../src/openapi/document.ts';

const { LHS_SPECTRAL: spectral = '', LHS_OPENAPI_GENERATOR: generator = '' } = process.env;

describe('the description of REST', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lhs-openapi-'));
  const file = join(folder, 'openapi.json');
  beforeAll(() => {
    writeFileSync(file, JSON.stringify(openApi('1.0.0')));
    writeFileSync(join(folder, 'rules.yaml'), 'extends: ["spectral:oas"]\n');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.skipIf(spectral === '')('has no error and no warning of Spectral', () => {
    const args = ['lint', file, '--ruleset', join(folder, 'rules.yaml'), '--fail-severity', 'warn'];
    expect(execFileSync(spectral, args, { encoding: 'utf8' })).toContain('No results');
  });

  it.skipIf(generator === '')('is made to a client by OpenAPI Generator, unchanged', () => {
    const target = join(folder, 'python');
    const args = ['-jar', generator, 'generate', '-g', 'python', '-i', file, '-o', target];
    execFileSync('java', args, { stdio: 'ignore' });
    const methods = readFileSync(join(target, 'openapi_client/api/search_api.py'), 'utf8');
    expect(methods).toContain('def search(');
  });
});
