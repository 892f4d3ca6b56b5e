/**
 * The words of the demo's incident reports. `{…}` names another list or a figure; a report picks
 * one kind of trouble and stays with it, so that a search finds reports that belong together.
 */
export const SERVICES = [
  'billing',
  'checkout',
  'gateway',
  'search',
  'identity',
  'notifications',
  'ledger',
  'shipping',
  'inventory',
  'reports',
  'media',
  'scheduler',
] as const;

export const COMPONENTS = [
  'connection pool',
  'job queue',
  'read replica',
  'edge cache',
  'rate limiter',
  'token issuer',
  'webhook worker',
  'batch importer',
  'message broker',
  'object store',
  'load balancer',
  'search cluster',
] as const;

export const TEAMS = [
  'payments',
  'platform',
  'storefront',
  'data',
  'identity',
  'logistics',
] as const;
export const REGIONS = ['eu-west', 'eu-north', 'us-east', 'us-west', 'ap-south'] as const;
export const CUSTOMERS = [
  'a large retailer',
  'two airlines',
  'most mobile users',
  'customers in the Nordics',
  'a handful of early adopters',
  'every tenant on the old plan',
  'partners who poll the export endpoint',
  'visitors with an expired session',
] as const;

/** One kind of trouble: what it is called, what was seen, why, and what helped. */
export interface Trouble {
  readonly kind: string;
  readonly titles: readonly string[];
  readonly symptoms: readonly string[];
  readonly causes: readonly string[];
  readonly cures: readonly string[];
}

