import { describe, expect, it } from 'vitest';
import { type ClientName, clientConfig } from './client-config.ts';

const stdio = { kind: 'stdio', command: 'lhs', args: ['mcp', '--data-dir', '/d'] } as const;
const http = { kind: 'http', url: 'https://s.example/mcp', token: true } as const;

describe('the configuration of a client', () => {
  it.each<[ClientName, string, string]>([
    ['claude', 'claude_desktop_config.json', 'mcpServers'],
    ['cursor', '.cursor/mcp.json', 'mcpServers'],
    ['vscode', '.vscode/mcp.json', 'servers'],
  ])('starts the command from %s', (client, file, key) => {
    const made = clientConfig(client, stdio);
    expect(made.file).toBe(file);
    expect(made.config[key]).toMatchObject({ lhs: { command: 'lhs', args: stdio.args } });
  });

  it('never contains a token, but asks for it or reads a variable', () => {
    expect(clientConfig('vscode', http).config).toMatchObject({
      inputs: [{ type: 'promptString', password: true }],
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the client fills it in
      servers: { lhs: { url: http.url, headers: { authorization: 'ApiKey ${input:lhs-token}' } } },
    });
    expect(JSON.stringify(clientConfig('cursor', http).config)).toContain('env:LHS_AUTHORIZATION');
    const open = { ...http, token: false };
    expect(JSON.stringify(clientConfig('cursor', open).config)).not.toContain('headers');
  });

  it('has no file for Claude over HTTP', () => {
    expect(() => clientConfig('claude', http)).toThrow(/reads no file/);
  });
});
