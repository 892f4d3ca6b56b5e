import { useEffect, useRef, useState } from 'preact/hooks';
import { useService } from '../parts/console-context.ts';
import { Problem } from '../parts/problem.tsx';
import { useAction } from '../parts/use-action.ts';
import type { Credentials } from '../service/session.ts';

/** What the screen needs. `hasEnded`: there was a session before. */
export interface LoginProps {
  readonly hasEnded: boolean;
  readonly entered: () => void;
}

/** The way in: a user with a password, or an API token. The URL stays, so the work goes on. */
export function Login({ hasEnded, entered }: LoginProps) {
  const service = useService();
  const { isRunning, error, run } = useAction();
  const [byToken, setByToken] = useState(false);
  const first = useRef<HTMLInputElement>(null);
  // another form has another first field
  useEffect(() => first.current?.focus(), [byToken]);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string) => String(form.get(name) ?? '');
    const enter = async () => {
      service.session.begin(byToken ? apiToken(text('token')) : await logIn(text));
      if (byToken) await service.call('consoleConfig', {});
    };
    if (await run(enter)) entered();
    else service.session.end();
  };
  const logIn = async (text: (name: string) => string): Promise<Credentials> => {
    const username = text('username');
    const { token } = await service.call('login', { username, password: text('password') });
    return { scheme: 'Bearer', token, user: username };
  };
  return (
    <main id="main" class="login">
      <h1>Log in</h1>
      {hasEnded && <p role="status">The session has ended. Log in to go on where you were.</p>}
      <form onSubmit={submit}>
        {byToken ? (
          <label>
            API token
            <input ref={first} name="token" type="password" required autocomplete="off" />
          </label>
        ) : (
          <>
            <label>
              User
              <input ref={first} name="username" required autocomplete="username" />
            </label>
            <label>
              Password
              <input name="password" type="password" required autocomplete="current-password" />
            </label>
          </>
        )}
        <button type="submit" class="main" disabled={isRunning}>
          {isRunning ? 'Logging in …' : 'Log in'}
        </button>
        <button type="button" class="plain" onClick={() => setByToken(!byToken)}>
          {byToken ? 'Use a password' : 'Use an API token'}
        </button>
      </form>
      {error !== undefined && <Problem error={error} />}
    </main>
  );
}

const apiToken = (token: string): Credentials => ({ scheme: 'ApiKey', token: token.trim() });