export const TROUBLES: readonly Trouble[] = [
  {
    kind: 'timeout',
    titles: [
      '{Service} timeout after certificate rotation',
      'Requests to {service} time out at the {component}',
      'Retry storm after an upstream timeout in {service}',
      'Slow DNS makes {service} timeouts look like crashes',
      '{Service} workers time out at month end',
    ],
    symptoms: [
      'Every third request hit the {n} s timeout until the {component} was drained.',
      'Calls from {service} waited for the full deadline and then failed with a timeout.',
      'The p99 latency of {service} rose from {n} ms to {m} ms within five minutes.',
      'Health checks kept passing while real traffic timed out behind the {component}.',
    ],
    causes: [
      'The certificate rotation had left half of the connections in a state that nobody closed.',
      'A deploy had lowered the connect timeout below the round trip between the regions.',
      'The resolver answered slowly, and each lookup blocked a thread of the {component}.',
      'Retries without jitter lined up and hit the {component} in waves.',
    ],
    cures: [
      'We restarted the {component} one node at a time and the errors stopped.',
      'Raising the deadline to {n} s and adding jitter to the retries ended the storm.',
      'Pinning the resolver to the local cache brought latency back to normal.',
    ],
  },
  {
    kind: 'connection',
    titles: [
      'Connection reset by peer between {service} and the {component}',
      '{Service} ran out of database connections',
      'Broken connections after the {component} failover',
      'Connection leak in {service} exhausts the pool',
    ],
    symptoms: [
      'The logs of {service} filled with "connection reset by peer" at {n} lines a second.',
      'New sessions were refused because all {m} connections were taken.',
      'Clients saw intermittent 502 answers, always from the same {component}.',
      'Idle connections were cut after {n} seconds and the driver did not notice.',
    ],
    causes: [
      'A code path returned early and never gave its connection back.',
      'The firewall between the networks dropped idle flows without telling either side.',
      'The failover promoted a replica whose connection limit was still the default.',
      'An index was missing, so that queries held their connections {n} times longer.',
    ],
    cures: [
      'Turning on keepalives ended the resets at once.',
      'We raised the limit, recycled the pool and shipped a fix for the leak the same day.',
      'The missing index was created online; the pool drained within minutes.',
    ],
  },
  {
    kind: 'memory',
    titles: [
      '{Service} killed for memory during the nightly export',
      'Memory leak in the {component} of {service}',
      'Heap of {service} grows until the node restarts',
      'Out of memory while parsing a large upload in {service}',
    ],
    symptoms: [
      'Pods of {service} were killed every {n} minutes and came back with a cold cache.',
      'The heap grew by {n} MB an hour and garbage collection took most of the time.',
      'One upload of {m} MB was read into memory whole and took the node down.',
    ],
    causes: [
      'A cache without a bound kept every response it had ever seen.',
      'The parser built the whole document tree before it looked at the first element.',
      'Listeners were added on each reconnect and never removed.',
    ],
    cures: [
      'The cache now has a limit and an expiry, and memory is flat.',
      'We stream the upload instead of reading it whole.',
      'Rolling back to the version of last week stopped the growth.',
    ],
  },
  {
    kind: 'data',
    titles: [
      'Duplicate invoices after a replay in {service}',
      'Stale prices served from the {component}',
      'Missing rows in the {service} export',
      'Wrong totals in {service} after the time change',
    ],
    symptoms: [
      'About {m} records were written twice and had to be reconciled by hand.',
      'Prices changed in the ledger but the {component} kept the old ones for {n} minutes.',
      'The export ended early without an error, and {m} rows were missing.',
      'Totals of the last hour were counted twice when the clocks went back.',
    ],
    causes: [
      'The consumer acknowledged a message before the write was durable.',
      'The invalidation event was sent before the transaction had committed.',
      'A page token was built from a time stamp with only second precision.',
      'Local time was used where the contract says UTC.',
    ],
    cures: [
      'The writes are keyed by an idempotency token now, and a replay changes nothing.',
      'We invalidate after the commit and keep a short time to live as a net.',
      'The export pages by key, and a checksum of the row count is compared at the end.',
    ],
  },
  {
    kind: 'deploy',
    titles: [
      'Rollback of {service} after a bad deploy',
      'Feature flag turned on for everyone in {service}',
      'Configuration drift between regions breaks {service}',
      'Schema migration locks a table of {service}',
    ],
    symptoms: [
      'Errors rose to {n} percent within two minutes of the deploy.',
      'The flag was meant for one percent of the traffic and reached all of it.',
      'Only the nodes in {region} refused to start after the change.',
      'The migration waited for a lock and every write queued behind it for {n} minutes.',
    ],
    causes: [
      'The canary had no traffic of the affected kind, so that it looked healthy.',
      'A default changed in the shared chart and nobody had pinned the old value.',
      'The migration added a column with a volatile default, which rewrites the table.',
    ],
    cures: [
      'We rolled back, pinned the value and added a check to the pipeline.',
      'The flag service now asks twice for changes above ten percent.',
      'The migration was split in three and ran overnight without a lock.',
    ],
  },
  {
    kind: 'security',
    titles: [
      'Expired certificate on the {component} of {service}',
      'Leaked token found in the build logs of {service}',
      'Login attempts flood {service}',
      'Permission check missing in the {service} admin page',
    ],
    symptoms: [
      'Browsers warned of an expired certificate and {customers} could not sign in.',
      'A scanner found an access token in a public build log {n} minutes after the push.',
      'About {m} login attempts a minute came from a few thousand addresses.',
      'A support account could open pages that belong to another tenant.',
    ],
    causes: [
      'The renewal job had failed silently for {n} days because its own credentials had expired.',
      'A debug statement printed the environment of the build.',
      'The rate limiter counted by session instead of by address.',
      'A new route was added outside the group that checks permissions.',
    ],
    cures: [
      'The certificate was renewed by hand and the job alerts when it fails.',
      'The token was revoked within the hour and nothing had used it.',
      'Counting by network and asking for a second factor ended the flood.',
      'The route moved into the group, and a test now walks all routes.',
    ],
  },
];

export const IMPACTS = [
  'It affected {customers} for {n} minutes.',
  'Nobody outside the company noticed.',
  '{Customers} opened {n} tickets about it.',
  'Orders worth roughly {m} euros were delayed but none was lost.',
  'The status page was updated {n} minutes late.',
] as const;

export const LESSONS = [
  'Next time the alert should name the {component} instead of the symptom.',
  'The runbook missed the step that helped; it is in there now.',
  'We will rehearse this failover every month.',
  'A dashboard for the {component} would have saved half an hour.',
  'The on-call engineer found the cause in the traces of {region}.',
  '',
] as const;
