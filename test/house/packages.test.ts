import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
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

describe('the entry of the MCP registry', () => {
  const read = (name: string) => JSON.parse(readFileSync(join(ROOT, 'packages/cli', name), 'utf8'));

  it('names the package of the command, its version and the server', () => {
    const { name, version, mcpName } = read('package.json');
    const entry = read('server.json');
    expect(entry).toMatchObject({ name: mcpName, version, repository: { url: REPOSITORY } });
    expect(entry.packages).toMatchObject([{ identifier: name, version }]);
    expect(entry.description.length).toBeLessThanOrEqual(100);
  });
});
