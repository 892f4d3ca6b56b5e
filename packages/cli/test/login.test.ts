/** `lhs login`, `logout` and profiles with a service that has accounts. */
import { readFileSync, rmSync, statSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Home, LHS } from './child.ts';
import { type Served, startServed } from './served.ts';
import { hasTmux, Pane } from './tmux.ts';

const PASSWORD = 'a secret of the admin';
const home = new Home();
let served: Served;
beforeAll(async () => {
  served = await startServed(home, ['--auth', '--no-sync'], { LHS_ADMIN_PASSWORD: PASSWORD });
});
afterAll(async () => {
  await served.stop();
  home.dispose();
});
beforeEach(() => rmSync(home.path('config'), { recursive: true, force: true }));

const credentials = () => home.path('config', 'lhs', 'credentials.json');
const storedToken = (profile: string): string =>
  JSON.parse(readFileSync(credentials(), 'utf8'))[profile].token;
/** No data folder: the profile decides. */
const env = { LHS_DATA_DIR: '' };
const lhs = (words: string, input = '', more: Readonly<Record<string, string>> = {}) =>
  home.run(words.split(' '), { input, env: { ...env, ...more } });
const login = (words = '', input = PASSWORD) =>
  lhs(`login --url ${served.url} --user admin ${words}`.trim(), `${input}\n`);

describe('lhs login', () => {
  it('stores a session, which later commands send, until lhs logout', async () => {
    const done = await login();
    expect(done.stdout).toMatch(/^logged in as admin until .*Z\nprofile default: http:/);
    expect(statSync(credentials()).mode & 0o777).toBe(0o600);
    const [list, view, profiles] = await Promise.all([
      lhs('index list --json'),
      lhs('config view --show-origin'),
      lhs('config profile list'),
    ]);
    expect(list).toMatchObject({ code: 0, stdout: '{"indexes":[]}\n' });
    expect(view.stdout).toMatch(/^url +http:\S+ +profile \(profile "default"\)$/m);
    expect(profiles.stdout).toMatch(/^\* default +http:\S+ +session of admin$/m);
    const token = storedToken('default');
    for (const { stdout, stderr } of [done, list, view, profiles]) {
      expect(stdout + stderr).not.toContain(token);
    }
    expect((await lhs('logout')).stdout).toBe('profile default: the token is removed\n');
    expect((await lhs('index list')).code).toBe(4);
  });

  it('stores nothing after a wrong password or without a service', async () => {
    const [wrong, none] = await Promise.all([
      login('', 'another one'),
      lhs('login --user admin', `${PASSWORD}\n`),
    ]);
    expect([wrong.code, none.code]).toEqual([4, 2]);
    expect(none.stderr).toContain('add --url URL');
    expect(() => statSync(credentials())).toThrow('ENOENT');
  });

  it('stores an API token that the service accepts', async () => {
    const post = (path: string, body: object, headers = {}) =>
      fetch(`${served.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
    const session = await post('/v1/login', { username: 'admin', password: PASSWORD });
    const authorization = `Bearer ${((await session.json()) as { token: string }).token}`;
    const draft = { name: 'a program', roles: ['operator'] };
    const created = await post('/v1/tokens', draft, { authorization });
    const { token } = (await created.json()) as { token: string };
    const done = await lhs(`login --url ${served.url} --token --profile program`, `${token}\n`);
    expect(done.stdout).toMatch(/^an API token is stored\nprofile program: /);
    expect(storedToken('program')).toBe(token);
    const refused = await lhs('alias set a b', '', { LHS_PROFILE: 'program' });
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('`admin` scope')]);
  });

  it.skipIf(!hasTmux)('does not show the password on a terminal, over gRPC', async () => {
    const words = `login --url grpc://${served.grpc} --profile t`;
    const pane = new Pane(100, 20, `${process.execPath} ${LHS} ${words}; sleep 60`, {
      ...env,
      XDG_CONFIG_HOME: home.path('config'),
    });
    try {
      await pane.until(/user:/);
      pane.type('admin');
      pane.press('Enter');
      await pane.until(/password of admin:/);
      pane.type(PASSWORD);
      pane.press('Enter');
      const screen = await pane.until(/logged in as admin/);
      expect(screen).not.toContain(PASSWORD);
      expect(screen).not.toContain(storedToken('t'));
    } finally {
      pane.dispose();
    }
  });
});

describe('lhs config profile', () => {
  it('sets, selects and removes profiles', async () => {
    await lhs(`config profile set here data_dir ${home.path('other')}`);
    expect((await lhs('config profile use nowhere')).stderr).toContain('profiles: here');
    await lhs('config profile use here');
    await login('--profile there');
    expect((await lhs('index list --json')).stdout).toBe('{"indexes":[]}\n');
    expect((await lhs('config profile remove there')).code).toBe(0);
    expect(() => statSync(credentials())).toThrow('ENOENT');
    const wire = await lhs('config profile list --json');
    expect(JSON.parse(wire.stdout)).toEqual({
      profiles: [{ name: 'here', current: true, data_dir: home.path('other'), token: null }],
    });
  });
});
