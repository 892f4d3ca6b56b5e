import { describe, expect, it } from 'vitest';
import { type ClientName, clientConfig } from './client-config.ts';

const stdio = { kind: 'stdio', command: 'lhs', args: ['mcp', '--data-dir', '/d'] } as const;
const http = { kind: 'http', url: 'https://s.example/mcp', token: true } as const;

describe('the configuration of a client', () => {
  it.each<[ClientName, string, string]>([
    ['claude', 'claude_desktop_config.json', 'mcpServers'],
    ['cursor', '.cursor/mcp.json', 'mcpServers'],
    ['vscode', '.vscode/mcp.json', 'servers'],
    ['codex', '~/.codex/config.toml', 'mcp_servers'],
    ['gemini', '~/.gemini/settings.json', 'mcpServers'],
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
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the client fills it in
    const headers = { authorization: '${LHS_AUTHORIZATION}' };
    expect(clientConfig('gemini', http).config).toEqual({
      mcpServers: { lhs: { httpUrl: http.url, headers } },
    });
  });

  it('is TOML for Codex', () => {
    expect(clientConfig('codex', http).text).toBe(
      '[mcp_servers.lhs]\nurl = "https://s.example/mcp"\n' +
        'env_http_headers = { authorization = "LHS_AUTHORIZATION" }',
    );
    const args = ['a "b"', 'c\\d'];
    expect(clientConfig('codex', { ...stdio, args }).text).toBe(
      '[mcp_servers.lhs]\ncommand = "lhs"\nargs = ["a \\"b\\"","c\\\\d"]',
    );
  });

  it('has no file for Claude over HTTP', () => {
    expect(() => clientConfig('claude', http)).toThrow(/reads no file/);
  });
});
