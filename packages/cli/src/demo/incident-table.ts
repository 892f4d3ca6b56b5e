import type { Schema } from '@lakehouse-search/lake';
import type { DemoNames } from './own-names.ts';

/** The demo's table: Iceberg format 3, keyed by `id`, with a VARIANT column. */
export const INCIDENT_SCHEMA: Schema = {
  schemaId: 0,
  identifierFieldIds: [1],
  fields: [
    { id: 1, name: 'id', required: true, type: { kind: 'long' } },
    { id: 2, name: 'title', required: false, type: { kind: 'string' } },
    { id: 3, name: 'narrative', required: false, type: { kind: 'string' } },
    { id: 4, name: 'service', required: false, type: { kind: 'string' } },
    { id: 5, name: 'severity', required: false, type: { kind: 'int' } },
    { id: 6, name: 'opened_at', required: false, type: { kind: 'timestamp' } },
    { id: 7, name: 'minutes', required: false, type: { kind: 'int' } },
    { id: 8, name: 'host', required: false, type: { kind: 'string' } },
    { id: 9, name: 'resolved', required: false, type: { kind: 'boolean' } },
    { id: 10, name: 'details', required: false, type: { kind: 'variant' } },
  ],
};

/** The demo's index over it. */
export function incidentDefinition({ index, table, warehouse }: DemoNames): string {
  return `version: 1
index: ${index}
description: reports of incidents in the services of a made-up company, one per incident
source:
  catalog: { type: filesystem, warehouse: ${JSON.stringify(warehouse)} }
  table: ${table}
key:
  identifier: [id]
fields:
  - { name: title, type: TEXT, analyzer: english, cached: true }
  - { name: narrative, type: TEXT, analyzer: english, cached: true }
  - { name: service, type: KEYWORD, fast: true, cached: true }
  - name: severity
    type: LONG
    cached: true
    description: from 1, the most severe, to 4
  - { name: opened_at, type: DATE, cached: true }
  - { name: minutes, type: LONG, description: how long the incident lasted }
  - { name: host, type: IP, description: address of the first machine that failed }
  - { name: resolved, type: BOOL }
  - { name: meaning, type: VECTOR, source: [title, narrative] }
variants:
  - { column: details, flatten: true }
`;
}

/** A question in other words than those of the report that it finds. */
export const MEANING = {
  shows: 'meaning, no word in common',
  query_text: 'employees locked outside the office entrance',
} as const;

/** Six questions that show what the index can do: what they show, and the request. */
export const QUESTIONS = [
  {
    shows: 'words, stemmed and ranked',
    request: { query: 'certificate rotation timeouts' },
    flags: '',
  },
  {
    shows: 'a phrase with a word between',
    request: { query: 'title:"connection peer"~3 AND service:billing' },
    flags: '',
  },
  {
    shows: 'ranges, dates and a negation, newest first',
    request: {
      query: 'severity:[1 TO 2] opened_at:[2025-10-01 TO *] -resolved:true',
      default_operator: 'and' as const,
      sort: [{ field: 'opened_at', desc: true }],
    },
    flags: ' --operator and --sort opened_at:desc',
  },
  {
    shows: 'hosts of a network',
    request: { query: 'host:10.3.0.0/20 AND memory' },
    flags: '',
  },
  {
    shows: 'typing errors and prefixes',
    request: { query: 'service:notificatons~1 AND expir*' },
    flags: '',
  },
  {
    shows: 'a path inside the VARIANT column',
    request: { query: 'details.kind:security AND details.tags:tls' },
    flags: '',
  },
] as const;
