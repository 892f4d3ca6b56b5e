import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { ROOT } from './sources.ts';

const REPOSITORY = 'https://github.com/lakehouse-search/lhs';

describe.each(readdirSync(join(ROOT, 'packages')))('the package %s', (folder) => {
  const at = (file: string) => join(ROOT, 'packages', folder, file);
  const manifest = JSON.parse(readFileSync(at('package.json'), 'utf8'));

  it('says what it is, where its source is and where to report a fault', () => {
    expect(manifest).toMatchObject({
      description: expect.stringMatching(/\w{4}/),
      homepage: `${REPOSITORY}/tree/main/packages/${folder}#readme`,
      bugs: `${REPOSITORY}/issues`,
      license: 'Apache-2.0',
      repository: {
        type: 'git',
        url: `git+${REPOSITORY}.git`,
        directory: `packages/${folder}`,
      },
    });
    expect(manifest.keywords.length).toBeGreaterThan(3);
  });

  it('has a README, which npm shows, and a license', () => {
    const [head] = readFileSync(at('README.md'), 'utf8').split('\n');
    expect(head).toBe(`# ${manifest.name}`);
    expect(existsSync(at('LICENSE'))).toBe(true);
  });
});

const TEXT = { type: 'string', minLength: 1 };
/** An object with these members and no others. */
const object = (properties: Record<string, object>, required: readonly string[]) => ({
  ...{ type: 'object', properties, required, additionalProperties: false },
});
/** The part of the format of 2025-12-11 that an npm package over stdio uses. */
const ENTRY = object(
  {
    $schema: {
      const: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    },
    name: { type: 'string', pattern: '^[\\w.-]+/[\\w.-]+$', maxLength: 200 },
    title: { ...TEXT, maxLength: 100 },
    description: { ...TEXT, maxLength: 100 },
    repository: object({ url: TEXT, source: TEXT }, ['url', 'source']),
    version: { ...TEXT, maxLength: 255 },
    packages: {
      type: 'array',
      items: object(
        {
          registryType: { const: 'npm' },
          identifier: TEXT,
          version: { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+' },
          transport: object({ type: { const: 'stdio' } }, ['type']),
          packageArguments: {
            items: object({ type: { const: 'positional' }, value: TEXT }, ['type', 'value']),
          },
          environmentVariables: {
            items: object({ name: TEXT, description: TEXT, isRequired: { type: 'boolean' } }, [
              'name',
            ]),
          },
        },
        ['registryType', 'identifier', 'transport'],
      ),
    },
  },
  ['name', 'description', 'version'],
);

describe('the entry of the MCP registry', () => {
  const read = (name: string) => JSON.parse(readFileSync(join(ROOT, 'packages/cli', name), 'utf8'));

  it('names the package of the command, its version and the server', () => {
    const { name, version, mcpName } = read('package.json');
    const entry = read('server.json');
    expect(entry).toMatchObject({ name: mcpName, version, repository: { url: REPOSITORY } });
    expect(entry.packages).toMatchObject([{ identifier: name, version }]);
  });

  it('has the members, forms and lengths that the registry takes', () => {
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(ENTRY);
    const entry = read('server.json');
    expect(validate(entry), JSON.stringify(validate.errors)).toBe(true);
    const [own] = entry.packages;
    for (const wrong of [
      { ...entry, name: 'lhs' },
      { ...entry, description: 'x'.repeat(101) },
      { ...entry, package: [] },
      { ...entry, packages: [{ ...own, version: 'latest' }] },
      { ...entry, packages: [{ ...own, packageArguments: [{ type: 'positional' }] }] },
      { ...entry, packages: [{ ...own, transport: { type: 'http' } }] },
    ]) {
      expect(validate(wrong), JSON.stringify(wrong)).toBe(false);
    }
  });
});
