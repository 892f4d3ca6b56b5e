/** The reads of the embedded engine. The code of each is loaded with its first call. */
import type { ExportedDocument, ExportRequest } from '@lakehouse-search/contract';
import type { BackendApi } from '@lakehouse-search/contract/internal';
import { lazily } from '../base/lazily.ts';
import { LOCAL_SOURCE } from '../source/local-source.ts';
import { EngineCalls, type Items, later, overTables } from './engine-calls.ts';

const queryText = lazily(() => import('./reads/query-text.ts'));
const reads = lazily(() => import('./reads/reads.ts'));

/** An engine with the reads of one index, of texts and of tables. */
export abstract class EngineReads extends EngineCalls {
  readonly search: BackendApi['search'] = this.read(later(async () => (await reads()).searchLocal));
  readonly semantic: BackendApi['semantic'] = this.read(
    later(async () => (await reads()).semanticLocal),
  );
  readonly hybrid: BackendApi['hybrid'] = this.read(later(async () => (await reads()).hybridLocal));
  readonly aggregate: BackendApi['aggregate'] = this.read(
    later(async () => (await reads()).aggregateLocal),
  );
  readonly facets: BackendApi['facets'] = this.read(later(async () => (await reads()).facetsLocal));
  readonly suggest: BackendApi['suggest'] = this.read(
    later(async () => (await reads()).suggestLocal),
  );
  readonly explain: BackendApi['explain'] = this.read(
    later(async () => (await reads()).explainLocal),
  );
  readonly diffHits: BackendApi['diffHits'] = this.work(
    'diffHits',
    later(async () => (await import('./reads/diff.ts')).diffLocal),
  );
  readonly getKeys: BackendApi['getKeys'] = this.read(later(async () => (await reads()).keysLocal));
  readonly clauseCounts: BackendApi['clauseCounts'] = this.read(
    later(async () => (await reads()).clauseCountsLocal),
  );
  readonly bench: BackendApi['bench'] = this.ownRead(
    'bench',
    later(async () => (await reads()).benchLocal),
  );
  readonly exportDocuments: Items<ExportRequest, ExportedDocument> = this.stream(
    null,
    later(async () => (await import('./reads/export.ts')).exportLocal),
    true,
  );

  readonly analyze: BackendApi['analyze'] = this.read(
    later(async () => (await import('./reads/analyze.ts')).analyzeLocal),
  );
  readonly parseQuery: BackendApi['parseQuery'] = this.read(
    later(async () => (await queryText()).parseText),
  );
  readonly printQuery: BackendApi['printQuery'] = this.read(
    later(async () => (await queryText()).printTree),
  );

  readonly describeSource: BackendApi['describeSource'] = this.ownRead(
    'describeSource',
    overTables('describeSource', LOCAL_SOURCE.describeSource),
  );
  readonly listTables: BackendApi['listTables'] = this.ownRead(
    'listTables',
    overTables('listTables', LOCAL_SOURCE.listTables),
  );
  readonly initDefinition: BackendApi['initDefinition'] = this.ownRead(
    'initDefinition',
    overTables('initDefinition', LOCAL_SOURCE.initDefinition),
  );
}
