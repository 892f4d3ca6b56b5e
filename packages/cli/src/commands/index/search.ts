import Search from '../search.ts';

/** `lhs index search` is `lhs search`. */
export default class IndexSearch extends Search {
  static override args = Search.args;
  static override flags = Search.flags;
}
