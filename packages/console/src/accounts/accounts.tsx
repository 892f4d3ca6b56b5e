import type { NewToken, RoleName, TokenDraft, TokenRecord, User } from '@lakehouse-search/contract';
import { useState } from 'preact/hooks';
import { useMayCall, useService } from '../parts/console-context.ts';
import { CopyLine } from '../parts/copy-line.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { NeedsScope } from '../parts/needs-scope.tsx';
import { Problem } from '../parts/problem.tsx';
import { Answered, Screen } from '../parts/screen.tsx';
import { type Action, useAction } from '../parts/use-action.ts';
import { useAnswer } from '../parts/use-answer.ts';
import { dateTime } from '../text/figures.ts';

/** Users with their roles, and API tokens. */
export function Accounts() {
  const mayCall = useMayCall();
  return (
    <Screen title="Accounts" lead="Who may call the service, and what with.">
      <NeedsScope scope="admin" what="Users and tokens" />
      {mayCall('listUsers') && <Users />}
      {mayCall('listTokens') && <Tokens />}
    </Screen>
  );
}

function Users() {
  const service = useService();
  const action = useAction();
  const users = useAnswer('users', (signal) => service.call('listUsers', {}, signal));
  const roles = useAnswer('roles', (signal) => service.call('listRoles', {}, signal));
  const toggle = async ({ subject, roles: now }: User, role: RoleName) => {
    const next = now.includes(role) ? now.filter((one) => one !== role) : [...now, role];
    if (await action.run(() => service.call('setRoles', { subject, roles: next }))) users.again();
  };
  return (
    <>
      <h2>Users</h2>
      {action.error !== undefined && <Problem error={action.error} />}
      <Answered answer={users}>
        {(list) => (
          <DataTable
            caption="Users"
            rows={list}
            keyOf={({ subject }) => subject}
            empty="No user: the service requires no credentials, or tokens alone."
            columns={[
              { head: 'User', cell: ({ subject }) => <bdi>{subject}</bdi> },
              ...(roles.value ?? []).map(({ role, scopes }) => ({
                head: role,
                cell: (user: User) => (
                  <input
                    type="checkbox"
                    aria-label={`${user.subject} is ${role}`}
                    title={scopes.join(', ')}
                    checked={user.roles.includes(role)}
                    disabled={action.isRunning}
                    onChange={() => toggle(user, role)}
                  />
                ),
              })),
            ]}
          />
        )}
      </Answered>
    </>
  );
}

function Tokens() {
  const service = useService();
  const action = useAction();
  const [made, setMade] = useState<NewToken>();
  const tokens = useAnswer('tokens', (signal) => service.call('listTokens', {}, signal));
  const revoke = async ({ id, name }: TokenRecord) => {
    if (!confirm(`Revoke the token "${name}"? Programs that use it are refused.`)) return;
    if (await action.run(() => service.call('revokeToken', { id }))) tokens.again();
  };
  const create = (draft: TokenDraft) =>
    action.run(async () => {
      setMade(await service.call('createToken', draft));
      tokens.again();
    });
  return (
    <>
      <h2>API tokens</h2>
      {action.error !== undefined && <Problem error={action.error} />}
      <Answered answer={tokens}>
        {(list) => (
          <DataTable
            caption="API tokens"
            rows={list}
            keyOf={({ id }) => id}
            empty="No token yet."
            columns={[
              { head: 'Name', cell: ({ name }) => <bdi>{name}</bdi> },
              { head: 'Roles', cell: ({ roles }) => roles.join(', ') },
              { head: 'Indexes', cell: ({ indexes }) => indexes?.join(', ') ?? 'all' },
              { head: 'Tenant', cell: ({ tenant }) => tenant },
              {
                head: 'Made',
                cell: ({ created_ms }) => dateTime(new Date(created_ms).toISOString()),
              },
              {
                head: 'Ends',
                cell: ({ expires_at }) =>
                  expires_at === undefined ? 'never' : dateTime(expires_at),
              },
              {
                head: '',
                cell: (token) => (
                  <button
                    type="button"
                    disabled={action.isRunning}
                    onClick={() => revoke(token)}
                    aria-label={`Revoke the token ${token.name}`}
                  >
                    Revoke
                  </button>
                ),
              },
            ]}
          />
        )}
      </Answered>
      {made !== undefined && (
        <div role="status">
          <p>The secret of “{made.name}” is shown this once:</p>
          <CopyLine label="token" text={made.token} />
        </div>
      )}
      <NewTokenForm action={action} create={create} />
    </>
  );
}

const ROLES: readonly RoleName[] = ['reader', 'operator', 'admin'];

function NewTokenForm({
  action,
  create,
}: {
  readonly action: Action;
  readonly create: (draft: TokenDraft) => Promise<boolean>;
}) {
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const data = new FormData(form);
    const text = (name: string) => String(data.get(name) ?? '').trim();
    const indexes = text('indexes')
      .split(/[\s,]+/)
      .filter(Boolean);
    const days = Number(text('days'));
    const made = await create({
      name: text('name'),
      roles: [text('role') as RoleName],
      ...(indexes.length === 0 ? {} : { indexes }),
      ...(text('tenant') === '' ? {} : { tenant: text('tenant') }),
      ...(days > 0 ? { expires_at: new Date(Date.now() + days * 86_400_000).toISOString() } : {}),
    });
    if (made) form.reset();
  };
  return (
    <form class="inline" onSubmit={submit}>
      <label>
        Name <input name="name" required autocomplete="off" />
      </label>
      <label>
        Role{' '}
        <select name="role">
          {ROLES.map((role) => (
            <option key={role}>{role}</option>
          ))}
        </select>
      </label>
      <label>
        Indexes <input name="indexes" autocomplete="off" placeholder="all" />
      </label>
      <label>
        Tenant <input name="tenant" autocomplete="off" placeholder="none" />
      </label>
      <label>
        Days <input name="days" type="number" min="1" placeholder="no end" />
      </label>
      <button type="submit" disabled={action.isRunning}>
        Make a token
      </button>
    </form>
  );
}
