import type {
  AggregateRequest,
  AggregateResponse,
  Alias,
  ExplainRequest,
  ExplainResponse,
  HybridRequest,
  IndexDescription,
  IndexSummary,
  KeysRequest,
  KeysResponse,
  PointInTime,
  SearchRequest,
  SearchResponse,
} from '@lakehouse-search/contract';

/** The operations of the service that the adapter uses, under the caller of one request. */
export interface Reads {
  search(request: SearchRequest): Promise<SearchResponse>;
  hybrid(request: HybridRequest): Promise<SearchResponse>;
  aggregate(request: AggregateRequest): Promise<AggregateResponse>;
  explain(request: ExplainRequest): Promise<ExplainResponse>;
  getKeys(request: KeysRequest): Promise<KeysResponse>;
  listIndexes(): Promise<readonly IndexSummary[]>;
  listAliases(): Promise<readonly Alias[]>;
  describeIndex(request: { readonly index?: string }): Promise<IndexDescription>;
  openPit(request: { readonly index: string; readonly keep_alive?: string }): Promise<PointInTime>;
  closePit(request: {
    readonly index: string;
    readonly pit_id: string;
  }): Promise<{ readonly closed: boolean }>;
}
