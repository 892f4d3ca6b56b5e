import IndexSearch from './index/search.ts';

/** `lhs search` is `lhs index search`. */
export default class Search extends IndexSearch {
  static override args = IndexSearch.args;
  static override flags = IndexSearch.flags;
}
