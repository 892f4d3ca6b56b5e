import { oddReport } from './odd-reports.ts';
import {
  COMPONENTS,
  CUSTOMERS,
  IMPACTS,
  LESSONS,
  REGIONS,
  SERVICES,
  TEAMS,
  TROUBLES,
} from './phrases.ts';
import { type Random, seeded } from './random.ts';

/**
 * One incident report, as a row of the demo's table. `opened_at` is ISO-8601 in UTC; `details` is
 * free-form.
 */
export interface Incident {
  readonly id: number;
  readonly title: string;
  readonly narrative: string;
  readonly service: string;
  readonly severity: number;
  readonly opened_at: string;
  readonly minutes: number;
  readonly host: string;
  readonly resolved: boolean;
  readonly details: Readonly<Record<string, unknown>>;
}

const SEED = 20251103;
const FIRST_DAY = Date.UTC(2025, 0, 1);
const STEP_MS = 95 * 60_000;

/** Reports number `first` .. `first + count - 1`; the same numbers always give the same reports. */
export function incidents(first: number, count: number): Incident[] {
  return Array.from({ length: count }, (_, i) => incident(first + i));
}

function incident(id: number): Incident {
  const report = madeUp(id);
  const odd = oddReport(id);
  return odd === undefined ? report : { ...report, ...odd, details: { kind: 'odd' } };
}

function madeUp(id: number): Incident {
  const random = seeded(SEED + id * 7919);
  const trouble = random.pick(TROUBLES);
  const slots = slotsFor(random);
  const fill = (text: string) => fillSlots(text, slots, random);
  const sentences = [
    random.pick(trouble.symptoms),
    random.pick(trouble.causes),
    random.pick(IMPACTS),
    random.pick(trouble.cures),
    random.pick(LESSONS),
  ];
  const opened = FIRST_DAY + id * STEP_MS + random.below(STEP_MS);
  return {
    id,
    title: fill(random.pick(trouble.titles)),
    narrative: sentences
      .filter((s) => s !== '')
      .map(fill)
      .join(' '),
    service: slots.service,
    severity: 1 + random.below(4),
    opened_at: `${new Date(opened).toISOString().slice(0, 19)}.000000`,
    minutes: 3 + random.below(40) * (1 + random.below(9)),
    host: hostAddress(random),
    resolved: random.chance(0.86),
    details: details(trouble.kind, slots, random),
  };
}

type Slots = Readonly<Record<'service' | 'component' | 'customers' | 'region', string>>;

function slotsFor(random: Random): Slots {
  return {
    service: random.pick(SERVICES),
    component: random.pick(COMPONENTS),
    customers: random.pick(CUSTOMERS),
    region: random.pick(REGIONS),
  };
}

/** `{service}` -> a slot, `{Service}` -> the same with a capital, `{n}`, `{m}` -> figures. */
function fillSlots(text: string, slots: Slots, random: Random): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (name === 'n') return String(2 + random.below(58));
    if (name === 'm') return String(200 + random.below(4800));
    const value = slots[name.toLowerCase() as keyof Slots];
    return name[0] === name[0].toUpperCase() ? value[0].toUpperCase() + value.slice(1) : value;
  });
}

function hostAddress(random: Random): string {
  if (random.chance(0.15))
    return `2001:db8:${random.below(16).toString(16)}::${(1 + random.below(4000)).toString(16)}`;
  return `10.${random.below(4)}.${random.below(32)}.${1 + random.below(254)}`;
}

/** What differs from kind to kind: the VARIANT column. */
function details(kind: string, slots: Slots, random: Random): Record<string, unknown> {
  const common = { kind, team: random.pick(TEAMS), region: slots.region };
  switch (kind) {
    case 'timeout':
      return {
        ...common,
        latency: { p50_ms: 20 + random.below(80), p99_ms: 900 + random.below(9000) },
      };
    case 'connection':
      return { ...common, pool: { size: 50 * (1 + random.below(8)), waiting: random.below(900) } };
    case 'deploy':
      return {
        ...common,
        release: `2025.${1 + random.below(12)}.${random.below(30)}`,
        canary: random.chance(0.4),
      };
    case 'security':
      return {
        ...common,
        ticket: `SEC-${100 + random.below(900)}`,
        tags: ['audit', random.pick(['login', 'tls', 'token'])],
      };
    default:
      return { ...common, records: random.below(100_000) };
  }
}

/** A later version of a report: closed, with a remark. */
export function closed(report: Incident): Incident {
  const remark = 'Closed after the review: the permanent fix has been rolled out to all regions.';
  return { ...report, resolved: true, narrative: `${report.narrative} ${remark}` };
}
