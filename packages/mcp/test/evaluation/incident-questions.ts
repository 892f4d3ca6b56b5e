import { closed, type Incident, incidents } from '../../../cli/src/demo/incidents.ts';
import type { Question } from './planner.ts';

/** The rows of the demo's table after its last change, made without any table. */
function rows(): readonly Incident[] {
  const later = new Set([4216, 4217, 4218]);
  const gone = new Set([4219, 4220]);
  const now = incidents(0, 5020).filter(({ id }) => !gone.has(id));
  return now.map((row) => (later.has(row.id) ? closed(row) : row));
}

const about = 'incidents';
const ALL = rows();
const count = (test: (row: Incident) => boolean) => ALL.filter(test).length;
const month = ({ opened_at }: Incident) => `${opened_at.slice(0, 7)}-01T00:00:00Z`;

/** Values with their counts, the largest first, equal ones by value. */
export function groups<T>(all: readonly T[], of: (row: T) => string | number) {
  const counts = new Map<string | number, number>();
  for (const row of all) counts.set(of(row), (counts.get(of(row)) ?? 0) + 1);
  return [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
}

const sorted = (all: readonly Incident[], by: (row: Incident) => number) =>
  all.toSorted((a, b) => by(b) - by(a) || Number(a.id) - Number(b.id));
const time = ({ opened_at }: Incident) => Date.parse(`${opened_at}Z`);
const billing = ALL.filter(({ service }) => service === 'billing');
const severe = ALL.filter(({ severity }) => severity === 1);

/** Questions about the demo's table, with answers that come from its rows as plain objects. */
export const INCIDENT_QUESTIONS: readonly Question[] = [
  {
    ask: 'How many incidents are there?',
    goal: { kind: 'count', where: '*:*' },
    answer: ALL.length,
  },
  {
    ask: 'How many incidents did billing have?',
    goal: { kind: 'count', where: 'service:billing' },
    answer: billing.length,
  },
  {
    ask: 'How many incidents are not resolved?',
    goal: { kind: 'count', where: 'resolved:false' },
    answer: count(({ resolved }) => !resolved),
  },
  {
    ask: 'How many severe incidents lasted longer than five hours?',
    goal: { kind: 'count', where: 'severity:1 minutes:>300' },
    answer: count(({ severity, minutes }) => severity === 1 && minutes > 300),
  },
  {
    ask: 'How many incidents began on a host of 10.3.0.0/16?',
    goal: { kind: 'count', where: 'host:10.3.0.0/16' },
    answer: count(({ host }) => host.startsWith('10.3.')),
  },
  {
    ask: 'How many incidents were opened in May 2025?',
    goal: { kind: 'count', where: 'opened_at:2025-05' },
    answer: count(({ opened_at }) => opened_at.startsWith('2025-05')),
  },
  {
    ask: 'How many incidents are of the kind security?',
    goal: { kind: 'count', where: 'details.kind:security' },
    answer: count(({ details }) => details.kind === 'security'),
  },
  {
    ask: 'How many titles say "Connection reset"?',
    goal: { kind: 'count', where: 'title:"connection reset"' },
    answer: count(({ title }) => /\bconnection reset\b/i.test(title)),
  },
  {
    ask: 'Which five services have the most incidents?',
    goal: { kind: 'groups', by: 'service', size: 5 },
    answer: groups(ALL, ({ service }) => service).slice(0, 5),
  },
  {
    ask: 'How many incidents of billing are there per severity?',
    goal: { kind: 'groups', by: 'severity', where: 'service:billing', size: 4 },
    answer: groups(billing, ({ severity }) => severity),
  },
  {
    ask: 'How many severe incidents were there per month?',
    goal: { kind: 'periods', by: 'opened_at', interval: 'month', where: 'severity:1' },
    answer: groups(severe, month).sort(([a], [b]) => (a < b ? -1 : 1)),
  },
  {
    ask: 'How long did the longest incident last?',
    goal: { kind: 'figure', figure: 'max', of: 'minutes' },
    answer: Math.max(...ALL.map(({ minutes }) => minutes)),
  },
  {
    ask: 'How many minutes did severe incidents last in total?',
    goal: { kind: 'figure', figure: 'sum', of: 'minutes', where: 'severity:1' },
    answer: severe.reduce((sum, { minutes }) => sum + minutes, 0),
  },
  {
    ask: 'How many services had incidents?',
    goal: { kind: 'distinct', of: 'service' },
    answer: new Set(ALL.map(({ service }) => service)).size,
  },
  {
    ask: 'Which are the three newest incidents of billing?',
    goal: { kind: 'keys', where: 'service:billing', sort: 'opened_at:desc', limit: 3 },
    answer: sorted(billing, time)
      .slice(0, 3)
      .map(({ id }) => `id=${id}`),
  },
  {
    ask: 'When were employees locked outside the office entrance?',
    goal: { kind: 'nearest', words: 'employees locked outside the office entrance' },
    answer: `id=${ALL.find(({ title }) => title === 'Nobody could enter the building')?.id}`,
  },
  {
    ask: 'What does the report of the newest severe incident say?',
    goal: { kind: 'cell', where: 'severity:1', sort: 'opened_at:desc', column: 'narrative' },
    answer: sorted(severe, time)[0].narrative,
  },
  {
    ask: 'Does the report about the permanent fix still say so?',
    goal: { kind: 'proof', where: 'narrative:"permanent fix"' },
    answer: 'unchanged',
  },
  {
    ask: 'What kind of field is host?',
    goal: { kind: 'type', of: 'host' } as const,
    answer: 'IP',
  },
].map((question) => ({ about, ...question }) as Question);
