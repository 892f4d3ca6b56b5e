import type {
  Backend,
  HybridRequest,
  SearchRequest,
  SearchResponse,
  SemanticRequest,
} from '@lakehouse-search/contract';

/** A search of one of the modes, as it goes to a backend. */
export type SearchQuestion =
  | { readonly mode: 'lexical'; readonly request: SearchRequest }
  | { readonly mode: 'semantic'; readonly request: SemanticRequest }
  | { readonly mode: 'hybrid'; readonly request: HybridRequest };

/** Asks it. */
export function ask(backend: Backend, question: SearchQuestion): Promise<SearchResponse> {
  switch (question.mode) {
    case 'lexical':
      return backend.search(question.request);
    case 'semantic':
      return backend.semantic(question.request);
    case 'hybrid':
      return backend.hybrid(question.request);
  }
}

/** The same question with marks in the hits. */
export function withMarks(question: SearchQuestion): SearchQuestion {
  const highlight = { max_fragments: 1 };
  switch (question.mode) {
    case 'lexical':
      return { mode: question.mode, request: { ...question.request, highlight } };
    case 'semantic':
      return { mode: question.mode, request: { ...question.request, highlight } };
    case 'hybrid':
      return { mode: question.mode, request: { ...question.request, highlight } };
  }
}
