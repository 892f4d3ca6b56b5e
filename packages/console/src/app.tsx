import type { ConsoleConfig } from '@lakehouse-search/contract';
import { useEffect, useState } from 'preact/hooks';
import { Accounts } from './accounts/accounts.tsx';
import { IndexDetail } from './indexes/index-detail.tsx';
import { IndexList } from './indexes/index-list.tsx';
import { JobDetail } from './jobs/job-detail.tsx';
import { JobList } from './jobs/job-list.tsx';
import { Login } from './login/login.tsx';
import { AliasList } from './names/alias-list.tsx';
import { SavedList } from './names/saved-list.tsx';
import { ScopesProvider, ServiceProvider, useMay } from './parts/console-context.ts';
import { KeySheet } from './parts/key-sheet.tsx';
import { NeedsScope } from './parts/needs-scope.tsx';
import { PreferencesMenu } from './parts/preferences.tsx';
import { Problem } from './parts/problem.tsx';
import { Screen } from './parts/screen.tsx';
import { hrefOf, type Place, searchOf } from './place/place.ts';
import { usePlace } from './place/use-place.ts';
import { Search } from './search/search.tsx';
import { type ConsoleService, consoleService } from './service/console-service.ts';
import { type ServiceError, shownError } from './service/service-error.ts';
import type { Session } from './service/session.ts';
import { Requests } from './tools/requests.tsx';

/** What the console runs in. */
export interface AppProps {
  readonly url: string;
  readonly session: Session;
  readonly fetch: typeof fetch;
}

/** Whether the caller may call the service. `asking`: the first answer is on its way. */
type Access = 'asking' | 'out' | 'ended' | 'in';

/** The console: login if the service wants credentials, else the screen of the URL. */
export function App({ url, session, fetch }: AppProps) {
  const place = usePlace();
  const [access, setAccess] = useState<Access>('asking');
  const [error, setError] = useState<ServiceError>();
  const [config, setConfig] = useState<ConsoleConfig>(NO_CONFIG);
  const [drawn, setDrawn] = useState(0);
  const [service] = useState(() => consoleService({ url, session, fetch, refused }));
  function refused(): void {
    setAccess(session.current() === undefined ? 'out' : 'ended');
    session.end();
  }
  const ask = () => {
    setError(undefined);
    service.call('consoleConfig', {}).then(
      (answer) => {
        setConfig(answer);
        setAccess('in');
      },
      (thrown) => setError(shownError(thrown)),
    );
  };
  // asked once
  useEffect(ask, []);
  const logOut = () => {
    session.end();
    setAccess('out');
  };
  const isOut = access === 'out' || access === 'ended';
  return (
    <ServiceProvider value={service}>
      <ScopesProvider value={config.scopes}>
        <Header
          {...{ place, service, config, logOut }}
          isIn={access === 'in'}
          changed={() => setDrawn((n) => n + 1)}
        />
        <KeySheet />
        {access === 'in' && (
          <ScreenOf key={drawn} place={place} defaultIndex={config.default_index} />
        )}
      </ScopesProvider>
      {isOut && <Login hasEnded={access === 'ended'} entered={ask} />}
      {access === 'asking' && error !== undefined && (
        <main id="main">
          <Problem error={error} again={ask} />
        </main>
      )}
    </ServiceProvider>
  );
}

const NO_CONFIG: ConsoleConfig = { default_index: null };

/** The screen of a place. */
export function ScreenOf({
  place,
  defaultIndex,
}: {
  readonly place: Place;
  readonly defaultIndex: string | null;
}) {
  const maySearch = useMay('search');
  if (!maySearch && OF_SEARCH.includes(place.screen)) return <NoSearch />;
  switch (place.screen) {
    case 'search':
      return <Search place={place} defaultIndex={defaultIndex} />;
    case 'indexes':
      return <IndexList />;
    case 'index':
      return <IndexDetail key={place.index} index={place.index} />;
    case 'jobs':
      return <JobList index={place.index} />;
    case 'aliases':
      return <AliasList />;
    case 'saved':
      return <SavedList />;
    case 'job':
      return <JobDetail key={place.job} job={place.job} />;
    case 'accounts':
      return <Accounts />;
    case 'requests':
      return <Requests operation={place.operation} />;
  }
}

/** Screens of the scope `search`. */
const OF_SEARCH: readonly Place['screen'][] = ['search', 'saved'];

function NoSearch() {
  return (
    <Screen title="Search">
      <NeedsScope scope="search" what="Searches and saved queries" />
      <p>
        You may look at the <a href={hrefOf({ screen: 'indexes' })}>indexes</a>.
      </p>
    </Screen>
  );
}

const LINKS: readonly (readonly [words: string, place: Place])[] = [
  ['Search', searchOf()],
  ['Indexes', { screen: 'indexes' }],
  ['Jobs', { screen: 'jobs' }],
  ['Aliases', { screen: 'aliases' }],
  ['Saved', { screen: 'saved' }],
  ['Accounts', { screen: 'accounts' }],
  ['Requests', { screen: 'requests' }],
];
/** Screens of a caller of a tenant, to whom lists over all rows are closed. */
const OF_TENANTS: readonly Place['screen'][] = ['search', 'saved', 'requests'];

/** Screens without a link in the header, and the link that stands for them. */
const SECTIONS: Readonly<Partial<Record<Place['screen'], Place['screen']>>> = {
  index: 'indexes',
  job: 'jobs',
};

function Header({
  place,
  service,
  config,
  isIn,
  logOut,
  changed,
}: {
  readonly place: Place;
  readonly service: ConsoleService;
  readonly config: ConsoleConfig;
  readonly isIn: boolean;
  readonly logOut: () => void;
  readonly changed: () => void;
}) {
  const credentials = service.session.current();
  const screen = SECTIONS[place.screen] ?? place.screen;
  const { scopes, tenant } = config;
  const links = LINKS.filter(
    ([, to]) =>
      (tenant === undefined || OF_TENANTS.includes(to.screen)) &&
      (to.screen !== 'accounts' || scopes?.includes('admin')),
  );
  return (
    <header>
      <button type="button" class="skip" onClick={toMain}>
        Skip to the content
      </button>
      <a class="name" href={hrefOf(searchOf())}>
        lhs
      </a>
      {isIn && (
        <nav aria-label="Screens">
          {links.map(([words, to]) => (
            <a
              key={words}
              href={hrefOf(to)}
              aria-current={to.screen === screen ? 'page' : undefined}
            >
              {words}
            </a>
          ))}
        </nav>
      )}
      <PreferencesMenu changed={changed} />
      {isIn && credentials !== undefined && (
        <span class="user">
          {credentials.user ?? 'API token'}
          <button type="button" class="plain" onClick={logOut}>
            Log out
          </button>
        </span>
      )}
    </header>
  );
}

/** The part behind `#` is the place, so no link can go there. */
function toMain(): void {
  const main = document.getElementById('main');
  main?.setAttribute('tabindex', '-1');
  main?.focus();
}
